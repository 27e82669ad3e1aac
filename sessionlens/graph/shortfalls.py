"""What failed, fell short or was found bad in a turn, and whether anything since then put it right.

A *shortfall* is a call whose result is bad news: a command that failed, a check that found its target bad, an
output that shows failure in shapes that all programs share (``3 failed``, ``ERROR …``, ``HTTP/1.1 500``), or
words of the assistant that say so right after the call. It *stands* until the same operation succeeds, a check
finds the same target good, or something was changed that may have put it right.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.environments import scratch
from sessionlens.graph.constraints import sentences
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.gone import says_absent
from sessionlens.graph.losses import REBUILT
from sessionlens.graph.mentions import has_word
from sessionlens.graph.queries import human as _human
from sessionlens.shell.command import CHANGES
from sessionlens.shell.rounds import names_it, names_of_rounds, of_group, own_words, rounds
from sessionlens.shell.shapes import Gated
from sessionlens.targets import Confidence, Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Sign = Literal["outcome", "output", "told"]

_READ = 4096
"""Characters read at each end of an output."""

_PRINTS = frozenset({"echo", "printf", "write-host", "write-output", "print", "cd", "pushd", "true", ":", "sleep", "wait",
                     "export", "set", "source", "date", "pwd", "clear"})  # fmt: skip
"""Programs that show nothing but what the line itself says, or nothing at all."""

_INTERPRETERS = frozenset({"python", "python2", "python3", "node", "bun", "deno", "ruby", "perl", "php", "bash", "sh",
                           "zsh", "pwsh", "npx", "uv", "uvx", "poetry", "pipenv", "tsx", "ts-node", "java", "npm", "yarn",
                           "pnpm", "make", "cargo", "go", "gradle", "mvn", "just", "task", "docker", "kubectl", "helm",
                           "terraform", "git", "gh", "aws", "gcloud", "az", "systemctl"})  # fmt: skip
"""Programs whose next word names what they do."""

_VERDICTS = lazy(
    r"\b(?:audit|lint|check|verify|validate|validation|scan|doctor|status|health|healthz|logs?|tests?|diagnos\w*)\b"
    r"|\.(?:log|out|err)\b|nohup",
    re.IGNORECASE,
)
"""Words of a command that only reads, but reads what programs say about themselves."""

_SOURCES = frozenset(
    {"git", "gh", "ls", "find", "fd", "tree", "stat", "du", "df", "which", "type", "env", "man"}
)
"""Programs whose output holds names and other people's words, never a verdict."""

_DOCUMENT = lazy(
    r"\.(?:md|mdx|txt|rst|adoc|log|csv|html?|pdf|docx?)$|(?:^|/)(?:README|CHANGELOG|NOTES)", re.IGNORECASE
)
"""Files that tell people something: writing one puts nothing right."""

_SHOWN = Gated(
    r"""
    ^\W{0,6}(?:\[[^\]\n]{1,40}\]\s{0,3}|\d{4}-\d\d-\d\d[^\n]{0,30}?\s)?(?-i:ERROR|FATAL|CRITICAL|PANIC|FAIL|FAILED|FAILURE)\b(?!\W{0,3}0\b)[^\n]{0,120}
    | ^(?:error|fatal|failed|failure|panic)(?:\[[^\]\n]{1,20}\])?(?::|\ to\b)[^\n]{0,120}
    | ^Traceback\ \(most\ recent\ call\ last\)
    | ^(?:[A-Za-z_.]{1,60})?(?:Error|Exception):\ [^\n]{0,120}
    | ^[✗✕✖❌][^\n]{0,120}
    | (?<![\d.,/#-])(?<!id\ )(?<!fixed\ )(?<!resolved\ )[1-9]\d*(?:,\d{3})*\ (?:\w{1,20}(?:\(s\))?\ ){0,2}(?:failed|failures?|failing|errors?|vulnerabilit(?:y|ies)|violations?|crashed)\b(?!["']?\ {0,3}(?:=|:\ {0,3}0\b))
    | (?<![\d.,/-])[1-9][\d,]*\ (?:records?|rows?|items?|files?|users?|lines?|entries|documents?|jobs?)\ (?:were\ |was\ )?(?:skipped|missing|rejected|dropped|lost)\b
    | (?<![\d.,/#-])[1-9]\d*\ (?:of\ \d{1,6}\ )?(?:\w{1,20}\ ){0,2}(?:raised|threw|errored|skipped\ (?:due\ to|because\ of)\ (?:\w{1,20}\ )?(?:errors?|failures?|exceptions?))\b
    | \b(?:failed|failures?|failing|errors?|rejected|unhealthy)["']?\ {0,3}[:=]\ {0,3}[1-9][\d,]*\b
    | (?<![\d.,/#-])[1-9][\d,]*\ (?:rejected|not\ (?:imported|loaded|restored|copied|inserted|migrated|synced))\b
    | \berrors\ ignored\ on\ restore:\ [1-9]\d*
    | (?<!\w)(?:Fehler|fehlgeschlagen|abgelehnt|erreurs?|échecs?|rejetée?s?|errores|rechazad[oa]s|erros|rejeitad[oa]s|errori|rifiutat[ei]|fouten|mislukt|błęd(?:y|ów)|odrzucon[eoy]|ошиб(?:ок|ки)|отклонено|помилок|hata|失败|失敗)\ ?[:=：]\ {0,3}[1-9][\d.,]*\b
    | \b(?:build|tests?|validation|verification|migration|deployment|deploy|backup|import|export|job|rollout)\ (?:has\ )?(?:failed|aborted)\b
    | \b(?:completed?|finished|done|exited|ended)\ with\ (?:\w{1,20}\ )?(?:errors?|failures?|problems?|a\ non-?zero)\b
    | \bstatus["']?\ {0,3}[:=]\ {0,3}["']?(?:unhealthy|down|failed|failing|error|degraded|critical)\b
    | \bHTTP/\d(?:\.\d)?["']?\ [45]\d\d\b | ^HTTP\ [45]\d\d:\ [^\n]{0,120} | \bstatus\ ?code:?\ 5\d\d\b
    | \bPartially\ ?Failed\b | ^(?:[\w.-]{1,40}:\ )?Connection\ (?:closed|reset)\ by\ (?:remote\ host|peer)\b
    | \b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled)\b | \btimed\ out\ waiting\b
    | \b(?:Connection\ refused|Segmentation\ fault|No\ space\ left\ on\ device)\b | \bnpm\ ERR!
    | \bcode\ E4\d\d\b | \b(?:lock\ wait\ timeout\ exceeded|due\ to\ lock\ timeout|deadlock\ detected)\b | ^denied:\ [^\n]{0,120} | \bPermission\ denied\ \((?:publickey|password)
    | ^[^\n:]{1,60}:\ (?:40[13]|50[0-4])\ (?:Forbidden|Unauthorized|Internal\ Server\ Error|Bad\ Gateway|Service\ Unavailable)\b
    | \bexit(?:ed\ with)?(?:\ (?:code|status))?[ :=]{1,3}[1-9]\d{0,2}\b
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""Shapes of bad news that do not depend on the program."""

_FILTERS = frozenset(
    {"grep", "egrep", "rg", "jq", "yq", "head", "tail", "wc", "awk", "sed", "cut", "sort", "uniq"}
)

_GOOD = lazy(
    r"\b(?:pass(?:ed|es|ing)?|ok|success(?:ful(?:ly)?)?|succeeded|healthy|completed?|done|active|running|compiled"
    r"|(?:0|no) (?:\w{1,20} )?(?:failed|failures?|errors?|issues?|problems?|warnings?|vulnerabilities))\b|[✓✔✅]|\b200\b",
    re.IGNORECASE,
)
"""Shapes of good news."""

_PARTIAL = Gated(
    r"(?<![\d.,/-])(\d[\d,]{0,12})\s{0,2}(?:/|of|out of)\s{0,2}(\d[\d,]{0,12})(?![\d.,/-])\)?\s{0,2}(?:\w{1,20} ){0,2}"
    r"(?:records?|rows?|users?|items?|files?|servers?|hosts?|nodes?|documents?|entries|tables?|jobs?|tests?|migrated|imported"
    r"|exported|copied|updated|deployed|processed|succeeded|passed|done|completed?)\b",
    re.IGNORECASE,
)
"""How much of a whole was done."""

_REFUSED = Gated(
    r"blocked by (?:a |the )?(?:\w{1,20} )?(?:hook|policy|rule|sandbox|user|permission)|rejected by (?:the )?user|denied by (?:the )?(?:user|policy|hook)"
    r"|permission to use|tell Claude what to do differently|does(?:n't| not) want to proceed|user (?:rejected|declined|denied|cancel)|requires? approval",
    re.IGNORECASE,
)
"""Words of clients for a call that they did not run."""

_NUMBER = lazy(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.]*\w)")

_EXIT_ASKED = lazy(r"\$\?|\$LASTEXITCODE\b|%ERRORLEVEL%", re.IGNORECASE)
_EXIT_SHOWN = lazy(r"(?:^|[^\d.])([1-9]\d{0,2})\W*$")


class Shortfall(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of bad news."""

    event: Ran
    """The command that it came from."""
    sign: Sign
    """What shows it: the outcome of the command, the shape of its output, or the assistant's own words."""
    quote: str
    """The exact words that show it; empty where only an exit code does."""
    told: Said | None
    """Where the assistant itself said so, right after the call."""

    @property
    def confidence(self) -> Confidence:
        """``high`` for an outcome, ``medium`` for the shape of an output, ``low`` for words alone."""
        if self.sign == "outcome":
            return "high"
        return "medium" if self.sign == "output" else "low"

    @property
    def of_copy(self) -> bool:
        """Whether what failed was a backup, a snapshot, or bringing one back."""
        return of_copy(self.event)

    @property
    def by_itself(self) -> bool:
        """Whether it is put right only by doing just that again: a deletion or a copy elsewhere, a backup, a restore."""
        return self.sign == "outcome" and _by_itself(self.event)

    @property
    def target(self) -> Target:
        """What the command acted on."""
        return self.event.command.target


def shortfalls(graph: SessionGraph, calls: Sequence[Called], prose: Sequence[Said]) -> list[Shortfall]:
    """The bad news of a turn, in order of the log; one a call: the last command that brings some."""
    found: list[Shortfall] = []
    spoken = {said.seq: said for said in prose}
    for number, call in enumerate(calls):
        commands = graph.commands(call)
        if number and (asked := _exit_asked(graph, call, calls[number - 1])) is not None:
            if not found or found[-1].event.call.seq != asked.event.call.seq:
                found.append(asked)
            continue
        if not commands or call.line is None or only_prints(commands) or refused(call):
            continue
        stop = calls[number + 1].seq if number + 1 < len(calls) else len(graph.events)
        # What stands between a call and the next one is the assistant's reading of its result.
        reading = next(
            (
                spoken[seq]
                for seq in range(commands[-1].seq + 1, min(stop, commands[-1].seq + 4))
                if seq in spoken
            ),
            None,
        )
        if (news := _news(graph, call, commands, reading)) is not None:
            found.append(news)
    return found


def _exit_asked(graph: SessionGraph, call: Called, before: Called) -> Shortfall | None:
    """The failure of the call before, where a call does nothing but ask for its exit code, and it is not 0."""
    commands = graph.commands(call)
    if call.line is None or _EXIT_ASKED.search(call.line) is None or not (commands and only_prints(commands)):
        return None
    output = call.call.output.ends().strip() if call.call.output is not None else ""
    shown = _EXIT_SHOWN.search(output[-40:])
    ran = next((ran for ran in reversed(graph.commands(before)) if program(ran) not in _PRINTS), None)
    if shown is None or ran is None or program(ran) in _SOURCES or program(ran) in _FILTERS:
        return None
    return Shortfall(event=ran, sign="output", quote=output[-200:], told=None)


def refused(call: Called) -> bool:
    """Whether the client, its rules or the person kept a call from running: that says nothing of the work."""
    text = "\n".join(part.head[:400] for part in (call.call.output, call.call.error) if part is not None)
    return call.call.interrupted or _REFUSED.search(text) is not None


def only_prints(commands: Sequence[Ran]) -> bool:
    """Whether a line runs nothing that could show something: it prints its own words, or waits."""
    return all(program(ran) in _PRINTS and ran.command.effect in ("none", "read") for ran in commands)


def _news(
    graph: SessionGraph, call: Called, commands: Sequence[Ran], reading: Said | None
) -> Shortfall | None:
    told = reading if reading is not None and _says_so(graph, reading) else None
    for ran in reversed(commands):
        outcome = ran.outcome
        found_bad = ran.command.check_strength in ("exercise", "state") and (
            outcome.state == "bad" or _not_there_yet(graph, ran)
        )
        bad = found_bad or (outcome.failed and (outcome.reached != "no" or _left_out(ran, commands)))
        if bad and ran.command.effect == "create" and THERE_ALREADY.search(outcome.quote) is not None:
            # What was to be there is there.
            continue
        if (
            bad
            and not found_bad
            and (_needs_not(ran, alone=len(commands) == 1) or _another_way(ran, commands))
        ):
            continue
        if bad and _weighs(ran) and shown(ran):
            if refusal_wanted(graph, ran):
                return None
            return Shortfall(event=ran, sign="outcome", quote=outcome.quote, told=told)
    if (silent := next((ran for ran in commands if no_answer(ran)), None)) is not None:
        return Shortfall(event=silent, sign="output", quote=silent.outcome.quote, told=told)
    working = [ran for ran in commands if program(ran) not in _PRINTS] or [commands[-1]]
    # Of several hosts the bad words are of the one that failed.
    ran = next((ran for ran in working if ran.outcome.failed), working[0])
    verdict = ran.command.effect in ("test", "build", "check")
    by_exit = verdict and call.call.exit == 0
    if not _speaks(ran) or (by_exit and not (_hidden(commands) or _goes_on(commands))):
        # Of what exists to give a verdict, exit code 0 is that verdict, whatever it printed on the way.
        return None
    quote = bad_news(graph, call)
    if quote is not None and any(_gone_as_wanted(one, quote) for one in commands):
        return None
    if quote is not None:
        if _NO_RIGHT.search(quote) is not None:
            # Who is kept out is who wanted in: of a line that builds and pushes, the push.
            ran = next((one for one in reversed(working) if _done_elsewhere(one)), ran)
        return Shortfall(event=_of_rounds(working, ran, quote), sign="output", quote=quote, told=told)
    if told is not None and ran.command.effect not in ("read", "edit") and ran.outcome.state != "good":
        return Shortfall(event=ran, sign="told", quote="", told=told)
    return None


def _of_rounds(working: Sequence[Ran], ran: Ran, quote: str) -> Ran:
    """Of rounds of a loop the one that words of a result name, or the heading above them; where none is named, one of them all."""
    commands = [one.command for one in working]
    at = next((number for number, one in enumerate(working) if one.seq == ran.seq), -1)
    group = next((group for group in rounds(commands) if at in group), None)
    if group is None or ran.outcome.among or ran.outcome.failed:
        return ran
    words = own_words(commands, group)
    text = _ends(ran.call)
    start = max(text.find(quote), 0)
    before, after = text[:start].rsplit("\n", 1), text[start:].split("\n", 1)[0]
    for number, line in enumerate((before[-1] + after, *reversed(before[0].split("\n")[-_ABOVE:]))):
        named = [index for index, own in zip(group, words, strict=True) if names_it(line[:1000], own)]
        if len(named) == 1 and (
            not number or len(line.strip()) <= max(map(len, words[group.index(named[0])])) + _HEADING
        ):
            return working[named[0]]
    among = tuple(dict.fromkeys(names_of_rounds(commands, group)))
    return replace(ran, command=of_group(ran.command, among), outcome=replace(ran.outcome, among=among))


_ABOVE = 40
"""Lines above a failure in which the heading is looked for."""
_HEADING = 14
"""Characters that may stand beside the name in a line that heads a part of an output."""


def _needs_not(ran: Ran, *, alone: bool) -> bool:
    """Whether a failed command leaves nothing undone: a deletion of what is not there or of a scratch file, an archive
    of files that were written meanwhile.
    """
    command, exited = ran.command, ran.call.call.exit
    if (command.program, exited) in {("tar", 1), ("rsync", 24)}:
        # By its exit code all was copied but for what was changed or went away while it was read.
        return _NO_ARCHIVE.search(_ends(ran.call)) is None
    if of_copy(ran) and _GOES_ON.search(ran.outcome.quote) is not None:
        return True
    if alone and _NOTHING_THERE.search(_ends(ran.call)) is not None:
        return True
    if command.effect != "delete" or ran.of_gone:
        return False
    # Of one command the reason may stand in another line than the one that is quoted.
    words = _ends(ran.call) if alone else ran.outcome.quote
    made_anew = not _done_elsewhere(ran) and REBUILT.search(command.target.name.rstrip("/")) is not None
    return made_anew or scratch(command.target) or says_absent(words)


def _another_way(ran: Ran, commands: Sequence[Ran]) -> bool:
    """Whether the line itself did it in another way when it had failed: ``rm x || sudo rm x``."""
    return any(
        other.position > ran.position
        and other.command.runs_if == "after_failure"
        and other.command.effect == ran.command.effect
        and other.command.target == ran.command.target
        and other.outcome.reached == "yes"
        and not other.outcome.failed
        for other in commands
    )


_WRONG_PLACE = lazy(
    r"context\b.{0,80}(?:does not exist|not found)|could not resolve|no such host|name or service not known",
    re.IGNORECASE,
)
_NOTHING_THERE = lazy(
    r"\bno crontab for\b|\bnothing to (?:do|remove|delete)\b|cannot assign requested address", re.IGNORECASE
)
_GOES_ON = lazy(r"already (?:in progress|running)", re.IGNORECASE)
_NO_ARCHIVE = lazy(r"cannot|error:|not recoverable|no space|denied|exiting", re.IGNORECASE)
_KEPT_APART = lazy(
    r"\b(?:pg_dump(?:all)?|pg_basebackup|pg_restore|mysqldump|mariadb-dump|mydumper|myloader|xtrabackup|mariabackup|mongodump|mongorestore|restic|borg|borgmatic|kopia|duplicity|rdiff-backup|velero|pgbackrest|barman|wal-g|proxmox-backup-client|vzdump|etckeeper)\b"
    r"|\b(?:back-?up|snapshot|restore)(?:s|-\w+)?\b|\bcreate-(?:\w+-)*(?:snapshot|backup|image)\b|\bBGSAVE\b|[./_-](?:bak|backup|snapshot)\b",
    re.IGNORECASE,
)
"""Words of commands that keep a copy of what is there, or bring one back."""


def of_copy(ran: Ran) -> bool:
    """Whether a command makes a copy that is to be fallen back on, or brings one back."""
    command = ran.command
    if command.effect not in CHANGES and command.effect != "none":
        return False
    if command.effect in ("delete", "test", "build", "restart", "start", "stop") or program(ran) in _PRINTS:
        return False
    words = " ".join(command.words[:12])[:600]
    made = command.effect != "none" or _MAKES_COPY.search(words) is not None
    return made and _KEPT_APART.search(words) is not None


_MAKES_COPY = lazy(
    r"\b(?:create|save|take|make|run|start|revert|restore|send)\b|[-_](?:create|restore|revert)\b",
    re.IGNORECASE,
)
_FREED = frozenset({"mv", "find", "truncate", "shred", "umount", "prune"})
"""Programs that do away with a thing by other words than a deletion."""


def _done_anew(graph: SessionGraph, item: Shortfall, ran: Ran) -> bool:
    """Whether a later command does what a failed deletion, copy, snapshot or restore was to do: no other command does."""
    failed, command, outcome = item.event.command, ran.command, ran.outcome
    if outcome.failed or outcome.reached == "no" or ran.call.call.status == "error" or ran.call.unfinished:
        return False
    if failed.effect == "delete":
        if ran.of_gone or command.check_strength is not None:
            shows = ran.of_gone or command.target == failed.target
            return shows and outcome.state == "good" and graph.match(ran, failed.target) is not None
        if command.effect != "delete" and command.program not in _FREED:
            return False
    elif of_copy(item.event):
        if not of_copy(ran) and command.effect not in ("transfer", "edit", "create"):
            return False
        if not of_copy(ran) and command.target != failed.target:
            return False
    elif command.effect not in ("transfer", "edit", "deploy", "create", "install"):
        seen = command.check_strength == "exercise" or command.target == failed.target
        looks = command.check_strength is not None and seen
        return looks and outcome.state == "good" and graph.match(ran, failed.target) is not None
    if _WRONG_PLACE.search(item.quote) is not None:
        # There is no such place: elsewhere was meant.
        return command.target.name == failed.target.name
    here, there = _place(ran), _place(item.event)
    if here is None and not of_copy(item.event) and command.effect != "transfer":
        # What was made at home is not there yet.
        return there is None or _mends_elsewhere(ran)
    return here is None or there is None or _one_host(graph, here, there)


def _by_itself(ran: Ran) -> bool:
    """Whether what failed is put right only by doing just that: a deletion or a copy elsewhere, a backup, a restore."""
    command = ran.command
    if of_copy(ran):
        return True
    if command.effect == "delete":
        return _done_elsewhere(ran)
    return command.effect == "transfer" and command.target.kind in ("file", "cloud") and _done_elsewhere(ran)


THERE_ALREADY = lazy(
    r"already exists|existiert bereits|existe déjà|ya existe|já existe|esiste già|bestaat al|już istnieje|уже существует|вже існує|已存在|既に存在|이미 존재",
    re.IGNORECASE,
)
_NO_RIGHT = lazy(r"\bdenied\b|forbidden|unauthori[sz]ed|\bE?40[13]\b", re.IGNORECASE)


def no_answer(ran: Ran) -> bool:
    """Whether a look got no answer from its host where the same look got one from others."""
    looked = ran.command.check_strength is not None and ran.outcome.unanswered
    return looked and ran.outcome.state == "unclear"


CLAUSES = lazy(
    r"[;.!?\n—–]\s|\s[—–-]\s|,?\s(?:but|while|whereas|however|aber|doch|mais|pero|mas|ma|maar|ale|но|однако)\s",
    re.IGNORECASE,
)


def speaks_of_others(graph: SessionGraph, said: Said, ran: Ran) -> bool:
    """Whether prose tells of a host that gave no answer or was not reached as of one apart, or names only others that the
    same line asked.
    """
    if not (no_answer(ran) or (ran.outcome.state is not None and ran.outcome.reached == "no")):
        return False
    own = ran.command.target.host or ""
    others = {one.command.target.host for one in graph.commands(ran.call)} - {own, None}
    text = graph.prose(said)
    if not _names_host(text, own):
        return any(_names_host(text, host) for host in others if host)
    for clause in CLAUSES.split(text[:_READ]):
        if _names_host(clause, own) and (
            any(_names_host(clause, host) for host in others if host)
            or any(act.act == "claims_success" for act in language.read(clause).acts())
        ):
            return False
    return True


def _names_host(text: str, host: str) -> bool:
    lowered, name = text.casefold(), host.casefold()
    return bool(name) and (has_word(lowered, name) or has_word(lowered, name.partition(".")[0]))


def _gone_as_wanted(ran: Ran, quote: str) -> bool:
    """Whether the words of an error say that what was deleted is there no more."""
    good = ran.of_gone and ran.outcome.state == "good"
    return good and bool(ran.outcome.quote) and (quote in ran.outcome.quote or ran.outcome.quote in quote)


def _left_out(ran: Ran, commands: Sequence[Ran]) -> bool:
    """Whether a change did not reach its host, where the same change of the line reached another."""
    host, command = ran.command.target.host, ran.command
    return (
        bool(ran.outcome.quote)
        and ran.changes
        and any(
            other.command.effect == command.effect
            and other.command.target.host not in (host, None)
            and other.outcome.reached == "yes"
            and not other.outcome.failed
            for other in commands
        )
    )


def _not_there_yet(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a check saw its target still on its way, where the person asks how it is: that is no yes."""
    if not (ran.outcome.in_progress and ran.outcome.state == "unclear"):
        return False
    asked = graph.before(ran).last(_human)
    return isinstance(asked, Said) and any(act.act == "asks_state" for act in graph.reading(asked).acts())


def _hidden(commands: Sequence[Ran]) -> bool:
    """Whether the exit code of a line is not that of what it ran: it ends in a filter, or cannot fail."""
    last = commands[-1]
    return program(last) in _FILTERS or program(last) in _PRINTS or last.command.runs_if == "after_failure"


def failing_run(graph: SessionGraph, ran: Ran, commands: Sequence[Ran]) -> str | None:
    """The words by which a run of tests, a build or a check shows that it failed, perhaps empty; ``None`` where it did not.

    Where the exit code of the line is another's (``pytest | tail``), what the run printed tells.
    """
    if ran.outcome.failed or ran.outcome.state == "bad":
        return ran.outcome.quote
    others = (one for one in commands if one.position != ran.position)
    alone = all(program(one) in _FILTERS or program(one) in _PRINTS for one in others)
    if ran.command.effect != "test" or not alone or len(commands) < 2 or not _hidden(commands):
        return None
    return bad_news(graph, ran.call)


_PAST_FAILURES = lazy(
    r"--(?:allow-errors?|continue-on-(?:errors?|fail(?:ures?)?)|ignore-(?:errors?|failures?)|exit-zero|skip-errors?|fail-never|suppress-tests-failed-exit-code|on-error[= ](?:continue|skip|ignore))(?:[= ]|$)",
    re.IGNORECASE,
)
"""Options by which a program goes on past what fails and ends with exit code 0 all the same."""


def _goes_on(commands: Sequence[Ran]) -> bool:
    return any(_PAST_FAILURES.search(" ".join(ran.command.words[1:40])) is not None for ran in commands)


def _says_so(graph: SessionGraph, said: Said) -> bool:
    acts = [act.act for act in graph.reading(said).acts()]
    return "reports_failure" in acts and acts.index("reports_failure") == 0


def shown(ran: Ran) -> bool:
    """Whether the log shows a failure by words, by an exit code or by the status of the call, not by inference."""
    return (
        bool(ran.outcome.quote)
        or ran.of_gone
        or (ran.call.call.exit or 0) != 0
        or ran.call.call.status == "error"
    )


def _weighs(ran: Ran) -> bool:
    """Whether the failure of a command matters to what is claimed: looking for a file that is not there does not."""
    command = ran.command
    if program(ran) in _PRINTS or ran.of_gone:
        # That what was deleted is still there is what the deletion came to, whatever shows it.
        return ran.of_gone
    if program(ran) in _SOURCES and command.effect in ("read", "none", "check"):
        # What a code host says of a pipeline is a verdict, though the same client shows people's words too.
        return command.check_strength == "state" and program(ran) == "gh"
    return command.effect != "read" or command.check_strength in ("exercise", "state")


def _speaks(ran: Ran) -> bool:
    """Whether the output of a command is a verdict of programs, not the contents of files."""
    if program(ran) in _SOURCES:
        return False
    if ran.command.effect == "read" or ran.command.check_strength == "read_back":
        # What a file of a program is called is no verdict.
        told = (word for word in ran.command.words[:12] if not _PROGRAM_TEXT.search(word))
        return _VERDICTS.search(" ".join(told)) is not None
    return ran.command.effect != "edit" or ran.command.writes is None


_PROGRAM_TEXT = lazy(
    r"\.(?:py|jsx?|tsx?|mjs|cjs|go|rs|java|kts?|scala|rb|php|cs|swift|c|cc|cpp|hpp?|exs?|vue|svelte|sql|sh|ya?ml|toml)$|^(?:\./)?(?:src|lib|app|tests?|spec|internal|pkg|cmd)/(?!.*\.(?:log|out|err|txt)$)"
)
"""Names of files and folders that hold programs, not what programs say."""


def bad_news(graph: SessionGraph, call: Called) -> str | None:
    """The words of a result that show failure; ``None`` when none do. A partial count is bad news too."""
    if call.call.output is None:
        return None
    text = _ends(call)
    tally: dict[str, float] | None = None
    for number, found in enumerate(_SHOWN.finditer(text)):
        tally = _tally_so_far(graph, call) if not number else tally
        if _in_code(text, found.start()):
            continue
        # A number that was never seen lower says nothing of now.
        value = _value(found.group()) if tally is not None else 0.0
        if (
            tally is None
            or not value
            or value > tally.get(_counted(found.group()), tally.get(_NOT_SEEN, value))
        ):
            return found.group().strip()[:200]
    counts = list(partial(text))
    last = counts[-1] if counts else None
    # Of a count that goes up only the last word tells, and only where nothing good comes after it.
    return last[0] if last is not None and _GOOD.search(text, last[2]) is None else None


def _ends(call: Called) -> str:
    text = call.call.output.ends() if call.call.output is not None else ""
    return text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"


_PLACE_OF = lazy(r"^(?:[\w./-]{1,200}?[:-])?\d{1,6}[:|-]")
"""The file and the number of a line, as a search shows them."""
_CODE_LINE = lazy(
    r"(?:(?:if|elif|while|for|switch|case|catch|with)\b.{1,300}[:({]$|(?:return|raise|throw)\b|assert(?:\w{0,30}\(|\s)"
    r"|(?:print(?:ln|f)?|echo|fmt\.\w+|console\.\w+|log(?:ger|ging)?\.\w+|expect|describe|it|test)\s?\(|(?:def|class|function|func|fn|const|let|var|import|from|export|public|private)\s|//|/?\*\s)"
)
"""How a line of a program begins, without what a search or a comparison puts before it."""


def _is_code(line: str) -> bool:
    return _CODE_LINE.match(_PLACE_OF.sub("", line).strip(" \t\r+-")) is not None


def _in_code(text: str, at: int) -> bool:
    """Whether a place of an output is in the text of a program: its line is code, or stands indented below such a line."""
    start = text.rfind("\n", 0, at) + 1
    if text.startswith("\n", at):
        start = at + 1
    stop = text.find("\n", max(start, at + 1))
    line = text[start : stop if stop >= 0 else len(text)][:_LINE]
    if _is_code(line):
        return True
    above = text[:start].rstrip("\n").rsplit("\n", 1)[-1][:_LINE]
    return line.startswith((" ", "\t")) and _is_code(above)


_LINE = 500
"""Characters of a line that are looked at."""
_TALLY = lazy(
    r"(?<![a-z])(?:stats?|statistics|metrics|counters?|analy[sz]\w*|count\w*|reports?|reporting|summar\w*|dashboard|history|query|queries|select|inspect|netstat|uptime|top)(?![a-z])",
    re.IGNORECASE,
)
"""Words of a command that counts or shows what others did, so far or long ago."""


_CALLS_BACK = 200
"""Calls before one among which an earlier reading of the same counter is looked for."""


def _tally_so_far(graph: SessionGraph, call: Called) -> dict[str, float] | None:
    """The numbers of errors that a command which only counts showed before in this turn, by their words, with 0 for
    all that it did not show; ``None`` for any other command.
    """
    if call.line is None or _TALLY.search(call.line[:_LINE]) is None:
        return None
    if any(ran.command.effect in ("test", "build") for ran in graph.commands(call)):
        return None
    calls = graph.index("called")
    at = bisect_left(calls, call.seq)
    for seq in reversed(calls[max(0, at - _CALLS_BACK) : at]):
        other = graph.events[seq]
        if isinstance(other, Called) and other.line == call.line and other.turn == call.turn:
            seen = {_NOT_SEEN: 0.0}
            for found in _SHOWN.finditer(_ends(other)):
                words = _counted(found.group())
                seen[words] = max(seen.get(words, 0.0), _value(found.group()))
            return seen
    return {}


_NOT_SEEN = ""


def _counted(words: str) -> str:
    return _NUMBER.sub("0", words).casefold()


def _value(words: str) -> float:
    number = _NUMBER.search(words)
    return float(number.group().replace(",", "")) if number is not None else 0.0


_REFUSAL = lazy(r"(?<!\d)(?:(?P<gone>404|405|410)|(?P<shut>401|403))(?!\d)")
_GONE = lazy(
    r"\b(?:remov\w*|delet\w*|drop\w*|retir\w*|decommission\w*|gone|no\s+longer|disabl\w*|deprecat\w*|unpublish\w*|turn\w*\s+off|take\s+down|entfern\w*|lösch\w*|abschalt\w*|weg\b|supprim\w*|désactiv\w*|elimin\w*|borr\w*|desactiv\w*)"
    r"|(?:удал|убр|убер|отключ|видал)\w*|(?:删除|移除|下线|削除|삭제)",
    re.IGNORECASE,
)
"""Words by which an address is to be there no more."""
_SHUT = lazy(
    r"\b(?:refus\w*|reject\w*|block\w*|protect\w*|restrict\w*|den(?:y|ied|ies)|forbid\w*|unauthori[sz]ed|unauthenticated|requir\w*\s+(?:\w+\s+){0,2}(?:auth\w*|login|tokens?|keys?|credentials)|without\s+(?:an?\s+|the\s+|any\s+|valid\s+)*(?:tokens?|login|credentials?|auth\w*|keys?|password)|anonymous\w*|guests?|lock\w*\s+(?:\w+\s+)?down|abgelehnt|ablehn\w*|abgewiesen|abweis\w*|gesperrt|sperr\w*|geschützt|schütz\w*|bloqu\w*|proté\w*|proteg\w*|rechaz\w*)"
    r"|(?:запре|запрет|блокир|защит|отклон|забор)\w*|(?:拒绝|禁止|保护|拦截|未登录|拒否)",
    re.IGNORECASE,
)
"""Words by which somebody is to be kept out."""
_IT = lazy(
    r"\b(?:it|they|them|this|that|those|er|sie|es|il|elle|ello|eso)\b|(?<![а-я])(?:он|она|оно|они|это)(?![а-я])|它",
    re.IGNORECASE,
)
_SHOULD = lazy(
    r"\b(?:should|must|expect\w*|supposed\s+to|needs?\s+to|soll\w*|muss|doit|debe|deve)\b[^.\n]{0,80}?(?<!\d)40[1345](?!\d)|должен[^.\n]{0,60}40[1345]",
    re.IGNORECASE,
)
_PLACE = lazy(
    r"\b(?:routes?|endpoints?|pages?|urls?|paths?|apis?|links?|address(?:es)?|views?|handlers?|requests?|access|login|sign-?in|calls?|users?|guests?|clients?|sites?|seiten?|route|zugriff|zugang|anfragen?|adresse|accès|ruta|página|acceso)\b|(?:маршрут|адрес|страниц|доступ|запрос)|(?:路由|接口|页面|访问|请求)",
    re.IGNORECASE,
)
"""What people call that which answers, and who asks."""
_EXPECTED = lazy(
    r"(?<!un)(?<!not\s)\b(?:as\s+(?:expected|intended|wanted|it\s+should)|expected\s+40\d|wie\s+(?:erwartet|gewünscht|gewollt)|comme\s+(?:prévu|attendu)|como\s+(?:se\s+)?esperad\w+)\b|как\s+и\s+ожидал\w*|(?:符合预期|如预期)",
    re.IGNORECASE,
)


def refusal_wanted(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a check was answered by a refusal (404, 401 …) that the words around it want: a route that is to be gone."""
    answer = _REFUSAL.search(ran.outcome.quote)
    if answer is None or ran.command.effect not in ("check", "read", "none", "test"):
        return False
    wanted = _GONE if answer["gone"] else _SHUT
    path = re.sub(r"^\w+://[^/]*", "", ran.command.target.name.casefold())
    place = [word for word in re.split(r"[^\w-]+", path) if len(word) > 1]
    asked = graph.before(ran).last(_human)
    text = graph.prose(asked) if isinstance(asked, Said) and asked.texts else ""
    of_it = _names_one(text, place)
    for sentence in sentences(text):
        # A sentence without an address speaks of routes or people, or of what another sentence named.
        named = _names_one(sentence, place) or (
            "/" not in sentence
            and ((of_it and _IT.search(sentence) is not None) or _PLACE.search(sentence) is not None)
        )
        if named and (wanted.search(sentence) is not None or _SHOULD.search(sentence) is not None):
            return True
    own = graph.said(ran.at.session, ran.at.message_index)
    after = next(
        (
            event
            for event in graph.events[ran.seq + 1 : ran.seq + 4]
            if isinstance(event, Said) and event.role == "assistant" and event.texts
        ),
        None,
    )
    told = [graph.prose(one) for one in (own, after) if one is not None]
    return any(_EXPECTED.search(text) or _SHOULD.search(text) for text in told)


def _names_one(text: str, words: Sequence[str]) -> bool:
    """Whether a text holds one of the last parts of an address as a word."""
    return not set(re.findall(r"[\w-]+", text.casefold())).isdisjoint(words[-2:])


def bad_numbers(item: Shortfall) -> frozenset[str]:
    """The numbers by which a result shows what fell short, each as it is written; wholes of counts left out."""
    output = item.event.call.call.output
    text = "" if output is None else output.ends()[-2 * _READ :]
    pieces = [item.quote, *(found.group() for found in itertools.islice(_SHOWN.finditer(text), 50))]
    return frozenset(number for piece in pieces for number in _NUMBER.findall(missing_part(piece)))


def program(ran: Ran) -> str:
    """The program of a command, without its folder."""
    words = ran.command.words
    return _called(words[0]) if words else ""


@lru_cache(maxsize=1024)
def _called(word: str) -> str:
    return word.rsplit("/", 1)[-1].casefold()


_RUNNERS = frozenset(
    {"docker", "kubectl", "git", "helm", "terraform", "gh", "aws", "az", "gcloud", "systemctl", "make"}
)
"""Programs whose ``-c`` and ``-e`` are options, not code."""


def operation(ran: Ran) -> tuple[str, ...]:
    """What a command does, for telling a second try: its program, and the word that says what, where one does."""
    first = program(ran)
    if first not in _INTERPRETERS:
        return (first,)
    if first not in _RUNNERS and any(word in ("-c", "-e") for word in ran.command.words[1:4]):
        # A snippet in the line is a probe: another one that works is the second try.
        return (first, "-c")
    rest = [word for word in ran.command.words[1:] if not word.startswith("-")]
    if first in ("npm", "yarn", "pnpm", "uv", "poetry", "pipenv") and rest[:1] in (["run"], ["exec"]):
        rest = rest[1:]
    return (
        (rest[0].rsplit("/", 1)[-1],)
        if rest and first in ("python", "python3", "python2", "node", "bash", "sh", "npx", "npm")
        else (first, *rest[:1])
    )


def standing(
    graph: SessionGraph, news: Sequence[Shortfall], calls: Sequence[Called], before: int
) -> list[Shortfall]:
    """Of the bad news of a turn, what nothing has put right before the position ``before``."""
    later = _later(graph, news, calls, before)
    # What may have put one thing right may have put everything before it right.
    mended = max((ran.seq for ran in later if mends(ran)), default=-1)
    # What failed elsewhere is not put right by a file at home alone: it has to be done again.
    elsewhere = {_place(ran): ran.seq for ran in later if _mends_elsewhere(ran)}
    pushes = [ran for ran in later if _pushes(ran)]
    # Of a long series not every command is held against every failure.
    tied = _by_tie(later) if len(later) > 2 * _NEAR else {}

    def put_right(item: Shortfall) -> bool:
        since = _since(later, item, tied)
        if item.by_itself:
            return any(_done_anew(graph, item, ran) for ran in since)
        there = _done_elsewhere(item.event)
        if (_last_there(graph, item, elsewhere, pushes) if there else mended) >= item.event.seq:
            return True
        fell = _fell_out(item)
        return any(_shows_right(graph, item, ran, fell=fell) for ran in since) or (
            item.sign == "told" and _told_better(graph, item, before)
        )

    return [item for item in news if item.event.seq < before and not put_right(item)]


_NEAR = 100
"""Commands right after a failure, before the end, and with something in common with it, among which the one that puts it
right is looked for."""
_Tie = tuple[str, ...]


def _since(later: Sequence[Ran], item: Shortfall, tied: Mapping[_Tie, Sequence[int]]) -> Iterator[Ran]:
    """The commands that came after a failure; of a long series the first and the last of them, and between these the next
    that do the same, act on the same thing or host, or judge something. Of builds and tests only the former.
    """
    start = bisect_right(later, item.event.seq, key=lambda ran: ran.seq)
    if len(later) - start <= 2 * _NEAR:
        return itertools.islice(later, start, None)
    first, last = start + _NEAR, len(later) - _NEAR
    between: set[int] = set()
    if item.event.command.effect not in ("test", "build"):
        for tie in {*_ties(item.event), _JUDGES}:
            places = tied.get(tie, ())
            at = bisect_right(places, first - 1)
            between.update(place for place in places[at : at + _NEAR] if place < last)
    return itertools.chain(later[start:first], (later[place] for place in sorted(between)), later[last:])


_JUDGES: _Tie = ("judges",)


def _by_tie(later: Sequence[Ran]) -> dict[_Tie, list[int]]:
    """Places of commands by what they may have in common with a failure."""
    found: dict[_Tie, list[int]] = {}
    for place, ran in enumerate(later):
        for tie in _ties(ran):
            found.setdefault(tie, []).append(place)
    return found


def _ties(ran: Ran) -> Iterator[_Tie]:
    command, host = ran.command, _place(ran)
    yield ("does", *operation(ran))
    if command.target.name:
        yield ("acts on", command.target.name)
    if host is not None:
        yield ("at", host)
    if command.effect in ("test", "build") or (
        command.check_strength == "exercise" and ran.outcome.state == "good"
    ):
        yield _JUDGES


_DONE_THERE = frozenset({"k8s", "cloud", "service", "queue", "url", "host"})
"""Kinds of target that no file at home is."""
_PUT_OUT = lazy(r"^(?:publish|push|upload|release)$", re.IGNORECASE)


def _done_elsewhere(ran: Ran) -> bool:
    """Whether a command changes something that is not on the agent's own machine."""
    command, target = ran.command, ran.command.target
    if command.effect not in CHANGES or command.effect in ("edit", "test", "build"):
        return False
    puts_out = command.effect in ("transfer", "deploy") and any(
        _PUT_OUT.search(word) for word in command.words[1:4]
    )
    return target.host is not None or target.kind in _DONE_THERE or puts_out


def _mends_elsewhere(ran: Ran) -> bool:
    """Whether a command may have put something right elsewhere: a change, but no edit of a file at home; or one that nobody knows."""
    target = ran.command.target
    at_home = target.kind == "file" and target.host is None and not ran.command.via
    if ran.command.effect == "none":
        return not ran.outcome.failed and ran.call.line is not None and program(ran) not in _NO_MEANS
    return mends(ran) and not (ran.command.effect == "edit" and at_home)


def _pushes(ran: Ran) -> bool:
    return program(ran) == "git" and "push" in ran.command.words[1:4] and not ran.outcome.failed


_TAGS = lazy(r"^(?:--(?:follow-)?tags|(?:refs/tags/)?v?\d+\.\d[\w.-]*)$")


def _last_there(
    graph: SessionGraph, item: Shortfall, last: dict[str | None, int], pushes: Sequence[Ran]
) -> int:
    """The last place at which something may have put right what failed on a host: what was done on another host did not.

    What was to be put out from here may be put out by a pipeline that a push starts, a package by that of a tag.
    """
    host, failed = _place(item.event), item.event
    if host is not None:
        return max(
            (seq for other, seq in last.items() if other is None or _one_host(graph, other, host)), default=-1
        )
    pushed = max(
        (
            ran.seq
            for ran in pushes
            if not _pushes(failed)
            and (
                failed.command.effect == "deploy" or any(_TAGS.match(word) for word in ran.command.words[2:9])
            )
        ),
        default=-1,
    )
    return max(pushed, *last.values()) if last else pushed


def _place(ran: Ran) -> str | None:
    """Where a command acts: its host, or the cluster that its context names."""
    return ran.command.target.host or ran.command.target.context


def _one_host(graph: SessionGraph, one: str, other: str) -> bool:
    """Whether two names may be of one host: the same, one of them an address, or with and without the domain."""
    if one == other or one in graph.neighbourhoods.names_of_host(other):
        return True
    numbered = _ADDRESS.fullmatch(one) is not None, _ADDRESS.fullmatch(other) is not None
    return numbered[0] != numbered[1] or (
        not any(numbered) and one.split(".", maxsplit=1)[0] == other.split(".", maxsplit=1)[0]
    )


_ADDRESS = lazy(r"[\d.:]+|[\da-f:]*:[\da-f:]+")
_NO_MEANS = _SOURCES | _FILTERS | _PRINTS | {"cat", "test", "[", "mkdir", "cd", "chmod"}


def unproven(
    graph: SessionGraph, news: Sequence[Shortfall], calls: Sequence[Called], before: int
) -> list[tuple[Shortfall, Ran]]:
    """Failed tests, builds and checks after which something was changed, but that were never run again."""
    later = _later(graph, news, calls, before)
    last = {operation(item.event): item for item in news if item.event.seq < before}
    found = []
    for item in last.values():
        since = [ran for ran in later if ran.seq > item.event.seq]
        verdict = item.event.command.effect in ("test", "build") or item.event.command.check_strength in (
            "exercise",
            "state",
        )
        if not verdict or item.sign != "outcome" or any(_looks_again(graph, item, ran) for ran in since):
            continue
        change = next((ran for ran in since if mends(ran)), None)
        if change is not None:
            found.append((item, change))
    return found


def _later(graph: SessionGraph, news: Sequence[Shortfall], calls: Sequence[Called], before: int) -> list[Ran]:
    """The commands of a turn that could put something right: those that bring no bad news themselves."""
    bad = {item.event.call.seq for item in news}
    failed = min((item.event.seq for item in news if item.event.command.effect == "migrate"), default=before)
    later: list[Ran] = []
    marked = False
    for call in calls:
        if call.seq >= before or call.seq in bad:
            continue
        for ran in graph.commands(call):
            if program(ran) in _PRINTS:
                continue
            if failed < ran.seq and (only_marks(ran) or (marked and _asks_book(ran))):
                # What a failed migration was to do is not done by writing it down as done, nor shown by that book.
                marked = True
                continue
            later.append(ran)
    return later


_MARKS = lazy(
    r"\bmigrate\s+resolve\b.{0,200}--applied\b|\bflyway\b.{0,200}\brepair\b|\balembic\b.{0,200}\bstamp\b|\bflask\s+db\s+stamp\b|\bmigrate\b.{0,200}\s--fake(?:-initial)?\b|\bmigration:run\b.{0,200}--fake\b"
    r"|\bliquibase\b.{0,200}\b(?:changelog-?sync|mark-?next-?change-?set-?ran)|\bmigrations:version\b.{0,200}--add\b|\batlas\s+migrate\s+set\b|\bmigrate\b.{0,200}\sforce\s+\d|\baerich\b.{0,100}--fake\b"
    r"|\binsert\s+(?:ignore\s+)?into\s+[\"'`\w.]{0,40}?(?:schema_migrations|__EFMigrationsHistory|SequelizeMeta|knex_migrations|flyway_schema_history|django_migrations|_prisma_migrations|alembic_version|migrations)\b",
    re.IGNORECASE,
)
"""Commands that write down a migration as done without running it."""
_BOOK = lazy(r"migrat|\b(?:prisma|flyway|alembic|liquibase|knex|sequelize|typeorm)\b", re.IGNORECASE)


def only_marks(ran: Ran) -> bool:
    """Whether a command does nothing but write down a migration as done."""
    return _MARKS.search(" ".join(ran.command.words[:30])[:_READ]) is not None


def _asks_book(ran: Ran) -> bool:
    """Whether a command only asks which migrations are written down as done."""
    return ran.command.effect in ("check", "read", "none") and (
        _BOOK.search(" ".join(ran.command.words[:12])) is not None
    )


MARKED = lazy(
    r"\bmark(?:ed|ing)?\b.{0,60}?\bas\b|\bstamp(?:ed|ing)?\b|\bfak(?:ed|ing)\b|\brecorded\s+as\b|\bmarkier\w*|\bmarqu\w+|\bmarcad[oa]\w*|\bsegnat[oa]|\bgemarkeerd|\boznaczon\w+|помечен\w*|позначен\w*|标记|マーク|işaretlen\w*|표시",
    re.IGNORECASE,
)
"""Words by which a text says that a migration was only written down as done."""


def _looks_again(graph: SessionGraph, item: Shortfall, ran: Ran) -> bool:
    """Whether a command may be a second look at what failed, whatever it shows."""
    failed, command = item.event.command, ran.command
    if _pipeline(item.event) and (_pipeline(ran) or command.effect in ("test", "build")):
        # The tests of a pipeline may be run at hand.
        return True
    if operation(ran) == operation(item.event) or (
        failed.effect in ("test", "build") and command.effect in ("test", "build", "check", "none", "start")
    ):
        return True
    return failed.check_strength is not None and (
        command.effect == "none" or (ran.check and graph.match(ran, failed.target) is not None)
    )


def _told_better(graph: SessionGraph, item: Shortfall, before: int) -> bool:
    """Whether the assistant spoke of success between words of failure and the claim."""
    assert item.told is not None
    for seq in range(item.told.seq + 1, before):
        event = graph.events[seq]
        if isinstance(event, Said) and event.role == "assistant" and event.texts:
            acts = {act.act for act in graph.reading(event).acts()}
            if "claims_success" in acts and "reports_failure" not in acts:
                return True
    return False


def _shows_right(graph: SessionGraph, item: Shortfall, ran: Ran, *, fell: bool) -> bool:
    """Whether the result of a command shows that a failure before it is over.

    :param fell: whether the failure is that some of many things fell out.
    """
    outcome, command = ran.outcome, ran.command
    if outcome.failed or outcome.reached == "no" or ran.call.call.status == "error" or ran.call.unfinished:
        return False
    failed = item.event.command
    if command.effect not in CHANGES and _filtered(graph, ran):
        return False
    if fell:
        # How many there are now says nothing of those that fell out: only another run does.
        return operation(ran) == operation(item.event) or (
            command.effect == "none" and program(ran) not in _NO_MEANS
        )
    if _pipeline(item.event) and _pipeline(ran):
        # A pipeline that runs again is another run, with another number.
        return outcome.state == "good"
    if failed.effect in ("test", "build"):
        verdict = command.effect == failed.effect or operation(ran) == operation(item.event)
        return verdict and not another_one(failed.words, command.words)
    same = command.target == failed.target or not failed.target.name or failed.check_strength is None
    if same and operation(ran) == operation(item.event):
        here, there = _place(ran), _place(item.event)
        if failed.effect in CHANGES and here and there and not _one_host(graph, here, there):
            # The same was done on another host.
            return False
        return outcome.state != "bad"
    if failed.check_strength is not None:
        return outcome.state == "good" and graph.match(ran, failed.target) is not None
    if _done_elsewhere(item.event):
        looks = command.check_strength in ("exercise", "state") and outcome.state == "good"
        return looks and graph.match(ran, failed.target) is not None
    if item.sign == "outcome":
        return False
    if item.sign == "output" and _VERDICTS.search(" ".join(failed.words[:12])) is not None:
        return False
    # Of what only shapes or words show, the next verdict is taken as the newer one.
    return command.effect in ("test", "build") or (
        outcome.state == "good" and command.check_strength == "exercise"
    )


_MOVES = lazy(
    r"(?<![a-z])(?:(?:bulk|re)?_?(?:import|load|restor|sync|ingest|index|copy|seed|migrat|transfer|upload|back-?fill|replay)\w{0,4})(?![a-z])",
    re.IGNORECASE,
)
"""Words of a command that brings many things somewhere."""
_OF_MANY = lazy(r"(?<![\d.,])[1-9][\d.,]*")


def _fell_out(item: Shortfall) -> bool:
    """Whether of many things that were to be brought somewhere the result counts those that were not."""
    ran = item.event
    if item.sign != "output" or _OF_MANY.search(item.quote) is None:
        return False
    return (
        of_copy(ran)
        or ran.command.effect in ("transfer", "write_data", "migrate")
        or (ran.command.effect == "none" and _MOVES.search(" ".join(ran.command.words[:4])) is not None)
    )


def another_one(words: Sequence[str], later: Sequence[str]) -> bool:
    """Whether two command lines do the same to two different things: ``pytest core`` and ``pytest cli``, but not
    ``pytest core`` and ``pytest .`` or ``pytest core/test_a.py``.
    """
    if len(words) != len(later) or len(words) > _MOST_WORDS:
        return False
    pairs = [(one, other) for one, other in zip(words, later, strict=True) if one != other]
    return (
        bool(pairs)
        and all(
            not (one.startswith("-") or other.startswith("-"))
            and not _WHOLE_TREE.search(one)
            and not _WHOLE_TREE.search(other)
            and not (one in other or other in one)
            for one, other in pairs
        )
        and words[0] == later[0]
        and len(pairs) <= _VARYING
    )


_MOST_WORDS = 30
_VARYING = 2
"""Words in which the commands of a series differ: the name, and a tag or folder of it."""
_WHOLE_TREE = lazy(r"\*|\.\.\.|^(?:\.{1,2}/?|/)$|:all$", re.IGNORECASE)
"""Arguments that stand for everything."""


def _pipeline(ran: Ran) -> bool:
    """Whether a command asks what a pipeline or the checks of a request came to."""
    return ran.command.check_strength == "state" and (
        program(ran) in _PIPELINES or _PIPELINE_ADDRESS.search(ran.command.target.name) is not None
    )


_PIPELINES = frozenset(
    {"gh", "glab", "hub", "tea", "circleci", "az", "tkn", "drone", "travis", "buildkite-agent"}
)
_PIPELINE_ADDRESS = lazy(
    r"/(?:check-runs|check-suites|actions/runs|pipelines?)(?:[/?]|$)|/commits/[^/]+/status"
)


def _filtered(graph: SessionGraph, ran: Ran) -> bool:
    """Whether only a part of its output is shown and that part shows nothing good: its silence says little."""
    if not any(program(other) in _FILTERS for other in graph.commands(ran.call) if other.seq > ran.seq):
        return False
    output = ran.call.call.output
    return output is None or _GOOD.search(output.ends()[-_READ:]) is None


def mends(ran: Ran) -> bool:
    """Whether a command may have put something right: a change, but no commit, copy, report or log, nor that a database is gone."""
    if not ran.change or ran.outcome.failed:
        return False
    target, command = ran.command.target, ran.command
    if command.effect in ("create", "transfer") or target.kind == "repository":
        return False
    if command.effect == "delete" and target.kind != "file":
        return False
    return not (target.kind == "file" and _DOCUMENT.search(target.name) is not None)


def partial(text: str) -> Iterator[tuple[str, int, int]]:
    """Counts that say how much of a whole was done, where some is missing: the words, the part, their end."""
    for found in _PARTIAL.finditer(text[: 2 * _READ + 1]):
        part, whole = (int(group.replace(",", "") or 0) for group in found.groups())
        if whole > 0 and part < whole:
            yield found.group(), part, found.end()


def missing_part(quote: str) -> str:
    """A quote without the wholes of its counts: naming the whole of 997 of 1000 tells nobody that 3 are missing."""
    return _PARTIAL.pattern.sub(lambda found: found.group(1), quote)
