"""What the person forbade, limited or demanded, held against what was done after it.

Only instructions that speak to the agent and whose breach the log can show are held: a flag or program that was
not to be used, a file that was not to be touched, a deed that was not to be done or only after another one, a
place that was not to be left. Where a log does not show what a call did, the assistant's own words of it stand in
its place, with low confidence.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens import shell
from sessionlens.cache import lazy
from sessionlens.graph import asking, awaiting, bans, looking, pushing
from sessionlens.graph.announced import Announced, announced, intends
from sessionlens.graph.constraints import (
    NEGATES,
    WRITES,
    Constraint,
    asked_before,
    deeds_of,
    if_it_fails,
    orders,
    sentences,
    stem,
    stem_set,
    stems,
    word_set,
)
from sessionlens.graph.destruction import AGREES
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.file_changes import FileChange
from sessionlens.graph.handed_back import hands_over
from sessionlens.graph.losses import SHARED_BRANCH, only_shows
from sessionlens.graph.path_words import SCRATCH, path_stems, resolved
from sessionlens.graph.queries import assistant_prose, human, told_state
from sessionlens.graph.scope import lies_in
from sessionlens.graph.shortfalls import refused
from sessionlens.graph.speaking import asks, hands_in, tells_others
from sessionlens.graph.touching import Covered, covers
from sessionlens.language import detect, forbids, read
from sessionlens.language.split import is_question
from sessionlens.targets import Confidence, same_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph
    from sessionlens.shell.command import Command

How = Literal[
    "used",
    "changed",
    "deleted",
    "did",
    "without",
    "order",
    "looked_only",
    "environment",
    "outside",
    "announced",
    "reported",
]

_OFFER = 800
"""Characters at the end of the assistant's prose in which its question and what that is about stand."""
_ACTIVE = 40
"""Instructions that hold at one time, the latest."""

_OPTIONAL = stem_set(
    """
    shared global existing any other generated original actual critical important real unrelated
    effective internal core operation operations command commands action actions flag flags option
    options tool tools step steps thing things manual manually direct directly existing new explicit
    bestehend bestehende bestehenden bestehender vorhandene vorhandenen existant existante existants existantes existente existentes esistente esistenti bestaande istniejące istniejących mevcut существующие существующих существующую наявні існуючі
    documented unnecessary additional extra further anything own live again yet now tagged service servicio serviço dienst сервис сервиса сервіс servidor server neue neuen neuer nouvelle nouvelles nouveaux nueva nuevas nuevos nova novas novos nuove nuovi новые новых нові current
    specific entire whole default system-wide wide
    """
)
"""Words that say nothing of what is meant, where others do."""
_VERB_STEMS = stem_set(
    """
    change changes changing changed modify modifying modified edit editing edits touch touching
    alter update updating overwrite rewrite write adjust delete deleting remove removing drop
    dropping purge truncate clean wipe create creating generate add adding run running execute
    executing deploy deploying deployment deployments redeploy redeploying release publish install installing commit
    committing commits push pushing pushes merge merging restart restarting reboot reload migrate
    migrating skip skipping bypass disable omit ignore use using used make making apply reset revert
    grant granting mock mocking leave perform regenerate reformat rename move fix fixing refactor
    read reading open opening
    """
)
_ANY = stem_set(
    "today tonight tomorrow remote anymore please pls thanks get gets server servers service services anywhere elsewhere myself yourself afterwards automatically either though right away straight dare bother attempt"
)
"""Words that narrow nothing, even alone."""
_ALTERNATIVES = lazy(r"\s+(?:or|and|nor|oder|und|ou|et|o|y|e|или|и)\s+|[,/;|]\s*", re.IGNORECASE)
_TEMPORARY = lazy(
    r"\b(?:right now|this time|until|before|пока)\b",
    re.IGNORECASE,
)
_REASON_NOW = lazy(
    r"(?:[,;:(–—.]|\b(?:because|since|as)\b)[^,;:(–—.]{2,80}?(?:\b(?:is|are|am|has|have)|['’](?:s|re|m))\s[^,;:(–—.]{0,80}\bright now\b",
    re.IGNORECASE,
)
"""The reason behind an instruction, told with its own time: "don't push, Sam is tagging it right now"."""
_LACKS = lazy(
    r"\b(?:without|skip(?:s|ping)?|bypass(?:es|ing)?|omit(?:s|ting)?|forgo(?:es|ing)?|no\s+need\s+(?:for|to)|not\s+wait(?:ing)?\s+for|instead\s+of\s+waiting|ignor(?:e|es|ing)|ohne|überspring\w*|sans|sin|sem|пропуск\w*|без)\b(?P<rest>.{3,80})",
    re.IGNORECASE,
)
"""Words by which the assistant says what it leaves out."""
_USE = lazy(
    r"\b(?:use|uses|using|run|running|call|invoke|pass|add|with|execute|verwende\w*|benutz\w*|nutze?|utilise[rz]?|usar|uses|usa|использу\w*|використовуй\w*)\b\s+(?P<rest>.+)|(?:使用|用|使わ)(?P<rest2>.+)",
    re.IGNORECASE,
)
_TOKEN = lazy(r"^(?:--?[A-Za-z][\w-]*|[a-z][a-z0-9._+-]{1,24})$")
_NOT_PROGRAMS = word_set(
    """
    the a an any other and or new existing it this that these those as in on for to of with from
    same such more mock mocks test tests data code file files flag flags option options command
    commands tool tools script scripts global destructive interactive force direct manual all only
    same own third-party external env production staging dev main master branch sub shell python
    node go make find sort cat echo time date
    """
) - {"python", "node", "go", "make", "find"}
_DESTRUCTIVE = lazy(
    r"\b(?:drop|truncate)\s+(?:table|database|schema|index|column|view|user)|\btruncate\b|\bdelete\s+from\b(?!.*\bwhere\b)|\brm\s+(?:-\w*\s+)*-\w*[rf]|\breset\s+--hard\b|\bmigrate\s+reset\b|--accept-data-loss\b|\bpush\b.*(?:--force\b|\s-f\b)|\bdestroy\b|\bflushall\b|\bdropdb\b|\bmkfs\b|\bprune\b",
    re.IGNORECASE,
)
_BACKUP = lazy(
    r"\b(?:backup|back-up|dump|pg_dump|mysqldump|mongodump|snapshot|\.bak|rsync|cp\b.*(?:bak|backup|orig|copy))",
    re.IGNORECASE,
)
_ORDER = lazy(
    r"\b(?P<first>tests?|test\s+suite|backup|back\s*up|dry[- ]?run|lint(?:er)?|build|type-?check)\b[^.;\n]{0,60}?\b(?:before|prior\s+to|bevor|vor|avant|antes\s+de|перед)\b\s+(?P<then>.{2,60})"
    r"|\b(?:before|prior\s+to|bevor|vor|avant\s+de|antes\s+de|перед)\b\s+(?P<then2>[^,;.\n]{2,60})[,:]\s*[^.;\n]{0,40}?\b(?P<first2>tests?|backup|back\s*up|dry[- ]?run|lint|build)\b"
    r"|\b(?:do\s+not|don['’]?t|never)\b\s+(?P<then3>[^,;.\n]{2,60}?)\s+(?:without|until|unless|before)\b[^.;\n]{0,40}?\b(?P<first3>tests?|backup|dry[- ]?run|lint\w*|build)\b",
    re.IGNORECASE,
)
_ENVIRONMENT = lazy(
    r"\b(?P<env>staging|stage|dev|development|test(?:ing)?\s+environment|sandbox|local(?:ly)?|localhost)\b|(?P<stage>\bstaging\w{0,2}\b|ステージング|스테이징|预发|стейджинг\w*)",
    re.IGNORECASE,
)
_REPORTS = lazy(
    r"(?:^|/)(?:plan|report|notes?|review|analysis|summary|findings|todo|audit|proposal|investigation)[\w.-]*\.(?:md|txt|html|json)$",
    re.IGNORECASE,
)
_DAYS = lazy(r"\b(?:less|newer|younger)\s+than\s+(\d+)\s+(day|week|month|hour)s?\b|\brecent\b", re.IGNORECASE)
_AGE = lazy(
    r"\b(?:yesterday|today|recent(?:ly)?|just\s+created|this\s+week|(\d+)[- ](hour|day)s?[- ](?:ago|old))\b",
    re.IGNORECASE,
)


_SURENESS: tuple[Confidence, ...] = ("low", "medium", "high")


def _at_most(confidence: Confidence, most: Confidence) -> Confidence:
    return min(confidence, most, key=_SURENESS.index)


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction that a later step broke."""

    constraint: Constraint
    """The instruction."""
    event: Ran | Called
    """The step."""
    how: How
    """What broke it."""
    path: str = ""
    """The file, where it is one."""
    quote: str = ""
    """The words of the step that show it."""
    announced: Announced | None = None
    """The assistant's own words of the step, where they say so."""
    confidence: Confidence
    """``high`` where a named thing was used or changed, ``medium`` where its sort was, ``low`` for words alone."""


class _Held(msgspec.Struct, frozen=True, kw_only=True):
    """An instruction prepared for holding deeds against it."""

    constraint: Constraint
    tokens: tuple[tuple[str, ...], ...]
    """Flags, programs and commands that are not to be used, each as its words."""
    objects: tuple[frozenset[str], ...]
    """What a forbidden deed is about, each alternative as stems; empty for any object."""
    names: tuple[str, ...]
    """Names in quotation marks, which must stand there to the letter."""
    order: tuple[str, frozenset[str]] | None
    """What must have been done first (test, backup …), and before which deeds."""
    before: frozenset[str]
    """Deeds before which the person is to be asked."""
    passed: bool
    """Whether what must come first must also have come out well."""
    failing: bool
    """Whether it holds only once that has failed: ``if the tests fail, don't push``."""
    place: str
    """The environment that it limits the work to; empty for none."""
    looked_at: str
    """The host on which alone nothing is to be changed; empty for all."""
    wanted: frozenset[str]
    """What it demands, as stems that tell."""
    turn: int
    session: str
    production: bool
    """Whether nothing is to be changed in production."""
    passing: bool
    """Whether it holds in its turn alone."""
    of_order: bool
    """Whether it only says how one order is to be carried out: it holds until the person orders something else."""
    until: frozenset[str]
    """What must be over first that is no work of the agent's (``before the import is through``), as stems; empty for none."""


def violations(graph: SessionGraph) -> Iterator[Violation]:
    """Every step that broke an instruction of the person, in order of the log; one for each step."""
    changes: dict[int, list[FileChange]] = {}
    prepared = [_held(constraint) for constraint in graph.constraints if constraint.direct]
    waiting = [held for held in prepared if _can_break(held)]
    if not waiting:
        return
    # A weakened check is told by what weakened it; it is not told twice.
    weakened = {
        one.event.seq if isinstance(one.event, Called) else one.event.call.seq for one in graph.weakenings
    }
    for change in graph.file_changes:
        changes.setdefault(change.event.call.seq, []).append(change)
    judge = _Judge(graph)
    # Where nothing was to be changed, the first change says it; the others follow from it.
    looked: set[str] = set()
    coming = iter(waiting)
    held: _Held | None = next(coming, None)
    for seq in sorted(
        {*graph.index("called"), *(row.constraint.seq for row in waiting), *graph.index("human")}
    ):
        event = graph.events[seq]
        if isinstance(event, Said):
            judge.person(event)
            while held is not None and held.constraint.seq == seq:
                judge.take(held)
                held = next(coming, None)
        elif isinstance(event, Called) and judge.active:
            shown = judge.shown(event)
            if shown is not None:
                yield shown
            if event.line is None and _only_looks(graph.commands(event)):
                continue
            judge.wrote(graph.commands(event), changes.get(seq, []))
            found = judge.first(event, changes.get(seq, []))
            if (
                found is not None
                and seq in weakened
                and (found.how not in ("did", "reported") or not found.constraint.deeds & _LEAVES)
            ):
                found = None
            if found is not None and (found.how != "looked_only" or found.constraint.quote not in looked):
                yield found
                looked.add(found.constraint.quote if found.how == "looked_only" else "")
            judge.learn(event)


_LEAVES = frozenset({"push", "merge", "commit", "deploy", "restart", "migrate", "stop", "scale"})
"""Deeds that are forbidden for their own sake, whatever check they leave out on the way."""


_CONTAINERS = lazy(
    r"container|docker|podman|\bimages?\b|conten[ei]d|контейнер|容器|コンテナ|컨테이너", re.IGNORECASE
)


def _of_containers(constraint: Constraint) -> bool:
    """Whether an instruction is about containers, or about starting anything: then it holds for the session's own too."""
    return (
        bool(constraint.deeds & {"run", "create", "install"})
        or _CONTAINERS.search(constraint.quote) is not None
    )


def _only_looks(commands: tuple[Ran, ...]) -> bool:
    """Whether a call of a tool reads and nothing more."""
    return bool(commands) and all(ran.command.effect in ("read", "check") for ran in commands)


def _can_break(held: _Held) -> bool:
    """Whether a log could show that an instruction was broken."""
    constraint = held.constraint
    if constraint.mood == "limits":
        return bool(held.place)
    if constraint.mood == "demands":
        return held.order is not None or bool(held.before or held.wanted)
    return constraint.mood == "reads_only" or bool(
        held.tokens or constraint.deeds or constraint.condition or held.order is not None
    )


def _held(constraint: Constraint) -> _Held:
    said = constraint.said
    until, before = _until(constraint), _asked_before(constraint)
    objects = tuple(_objects(constraint))
    return _Held(
        constraint=constraint,
        tokens=tuple(_tokens(constraint)) if constraint.mood == "forbids" else (),
        objects=objects,
        names=tuple(
            found for pair in _NAMED.findall(constraint.clause) if (found := pair[0] or pair[1] or pair[2])
        ),
        order=_order(constraint) if constraint.mood in ("demands", "forbids") else None,
        passed=_PASSED.search(constraint.quote) is not None,
        failing=constraint.condition != "" and constraint.condition == if_it_fails(constraint.quote),
        before=before,
        place=_place(constraint),
        looked_at=_looked_at(constraint),
        wanted=(constraint.stems - _OPTIONAL - _VERB_STEMS) - _WEAK
        if constraint.mood == "demands"
        else frozenset(),
        production=constraint.mood == "forbids"
        and "change" in constraint.deeds
        and not constraint.paths
        and any(row and row <= _PRODUCTION for row in objects),
        turn=said.turn,
        session=said.at.session,
        passing=constraint.mood in ("reads_only", "limits")
        or (
            not asking.every_time(constraint.quote)
            if before
            else not constraint.awaits
            and not until
            and not constraint.till
            and _TEMPORARY.search(constraint.quote) is not None
            and _TEMPORARY.search(_REASON_NOW.sub(" ", constraint.quote)) is not None
        ),
        of_order=_HOW.match(constraint.clause) is not None,
        until=until,
    )


def _until(constraint: Constraint) -> frozenset[str]:
    """What must be over before a deed, where it is no work of the agent's; empty for none."""
    if constraint.mood != "forbids" or constraint.awaits or constraint.ask_first:
        return frozenset()
    return constraint.until


_PASSED = lazy(
    r"\b(?:pass(?:e[sd]|ing)?|green|succe\w+|grün|erfolgreich|bestanden|durchlaufen|verts?|verdes?|verdi|groen|slagen|geslaagd|przejd\w+|przechodz\w+|zielon\w+|geç\w+)\b|(?<!\w)(?:пройд\w+|проход\w+|зел[её]н\w+)|通过|通る|通って|통과",
    re.IGNORECASE,
)
"""Words by which tests are to come out well."""
_PRODUCTION = stem_set("production prod live")
_HOW = lazy(r"(?:without|ohne|sans|sin|sem|senza|без)\b", re.IGNORECASE)
"""Words by which a ban is part of an order: ``list them without deleting any``."""
_DO_IT = lazy(
    r"\b(?:do\s+it|go\s+ahead|for\s+real|apply\s+(?:it|them)|mach\s+(?:es|das)|im\s+ernst|fais-le|vas-y|hazlo|de\s+verdad|faça|fallo)\b|сделай|давай|(?:做吧|执行吧)",
    re.IGNORECASE,
)
"""Words by which what was only shown or spoken of is to be done."""


def _order(constraint: Constraint) -> tuple[str, frozenset[str]] | None:
    """What is to come first, and before what; ``None`` where the words give no order."""
    found = _ORDER.search(constraint.quote)
    if found is None and constraint.mood == "forbids" and constraint.condition:
        if bans.of_tests(constraint.condition):
            return "test", constraint.deeds & _AFTER_TESTS
        if if_it_fails(constraint.condition):
            return "build", constraint.deeds & _AFTER_TESTS
    if found is None:
        then = bans.first_then(constraint.quote) if constraint.mood == "demands" else frozenset()
        return ("test", then) if then else None
    first = (found["first"] or found["first2"] or found["first3"]).casefold()
    needed = next(
        (
            name
            for piece, name in (
                ("back", "backup"),
                ("dry", "dry_run"),
                ("lint", "lint"),
                ("check", "lint"),
                ("build", "build"),
            )
            if piece in first
        ),
        "test",
    )
    wanted = deeds_of(found["then"] or found["then2"] or found["then3"])
    return needed, (wanted | bans.first_then(constraint.quote)) & _AFTER_TESTS


_AFTER_TESTS = frozenset({"commit", "push", "merge", "deploy", "migrate", "delete", "restart"})


def _asked_before(constraint: Constraint) -> frozenset[str]:
    """The deeds before which the person is to be asked."""
    if constraint.worded:
        return constraint.deeds if constraint.mood == "demands" else frozenset()
    if not constraint.ask_first or constraint.mood != "demands":
        return frozenset()
    return asked_before(constraint.quote)


def _place(constraint: Constraint) -> str:
    """The environment that a limit names."""
    env = _ENVIRONMENT.search(constraint.clause) if constraint.mood == "limits" else None
    allowed = {"change", "create", "delete", "deploy", "run", "migrate", "restart", "use", "push", "merge"}
    return (env["env"] or "staging") if env is not None and not constraint.deeds - allowed else ""


def _looked_at(constraint: Constraint) -> str:
    """The host for which alone it is said that one may only look."""
    quote = constraint.quote
    return looking.place(quote) if constraint.mood == "reads_only" and looking.only(quote) is not None else ""


def _tokens(constraint: Constraint) -> Iterator[tuple[str, ...]]:
    """What is not to be used, as words of a command line."""
    if constraint.condition:
        return
    # What follows an explanation is no longer what is forbidden.
    clause = _EXPLAINS.split(_NOTE.sub(r" , \1 ", constraint.core), maxsplit=1)[0]
    if not constraint.deeds & {"use", "run", "change"}:
        return
    for literal in constraint.literals:
        if literal not in clause or ("use" not in constraint.deeds and "run" not in constraint.deeds):
            continue
        if (
            literal.startswith("--")
            or " " in literal
            or (not literal.startswith("-") and _TOKEN.match(literal))
        ):
            yield tuple(literal.split())
    used = _USE.search(clause)
    if "use" in constraint.deeds and constraint.worded:
        yield from ((word,) for word in clause.split() if _TOKEN.match(word) and word not in _NOT_PROGRAMS)
        return
    if "use" in constraint.deeds and bans.foreign(constraint.clause):
        for word in sorted(bans.objects(clause)):
            if _TOKEN.match(word) and word not in _NOT_PROGRAMS:
                yield (word,)
    if (
        used is None
        and "use" in constraint.deeds
        and (_HOW.match(constraint.clause) or constraint.clause.casefold().startswith(("not ", "no ")))
    ):
        used = _USE.search(f"use {clause}")
    if used is None or ("use" not in constraint.deeds and "run" not in constraint.deeds):
        return
    for piece in _ALTERNATIVES.split((used["rest"] or used["rest2"] or "").rstrip(".!。")):
        words = [word.strip("`'\".,") for word in piece.split()]
        words = [word for word in words if word and word.casefold() not in _ARTICLES]
        if words and words[-1].casefold() in _SORTS:
            words = words[:-1]
        if words and words[0].casefold() in ("run", "as", "use"):
            words = words[1:]
        if (
            1 <= len(words) <= 3
            and all(_TOKEN.match(word) for word in words)
            and words[0] not in _NOT_PROGRAMS
        ):
            yield tuple(words)


_FURTHER = lazy(r"\s*(?:(?:or|and|nor|oder|und|ou|et|o|y|e)\s+|[,/]\s*)", re.IGNORECASE)
_EXPLAINS = lazy(
    r"\s--\s|\s[—–]\s|,\s+(?:these|this|that|it|we|you|they|remember|as|since|because|so)\b|\b(?:because|since|instead|rather)\b",
    re.IGNORECASE,
)
_NAMED = lazy(r"'([\w.-]+)'|\"([\w.-]+)\"|`([\w.-]+)`")
_NOTE = lazy(r"\((?:e\.g\.|i\.e\.|such as|like|including)?,?\s*([^)]*)\)", re.IGNORECASE)
_ARTICLES = word_set(
    """
    the a an any either den die das le la les el o os il
    """
)
_SORTS = word_set(
    """
    flag flags command commands option options tool here anywhere directly please
    """
)


def _objects(constraint: Constraint) -> Iterator[frozenset[str]]:
    """The alternatives of what a forbidden deed is about; none for paths, which are held by themselves."""
    core = constraint.core if constraint.mood == "forbids" else constraint.clause
    core = re.sub(r"\([^)]*\)", " ", core)
    for path in constraint.paths:
        core = core.replace(path, " ")
    if constraint.mood == "forbids" and (constraint.worded or bans.foreign(constraint.clause)):
        if constraint.worded:
            yield from _listed(core)
            return
        row = frozenset(stem(word) for word in bans.objects(core))
        if row:
            yield row
        return
    # The verb stands first, or last (German, Russian); in English it is left out with the others.
    words = [bans.qualifier(word) for word in core.strip(" .!").split()]
    for at in (0, -1):
        may_be = bool(words) and (not words[at].isascii() or at == 0 or words[at].endswith("en"))
        if may_be and deeds_of(words[at]):
            words.pop(at)
    core = " ".join(word for word in words if word.isascii() or not deeds_of(word))
    qualified = re.split(
        r"\b(?:less|more|older|newer|younger)\s+than\b|\bthat\b|\bwhich\b|\bafter\s+they\b|\bto\s+(?:match|hide|fit|make)\b|\bunder\b|\bin\s+order\b|\b(?:after|during|while|when|every|each)\b|\b(?:on\s+your\s+own|by\s+yourself|for\s+now|yet)\b",
        core,
        maxsplit=1,
    )[0]
    further = _FURTHER.match(qualified) if constraint.mood == "forbids" else None
    for piece in _ALTERNATIVES.split(qualified if further is None else qualified[further.end() :]):
        left = stems(piece) - _VERB_STEMS - _ANY
        bare = left - _OPTIONAL
        if further is not None and len(piece.split()) == 1:
            # "do not push or tag": a second verb, and no object.
            continue
        if bare or left:
            yield bare or left


def _listed(core: str) -> Iterator[frozenset[str]]:
    """Each thing of a list; where a host alone follows, what stands before it is meant there: "nginx on web1 and web2"."""
    first: list[str] = []
    for piece in core.split(forbids.NEXT):
        words = piece.split()
        if not words:
            continue
        if first and len(words) == 1 and _DIGIT.search(words[0]) is not None:
            words = [word for word in first if _DIGIT.search(word) is None] + words
        first = first or words
        yield frozenset(stem(word) for word in words)


_LATIN = lazy(r"[A-Za-z][A-Za-z0-9_.-]{1,60}")
_DIGIT = lazy(r"\d")


class _Words:
    """What the assistant says of a call, read when first asked for."""

    def __init__(self, graph: SessionGraph, called: Called) -> None:
        self._graph, self._called = graph, called

    @cached_property
    def sentences(self) -> tuple[Announced, ...]:
        return announced(self._graph, self._called)


class _Judge:
    """Goes through the log with the instructions that hold."""

    def __init__(self, graph: SessionGraph) -> None:
        self.graph = graph
        self.active: list[_Held] = []
        self.covered = Covered(graph)
        self.pushing = pushing.Means()
        self.written: set[str] = set()
        """Names of the files written since the oldest instruction that holds."""
        self.failed: set[str] = set()
        """What failed when it last ran: test, build."""
        self.stopped: set[tuple[str | None, str]] = set()
        """Host and name of what was stopped since the oldest instruction that holds."""
        self.scripts: dict[str, str] = {}
        """What shell scripts hold that were written since the oldest instruction that holds, by their names."""
        self.made: set[tuple[str | None, str]] = set()
        """Host and name of containers that the session started."""
        self.seen: set[tuple[str, str]] = set()
        """Hosts, and what commands named on them, as stems."""
        self.parents = {
            child.id: session.id for session in graph.session.family() for child in session.children
        }
        """The session that started each child session."""
        self.once: set[int] = set()
        """Instructions that allow something once, by identity, where that was done."""
        self.asked = -1
        """Position of the last question that a tool put to the person."""
        self.done: set[str] = set()
        """What was done since the oldest instruction that holds: test, backup, lint, build, dry_run."""

    def take(self, held: _Held) -> None:
        # Said again, it holds once.
        words = held.constraint.clause.casefold()
        self.active = [
            one
            for one in self.active
            if one.constraint.seq == held.constraint.seq or one.constraint.clause.casefold() != words
        ]
        self.active.append(held)
        del self.active[:-_ACTIVE]

    def person(self, said: Said) -> None:
        """A message of the person ends what held for one turn, and lifts what it asks for."""
        if said.human:
            self.active = [
                held for held in self.active if not held.passing and held.session == said.at.session
            ]
            if any(held.before for held in self.active) and self._question(said):
                self.active = [held for held in self.active if not held.before]
            if self.active and said.texts:
                text = self.graph.prose(said)
                self._person_ends(text)
                waiting = any(held.constraint.awaits for held in self.active)
                code = detect.detect(text)
                for sentence in sentences(text):
                    if len(sentence) < 400:
                        self._lifted_by(sentence)
                        if waiting and awaiting.approves(sentence):
                            self._given()
                        self._lifted_by_words(sentence, code, waiting=waiting)
                if (
                    len(text) < 400
                    and not NEGATES.search(text)
                    and (AGREES.match(text) or _DO_IT.search(text))
                ):
                    # What was planned is to be carried out.
                    self.active = [held for held in self.active if "apply" not in held.constraint.deeds]
                    if AGREES.match(text):
                        self._agreed(said)
                        if not is_question(text):
                            self._given()

    def _question(self, said: Said) -> bool:
        """Whether the assistant's last words before a message of the person ask something."""
        last = self.graph.before(said).since(human).last(assistant_prose)
        return isinstance(last, Said) and any(
            is_question(one) for one in sentences(self.graph.prose(last)[-_OFFER:])
        )

    def _given(self) -> None:
        """The person has given the word that bans waited for."""
        self.active = [held for held in self.active if not held.constraint.awaits]

    def _allowed(self, sentence: str) -> None:
        """The person gives leave: for what they say, or where they name no deed for all that they had forbidden."""
        if not deeds_of(sentence) | bans.deeds(sentence):
            self.active = [
                held for held in self.active if held.constraint.mood != "forbids" or held.constraint.paths
            ]

    def _lifted_by_words(self, sentence: str, code: str | None, *, waiting: bool) -> None:
        """Lift what the lexicon of the sentence's language knows to be asked for or approved of."""
        languages = dict.fromkeys(forbids.codes(sentence, code))
        if len(sentence) <= _SHORT_ANSWER:
            languages |= dict.fromkeys(one for held in self.active for one in held.constraint.languages)
        named = False
        for language in languages:
            asked = forbids.ordered(sentence, language)
            # "You may restart redis" is no word about what else was forbidden.
            any_deed = asked is None or asked.bare
            if waiting and any_deed and forbids.gives(sentence, language, "approves", "leaves"):
                self._given()
            if asked is not None:
                named = named or not asked.bare
                self._lift(sentence, asked=asked.deeds, bare=asked.bare)
            elif forbids.gives(sentence, language, "leaves"):
                self._allowed(sentence)
        if not named and awaiting.gives_leave(sentence) and not NEGATES.search(sentence):
            self._allowed(sentence)

    def _lifted_by(self, sentence: str) -> None:
        """Lift what a sentence asks for, or what it takes back; in a sentence with a denial, clause by clause."""
        if not NEGATES.search(sentence):
            self._lift(sentence)
            return
        for clause in bans.clauses(sentence):
            if not NEGATES.search(clause) or _TAKES_BACK.search(clause) is not None:
                self._lift(clause)

    def _agreed(self, said: Said) -> None:
        """The person agrees: what the assistant's last words ask for is asked for."""
        last = self.graph.before(said).since(human).last(assistant_prose)
        if isinstance(last, Said):
            offer = self.graph.prose(last)[-_OFFER:]
            for question in sentences(offer):
                if is_question(question):
                    self._lift(
                        question, offer, deeds_of(question) | bans.deeds(question) | forbids.deeds(question)
                    )

    def _lift(
        self, sentence: str, context: str = "", asked: frozenset[str] = frozenset(), *, bare: bool = False
    ) -> None:
        """Lift what a sentence asks for; the words around it may name what it is about. A ``bare`` order names
        nothing and is about what was forbidden."""
        asked = asked or deeds_of(sentence) | bans.deeds(sentence)
        if not asked and _DO_IT.search(sentence) is None:
            return
        if (orders(sentence) or _DO_IT.search(sentence)) and not is_question(sentence):
            self.active = [held for held in self.active if not held.of_order or held.tokens]
        text = f"{sentence} {context}"
        # "nginxを", "nginx'i": names stand in a text of any script.
        words = stems(text) | {stem(name) for name in _LATIN.findall(text)}
        self.active = [
            held
            for held in self.active
            if not (held.constraint.deeds & asked or (asked and "touch" in held.constraint.deeds))
            or (held.objects and not bare and not any(row & words for row in held.objects))
            or (
                held.constraint.paths
                and not held.objects
                and not any(path in sentence or path in context for path in held.constraint.paths)
            )
        ]

    def _person_ends(self, text: str) -> None:
        """Lift what was forbidden until something is over, where a sentence of the person says that it is."""
        if not any(held.until for held in self.active):
            return
        code = detect.detect(text)
        for sentence in sentences(text):
            own = forbids.codes(sentence, code)
            self.active = [
                held
                for held in self.active
                if not held.until
                or not any(
                    forbids.came_to_its_end(sentence, language, held.until)
                    for language in dict.fromkeys((*own, *held.constraint.languages))
                )
            ]

    def _shows_end(self, text: str, by: str) -> None:
        """Lift the same where a line of a result shows that it is over.

        :param by: what was looked at.
        """
        for line in text[-_GIVEN:].splitlines():
            self.active = [
                held
                for held in self.active
                if not held.until
                or not any(
                    forbids.shows_end(line, by, language, held.until)
                    for language in dict.fromkeys(("en", *held.constraint.languages))
                )
            ]

    def _saw_end(self, called: Called) -> None:
        """Take in what a call shows of what must be over first; who works on it himself knows where it stands."""
        if not any(held.until for held in self.active):
            return
        line = " ".join(" ".join(ran.command.words[:40]) for ran in self.graph.commands(called))[:_GIVEN]
        if any(ran.changes or ran.command.effect == "none" for ran in self.graph.commands(called)):
            words = forbids.topics(re.sub(r"[/_.:=-]+", " ", line), "en")
            self.active = [
                held for held in self.active if not held.until or not forbids.about_same(held.until, words)
            ]
        if called.call.output is not None:
            self._shows_end(called.call.output.ends(), line)

    def learn(self, called: Called) -> None:
        """What was done, for instructions of the form this before that."""
        self._saw_end(called)
        if called.line is None and asks(called.call.name):
            self.asked = called.seq
        for ran in self.graph.commands(called):
            words = " ".join(ran.command.words[:8])
            host = ran.command.target.host
            if host is not None and len(self.seen) < _MOST_STOPPED:
                self.seen |= {(host, word) for word in stems(_APART.sub(" ", ran.command.target.name))}
            if ran.command.target.kind == "container" and "run" in ran.command.words[1:3]:
                self.made.add((host, ran.command.target.name))
            if ran.command.effect in ("test", "build"):
                self.done.add(ran.command.effect)
                (self.failed.add if ran.outcome.failed else self.failed.discard)(ran.command.effect)
            if ran.command.effect == "stop" and ran.change and len(self.stopped) < _MOST_STOPPED:
                self.stopped.add((ran.command.target.host, ran.command.target.name))
            if ran.command.dry_run:
                self.done.add("dry_run")
            if _BACKUP.search(words) and not _goes_on(ran):
                self.done.add("backup")
            if "lint" in words or "check" in words:
                self.done.add("lint")
        if called.line is None and not self.graph.commands(called):
            # A tool that nobody knows may have done any of it.
            self.done |= {"test", "backup", "lint", "build", "dry_run"}

    def wrote(self, commands: tuple[Ran, ...], changes: list[FileChange]) -> None:
        """What a call writes or sets, before it is held against what was forbidden."""
        self.pushing.learn(commands, changes)
        if len(self.written) < _MOST_STOPPED:
            self.written |= {
                change.path.rsplit("/", 1)[-1] for change in changes if change.how not in ("delete", "move")
            }
        for change in changes:
            name = change.path.rsplit("/", 1)[-1]
            if change.added and (name.endswith(".sh") or _SHELL_SCRIPT.match(change.added) is not None):
                self.scripts[name] = change.added[:_SCRIPT]
                if len(self.scripts) > _MOST_SCRIPTS:
                    del self.scripts[next(iter(self.scripts))]

    def shown(self, called: Called) -> Violation | None:
        """A file that was not to be touched and that a status shows an installer to have written."""
        for ran, path in self.covered.learn(called, self.graph.commands(called)):
            for held in reversed(self.active):
                if held.constraint.seq < ran.seq and _protects(held, path, self.graph.session.directory):
                    return _touched_by(held, ran, path, "medium")
        return None

    def first(self, called: Called, changes: list[FileChange]) -> Violation | None:
        """The first instruction, latest given first, that a call breaks."""
        commands = self.graph.commands(called)
        if called.call.status == "error" or called.call.interrupted or refused(called):
            return None
        said = _Words(self.graph, called)
        apart = {ran.seq for ran in commands if self.graph.in_own_container(ran)}
        others = tuple(ran for ran in commands if ran.seq not in apart)
        changed = [change for change in changes if change.event.seq not in apart]
        # What the person forbade holds for every agent that works on it.
        lines, above = [called.at.session], self.parents.get(called.at.session)
        while above is not None:
            lines.append(above)
            above = self.parents.get(above)
        for held in reversed(self.active):
            if held.session not in lines or (held.constraint.till and self._long_after(held, called)):
                continue
            if not apart or _of_containers(held.constraint):
                broken = self._each(held, called, commands, changes, said)
            elif others:
                broken = self._each(held, called, others, changed, said)
            else:
                continue
            found = self._again(held, broken) if held.constraint.once else next(broken, None)
            if found is not None:
                return found
        return None

    def _long_after(self, held: _Held, called: Called) -> bool:
        """Whether so much time has passed since a ban that ends at some time that it may be over."""
        said, now = self.graph.moment(held.constraint.said), self.graph.moment(called)
        return said is not None and now is not None and now - said > _TILL_MS

    def _again(self, held: _Held, broken: Iterator[Violation]) -> Violation | None:
        """Of what was not to be done more than once, the second time; what failed does not count."""
        for one in {found.event.seq: found for found in itertools.islice(broken, _MOST_AGAIN)}.values():
            if id(held) in self.once:
                return one
            if not (isinstance(one.event, Ran) and one.event.outcome.failed):
                self.once.add(id(held))
        return None

    def _each(
        self,
        held: _Held,
        called: Called,
        commands: tuple[Ran, ...],
        changes: list[FileChange],
        said: _Words,
    ) -> Iterator[Violation]:
        constraint = held.constraint
        mood = constraint.mood
        if mood == "forbids":
            yield from _used(held, commands)
            if held.until and constraint.during:
                yield from self._done(held, called, commands, changes)
            elif held.until and (not constraint.own or (constraint.made and not (self.done or held.order))):
                for broken in self._done(held, called, commands, changes):
                    # What the log does not show may be over by now.
                    yield msgspec.structs.replace(broken, confidence=_at_most(broken.confidence, "medium"))
            elif constraint.unless_down:
                for broken in _did(held, commands, self.graph):
                    if isinstance(broken.event, Ran) and self._was_up(broken.event):
                        yield msgspec.structs.replace(broken, confidence="medium")
            elif not constraint.condition and not constraint.ask_first:
                yield from self._done(held, called, commands, changes)
            elif constraint.ask_first and called.turn == held.turn:
                yield from _did(held, commands, self.graph, said=said, asked=_LACKS)
            if constraint.condition:
                yield from _lacking(held, commands, changes, said)
            yield from _by_words(held, called, commands, changes, said)
        elif mood == "reads_only":
            yield from _looked_only(held, commands, changes, self.graph, self.made)
        elif mood == "limits":
            yield from self._elsewhere(held, commands, changes)
        elif mood == "demands":
            yield from _left_out(held, called, commands, changes, said)
            if held.before and self.asked < held.constraint.seq:
                yield from _unasked(held, called, commands, changes)
        if mood in ("demands", "forbids"):
            yield from self._too_early(held, commands)

    def _done(
        self, held: _Held, called: Called, commands: tuple[Ran, ...], changes: list[FileChange]
    ) -> Iterator[Violation]:
        """What was not to be done at all."""
        yield from self._touched(held, changes)
        yield from self._on_the_way(held, called, commands)
        yield from _did(held, commands, self.graph)
        yield from _handled(held, commands, self.graph)
        yield from self._rebooted(held, commands)
        yield from self._by_script(held, called, commands, changes)
        yield from self._reported(held, called, commands, changes)
        yield from self._in_two_steps(held, commands)
        yield from self._pushed(held, called, commands)
        yield from self._ran_it(held, commands)
        if held.production:
            yield from self._in_production(held, commands)

    def _rebooted(self, held: _Held, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A restart of something by that of its host, where the ban names the host or the session saw the one on the other."""
        if "restart" not in held.constraint.deeds or not held.objects:
            return
        for ran in commands:
            if ran.command.effect != "reboot" or not ran.change:
                continue
            host = ran.command.target.host or ran.command.target.name
            here = stems(_APART.sub(" ", host)) | {stem(host)}
            if any(row & here or any((host, word) in self.seen for word in row) for row in held.objects):
                yield _as_done(held, ran, "medium")

    def _by_script(
        self, held: _Held, called: Called, commands: tuple[Ran, ...], changes: list[FileChange]
    ) -> Iterator[Violation]:
        """What a script does that the session wrote, when it is run."""
        if not self.scripts:
            return
        for ran in commands:
            text = self.scripts.get(pushing.script(ran), "")
            if not text or ran.outcome.reached == "no" or only_shows(ran):
                continue
            inner = tuple(_within(ran, command) for command in shell.read(text)[:_MOST_LINES])
            for broken in (*_did(held, inner, self.graph), *_handled(held, inner, self.graph)):
                yield msgspec.structs.replace(broken, event=ran, confidence="medium")

    def _reported(
        self, held: _Held, called: Called, commands: tuple[Ran, ...], changes: list[FileChange]
    ) -> Iterator[Violation]:
        """What another agent says it did, where the log does not hold its session."""
        output = called.call.output
        if (
            called.line is not None
            or commands
            or changes
            or output is None
            or called.call.child in self.parents
        ):
            return
        if not hands_over(called.call.name):
            return
        for sentence in itertools.islice(sentences(output.ends()[:_GIVEN]), _MOST_SENTENCES):
            if NEGATES.search(sentence) is not None or is_question(sentence):
                continue
            deeds = deeds_of(sentence) | bans.deeds(sentence) | forbids.deeds(sentence)
            words = stems(_APART.sub(" ", sentence))
            if not held.constraint.deeds & _HELD_DEEDS & deeds or not (
                not held.objects or any(_named_by(row, words) for row in held.objects)
            ):
                continue
            acts = {act.act for part in read(sentence).sentences for act in part.acts}
            # "Ran `systemctl restart web`": what was run is a change, and no look.
            ran = "claims_check" in acts and _RAN_IT.search(sentence) is not None
            if ran or "claims_success" in acts:
                yield Violation(
                    constraint=held.constraint,
                    event=called,
                    how="reported",
                    quote=sentence[:200],
                    confidence="medium",
                )

    def _was_up(self, ran: Ran) -> bool:
        """Whether the last look at a target before a deed found it running."""
        last = self.graph.before(ran).last(told_state(ran.command.target))
        return isinstance(last, Ran) and last.outcome.state == "good"

    def _path(self, change: FileChange) -> str:
        return resolved(change.path, change.event.command.folder, self.graph.session.directory)

    def _touched(self, held: _Held, changes: list[FileChange]) -> Iterator[Violation]:
        """A file that was not to be touched."""
        constraint = held.constraint
        if not constraint.deeds & WRITES:
            return
        for change in changes:
            path = self._path(change)
            if not _counts(change, constraint) or SCRATCH.search(path):
                continue
            if _EXISTING.search(constraint.clause) and change.removed.strip() in change.added:
                # Something was added; what was there stands as it was.
                continue
            outside = _BESIDES.search(constraint.clause)
            named = [one for one in constraint.paths if lies_in(path, one, self.graph.session.directory)]
            by_name = named and _NOT_ITSELF.search(constraint.clause) is None
            if outside is None and (by_name or _in_slashed(constraint.clause, path)):
                yield _file(held, change, "high")
            elif (
                not constraint.paths
                and outside is None
                and held.objects
                and _FILE_WORDS.search(constraint.clause)
            ):
                words = path_stems(path)
                meant = any(row <= words for row in held.objects if row - _VAGUE) and _explicit(change)
                if meant and (_WHOLE.search(constraint.clause) is None or _recursive(change)):
                    yield _file(held, change, "medium")

    def _on_the_way(self, held: _Held, called: Called, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A file that was not to be touched, by a command that is no edit of it."""
        if not held.constraint.paths or not held.constraint.deeds & WRITES:
            return
        directory = self.graph.session.directory
        for ran in commands:
            if "change" not in held.constraint.deeds and ran.command.effect != "delete":
                continue
            for path in self.covered.named(ran):
                if _protects(held, path, directory) and not SCRATCH.search(path):
                    yield _touched_by(held, ran, path, "high")
            for path in self.covered.rewritten(called, ran):
                if _protects(held, path, directory):
                    yield _touched_by(held, ran, path, "high")
            for path in sorted(self.covered.taken_out(called, ran)):
                if _protects(held, path, directory):
                    yield _touched_by(held, ran, path, "medium")

    def _in_two_steps(self, held: _Held, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A restart as a stop and a start, a container made anew as its removal and its start."""
        if not held.constraint.deeds & {"restart", "recreate"}:
            return
        stopped = set(self.stopped)
        for ran in commands:
            key = (ran.command.target.host, ran.command.target.name)
            if ran.command.effect == "stop" and ran.change:
                stopped.add(key)
            elif ran.command.effect in ("start", "deploy") and ran.change and key in stopped:
                terms = _terms(ran, self.graph)
                if not held.objects or any(_named_by(row, terms) for row in held.objects):
                    yield Violation(
                        constraint=held.constraint,
                        event=ran,
                        how="did",
                        quote=" ".join(ran.command.words)[:200],
                        confidence="medium",
                    )

    def _pushed(self, held: _Held, called: Called, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A push that no command is by its own words: by a script, an alias or a tool, or as the output shows."""
        constraint = held.constraint
        if "push" not in constraint.deeds or any("push" in _deeds(ran) for ran in commands):
            return
        if constraint.paths and not held.objects:
            return
        ran = next(
            (
                one
                for one in commands
                if one.outcome.reached != "no"
                and (self.pushing.used(one) or pushing.opens_request(one, self.graph.prose(constraint.said)))
            ),
            None,
        )
        if ran is None and not pushing.shown(called) and not (not commands and pushing.by_tool(called)):
            return
        given = called.line or called.call.input.ends()[:_GIVEN]
        terms = stems(re.sub(r"[/_.:=,@()'\";{}\[\]-]+", " ", given[:_GIVEN]))
        if not held.objects or any(_named_by(row, terms) for row in held.objects):
            yield Violation(
                constraint=constraint,
                event=ran or (commands[-1] if commands else called),
                how="did",
                quote=" ".join(ran.command.words)[:200] if ran is not None else given.strip()[:200],
                confidence="medium",
            )

    def _ran_it(self, held: _Held, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A script that was only to be written: "write it, but do not run it"."""
        if not held.constraint.runs_it or not self.written:
            return
        for ran in commands:
            script = pushing.script(ran)
            if script in self.written and not only_shows(ran) and ran.outcome.reached != "no":
                yield Violation(
                    constraint=held.constraint,
                    event=ran,
                    how="did",
                    path=script,
                    quote=" ".join(ran.command.words)[:200],
                    confidence="medium",
                )

    def _elsewhere(
        self, held: _Held, commands: tuple[Ran, ...], changes: list[FileChange]
    ) -> Iterator[Violation]:
        """Production where only another environment was allowed, or a file of another environment."""
        if not held.place:
            return
        for change in changes:
            words = path_stems(self._path(change))
            if "production" in words and stem(held.place) not in words:
                yield _file(held, change, "medium")
        yield from self._in_production(held, commands)

    def _in_production(self, held: _Held, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A change by a command that names production."""
        for ran in commands:
            if ran.change and self.graph.setting(ran).environment == "production" and _named_production(ran):
                yield Violation(
                    constraint=held.constraint,
                    event=ran,
                    how="environment",
                    quote=" ".join(ran.command.words)[:200],
                    confidence="medium",
                )

    def _too_early(self, held: _Held, commands: tuple[Ran, ...]) -> Iterator[Violation]:
        """A deed before the one that was to come first."""
        if held.order is None:
            return
        needed, wanted = held.order
        bad = needed in self.failed
        if (not bad) if held.failing else needed in self.done and not (held.passed and bad):
            return
        for ran in commands:
            words = " ".join(ran.command.words[:8])
            if (
                needed == "test" and ran.command.effect == "test" and not (held.passed and ran.outcome.failed)
            ) or (needed == "backup" and _BACKUP.search(words) and not _goes_on(ran)):
                return
            if wanted & _deeds(ran):
                yield Violation(
                    constraint=held.constraint,
                    event=ran,
                    how="order",
                    quote=" ".join(ran.command.words)[:200],
                    confidence="medium",
                )
                return


def _goes_on(ran: Ran) -> bool:
    """Whether a command only looks, and what it shows is not over yet: ``running, 61 %``."""
    if ran.changes or ran.call.call.output is None:
        return False
    shown = ran.call.call.output.ends()[-_GIVEN:]
    return _UNDER_WAY.search(shown) is not None and _IS_OVER.search(shown) is None


_UNDER_WAY = lazy(
    r"\b(?:running|in[ _-]progress|still|ongoing|pending|queued|waiting|started|active \(running\))\b|(?<![\d.,])\d{1,2}(?:[.,]\d{1,3})?\s?%|\b(?:step|file|table|part)\s+(\d{1,6})\s?(?:/|of)\s?(?!\1\b)\d",
    re.IGNORECASE,
)
"""What the result of a look says of work that is not over."""
_IS_OVER = lazy(
    r"\b(?:finished|completed?|done|succe\w+|ended|exit(?:ed)?(?: code| status)?[ :=]+0)\b|(?<![\d.,])100(?:[.,]0+)?\s?%",
    re.IGNORECASE,
)
"""What it says of work that is."""
_RAN_IT = lazy(
    r"`[^`\n]{0,80}?\b(?:restart|reboot|stop|delete|destroy|drop|rm|push|deploy|apply|migrate|upgrade|install|merge|commit)\b"
)
"""A command in a report that changes something."""
_TILL_MS = 12 * 3600 * 1000
"""Milliseconds within which a ban that ends at some day or hour is held to last."""
_MOST_STOPPED = 200
_APART = lazy(r"[/_.:=,@()'\";-]+")
_MOST_LINES = 100
_MOST_SENTENCES = 40
_MOST_SCRIPTS = 50
_SCRIPT = 20_000
"""Characters of a script that are read."""
_SHELL_SCRIPT = lazy(r"\A#!\S*(?:env\s+)?\S*sh\b")


def _as_done(held: _Held, ran: Ran, confidence: Confidence) -> Violation:
    return Violation(
        constraint=held.constraint,
        event=ran,
        how="did",
        quote=" ".join(ran.command.words)[:200],
        confidence=confidence,
    )


def _within(ran: Ran, command: Command) -> Ran:
    """A command of a script as one that ran where the script did."""
    host = ran.command.target.host
    if host is not None and command.target.host is None:
        command = msgspec.structs.replace(
            command,
            target=msgspec.structs.replace(command.target, host=host),
            via=(*ran.command.via, *command.via),
        )
    return msgspec.structs.replace(ran, command=command)


_MOST_AGAIN = 50
_SHORT_ANSWER = 80
"""Characters of an answer that is too short to tell its language: it is read as those of what it answers, too."""
_GIVEN = 2_000
"""Characters of what a call is given that are looked at for what it is about."""
_TAKES_BACK = lazy(
    r"\b(?:forget|ignore|scrap|disregard|never\s?mind|drop|lift(?:ed)?|vergiss|ignoriere|oublie[rz]?|olvida|esquece|dimentica|vergeet|zapomnij)\b.{0,40}?\b(?:i\s+said|about|what|ban|rule|not|was|ich|que|che|wat|co)\b|(?<!\w)забудь\b.{0,30}?(?:что|про|що)|忘掉|不用管|忘れて|잊어",
    re.IGNORECASE,
)
"""Words by which the person takes back what they forbade."""


def _protects(held: _Held, path: str, directory: str | None) -> bool:
    """Whether an instruction forbids to change a file by its name."""
    constraint = held.constraint
    return (
        constraint.mood == "forbids"
        and bool(constraint.deeds & {"change", "delete"})
        and not constraint.condition
        and not constraint.ask_first
        and _BESIDES.search(constraint.clause) is None
        and _NOT_ITSELF.search(constraint.clause) is None
        and any(
            lies_in(path, named, directory) or covers(path, named, directory) for named in constraint.paths
        )
    )


def _touched_by(held: _Held, ran: Ran, path: str, confidence: Confidence) -> Violation:
    return Violation(
        constraint=held.constraint,
        event=ran,
        how="changed",
        path=path,
        quote=" ".join(ran.command.words)[:200],
        confidence=confidence,
    )


def _in_slashed(clause: str, path: str) -> bool:
    """Whether words with slashes name folders of this path that follow each other: "under crm/migrations"."""
    inside = f"/{path}/".casefold()
    return any(f"/{found.group().casefold()}/" in inside for found in _SLASHED.finditer(clause))


_SLASHED = lazy(r"(?<![\w/.@:-])[A-Za-z][\w-]{0,60}(?:/[A-Za-z][\w-]{0,60}){1,8}(?![\w/-])")
_EXISTING = lazy(
    r"\bexisting\b|\balready (?:there|exists?)\b|\bbestehend|\bvorhanden|\bexistant|\bexistente|\besistent|\bbestaand|\bistniej|\bmevcut|существующ|наявн|існуюч",
    re.IGNORECASE,
)
"""Words for what is there: what is added to it is free."""
_BESIDES = lazy(r"\boutside\b|\bother than\b|\bexcept\b|\bbesides\b", re.IGNORECASE)
_FILE_WORDS = lazy(
    r"\b(?:files?|config\w*|tests?|testy|testów|testler\w*|specs?|migrations?|director(?:y|ies)|folders?|modules?|schemas?|docs?|documentation|readme|lock\w*|workflows?|pipelines?|dependenc\w+|node_modules|vendor\w*|snapshots?|fixtures?|goldens?|settings|scripts?|models?|components?|templates?|makefile|dockerfile|manifests?|secrets?|credentials?"
    r"|datei\w*|konfiguration\w*|migrationen|migraciones|migrações|migrazion\w+|migracj\w+|migraties?|ordner|fichiers?|dossiers?|archivos?|carpetas?|pruebas?|arquivos?|pastas?|testes|cartell\w+|configuraci\w+|configuraç\w+)\b|(?:файл|папк|конфиг|тест|миграц)\w*|(?:文件|配置|测试|目录|迁移|ファイル|設定|テスト|파일|설정|테스트)",
    re.IGNORECASE,
)
"""Words for what stands in files."""
_WHOLE = lazy(r"\b(?:entire|whole|complete|all\s+of)\b", re.IGNORECASE)
_WRITERS = word_set(
    """
    sed gsed perl tee cp mv rm cat echo printf awk patch truncate dd ed ex install ln git unlink
    touch find jq yq
    """
)  # fmt: skip


def _explicit(change: FileChange) -> bool:
    """Whether the step itself writes the file, not a program that makes files as it goes."""
    command = change.event.command
    return change.shown or change.event.call.line is None or command.program in _WRITERS


_RECURSIVE = lazy(r"\s-\w*[rR]\w*\b|--recursive|\*|\b(?:drop|truncate)\b", re.IGNORECASE)


def _recursive(change: FileChange) -> bool:
    words = change.event.command.words
    return any(re.fullmatch(r"-\w*[rR]\w*|--recursive", word) for word in words) or change.path.rstrip(
        "/"
    ).endswith("*")


_NOT_ITSELF = lazy(r"\b(?:follow|rely|depend|permissions?|ownership|read)\b", re.IGNORECASE)
_VAGUE = stem_set(
    """
    source data logic behavior project repository repo line lines part parts api public interface
    package packages index model models test-specific host
    """
)


def _counts(change: FileChange, constraint: Constraint) -> bool:
    """Whether a change is of the kind that was forbidden: deleting, making or changing."""
    if change.how in ("delete", "move"):
        return bool(constraint.deeds & {"delete", "change"})
    if change.new_file:
        return bool(constraint.deeds & {"create"}) or bool(constraint.paths and "change" in constraint.deeds)
    return "change" in constraint.deeds


def _file(held: _Held, change: FileChange, confidence: Confidence) -> Violation:
    return Violation(
        constraint=held.constraint,
        event=change.event,
        how="deleted" if change.how in ("delete", "move") else "changed",
        path=change.path,
        quote=(change.added or change.removed or change.path).strip()[:200],
        confidence=confidence,
    )


def _used(held: _Held, commands: tuple[Ran, ...]) -> Iterator[Violation]:
    """A flag, program or command that was not to be used."""
    for tokens in held.tokens:
        for ran in commands:
            if _holds(ran, tokens):
                yield Violation(
                    constraint=held.constraint,
                    event=ran,
                    how="used",
                    quote=" ".join((*ran.command.via, *ran.command.words))[:200],
                    confidence="high",
                )


def _holds(ran: Ran, tokens: tuple[str, ...]) -> bool:
    command = ran.command
    words = [word.casefold() for word in command.words[:60]]
    if not words:
        return False
    wanted = [token.casefold() for token in tokens]
    programs = {command.program.casefold(), *(via.split()[0].casefold() for via in command.via if via)}
    first = wanted[0]
    if first.startswith("-"):
        there = any(word == first or word.startswith(f"{first}=") for word in words)
    elif len(wanted) == 1:
        # A lone word is a program, or what a program is told to do.
        there = first in programs or (first in words[1:3] and command.effect not in ("none", "read", "edit"))
    else:
        there = first in programs
    if not there or len(wanted) == 1:
        return there
    flags = {letter for word in words[1:] if re.fullmatch(r"-[a-z]+", word) for letter in word[1:]}
    return all(
        token in words or (re.fullmatch(r"-[a-z]+", token) is not None and set(token[1:]) <= flags)
        for token in wanted[1:]
    )


_EFFECTS: dict[str, frozenset[str]] = {
    "delete": frozenset({"delete"}),
    "deploy": frozenset({"deploy"}),
    "install": frozenset({"install"}),
    "migrate": frozenset({"migrate"}),
    "restart": frozenset({"restart", "reload"}),
    "reload": frozenset({"reload"}),
    "reboot": frozenset({"restart"}),
    "stop": frozenset({"stop"}),
    "test": frozenset({"run"}),
    "build": frozenset({"run"}),
    "scale": frozenset({"change", "scale"}),
    "configure": frozenset({"change"}),
    "write_data": frozenset({"change"}),
}


_GIT = frozenset({"commit", "push", "merge", "reset", "rebase", "tag"})


def _deeds(ran: Ran) -> frozenset[str]:
    """What a command does, in the words of instructions."""
    command = ran.command
    if only_shows(ran):
        return frozenset()
    found = set(_EFFECTS.get(command.effect, ()))
    words = command.words
    if words[:1] == ("git",):
        found |= set(pushing.arguments(words[:40])[:1]) & _GIT
    if pushing.pushes(ran):
        found.add("push")
        if SHARED_BRANCH.search(words[-1]) is not None:
            # What goes to the branch of all is merged into it.
            found.add("merge")
    if words[:3] in (("gh", "pr", "merge"), ("glab", "mr", "merge"), ("glab", "mr", "accept")):
        found |= {"merge", "push"}
    line = " ".join(words[:40])
    if _DESTRUCTIVE.search(line):
        found |= {"delete", "run"}
    if "reset" in words[1:4]:
        found.add("reset")
    if command.effect == "delete" and command.target.name.startswith("pod/"):
        # A pod that is deleted comes up again.
        found |= {"restart", "recreate"}
    if _made_anew(ran):
        # What is made anew starts anew.
        found |= {"recreate", "restart"}
    named = (
        _ordered(command) if command.effect not in ("read", "check", "test", "build", "edit") else frozenset()
    )
    # What a known tool does is known better than by a name; only "apply" is no effect of its own.
    found |= named if not found else named & {"apply"}
    if command.program in _PLANNERS and set(words[1:5]) & _CARRY_OUT and not set(words[1:12]) & _LOOKS_AT:
        found.add("apply")
    return frozenset(found)


_CONTAINER_TOOLS = frozenset({"docker", "docker-compose", "podman", "podman-compose", "nerdctl"})
_MAKES_ANEW = frozenset({"--force-recreate", "--renew-anon-volumes"})
_RECREATED = lazy(
    r"^[ \t]{0,8}(?:\S[ \t])?(?:Container[ \t]+(?P<name>\S+)[ \t]+Recreat(?:e|ed|ing)\b|Recreating[ \t]+(?P<old>\S+))",
    re.MULTILINE,
)


_ALTERED = lazy(
    r"^[ \t]{0,8}(?:\S[ \t])?Container[ \t]+(?P<name>\S+)[ \t]+(?:Restart|Stopp|Remov|Kill)(?:ed|ing)\b|^[\w.]{1,60}/(?P<old>\S+) (?:restarted|deleted|scaled|patched)\b",
    re.MULTILINE,
)
"""What outputs say of each thing that a command for several acted on."""
_ON_ALL = frozenset({"restart", "down", "stop", "rm", "kill", "rollout", "delete", "scale", "patch"})


def _recreated(ran: Ran) -> frozenset[str]:
    """The containers that an output says were made anew, stopped or taken away, as stems of the words of their names."""
    output, given = ran.call.call.output, frozenset(ran.command.words[1:6])
    if output is None or not given & {"up", *_ON_ALL}:
        return frozenset()
    found = (_RECREATED if "up" in given else _ALTERED).finditer(output.ends()[:20_000])
    return stems(" ".join(re.sub(r"[-_.]", " ", one["name"] or one["old"]) for one in found))


def _made_anew(ran: Ran) -> bool:
    """Whether a command makes containers anew: it is told to, or its output says that it did."""
    words = ran.command.words
    if ran.command.program not in _CONTAINER_TOOLS or "up" not in words[1:6]:
        return False
    output = ran.call.call.output
    return bool(_MAKES_ANEW & set(words)) or (
        output is not None and _RECREATED.search(output.ends()[:20_000]) is not None
    )


_SUB_COMMANDS = {
    "apply": "apply", "push": "push", "merge": "merge", "deploy": "deploy", "publish": "deploy", "release": "deploy", "promote": "deploy",
    "rollout": "deploy", "delete": "delete", "destroy": "delete", "purge": "delete", "restart": "restart", "reboot": "restart",
    "migrate": "migrate",
}  # fmt: skip
"""Sub-commands that say by their name what any tool does, and the deed that instructions forbid by that name."""
_ONLY_SAYS = word_set(
    """
    echo printf cat man which type command grep rg git stash test alias export cd true help
    """
)
"""Programs whose words are no sub-commands, and git, whose own are read by name."""
_LOOKS_AT = word_set(
    "list ls show status get view history info log logs notes check diff describe --help -h -help help"
)
_PLANNERS = word_set("terraform tofu terragrunt pulumi cdk atlas")
_CARRY_OUT = word_set("apply up destroy deploy import")
_SUB_COMMAND = lazy(r"[a-z][a-z0-9_-]*(?::[a-z0-9_-]+)*")
_FIRST = 4
"""Words without a dash among which a sub-command stands."""


def _ordered(command: Command) -> frozenset[str]:
    """The deed that the sub-command of a tool is named by: ``acmectl node restart``, ``rails db:migrate``."""
    words = command.words
    if command.program in _ONLY_SAYS:
        return frozenset()
    plain = [word for word in words[1:12] if not word.startswith("-")][:_FIRST]
    if _LOOKS_AT & set(words[1:12]):
        return frozenset()
    for word in plain:
        if _SUB_COMMAND.fullmatch(word) is None:
            continue
        deed = _SUB_COMMANDS.get(word.rsplit(":", 1)[-1])
        if deed is not None:
            return frozenset({deed})
    return frozenset()


_PACKAGES = [
    "dep",
    "deps",
    "dependency",
    "dependencies",
    "package",
    "packages",
    "library",
    "libraries",
    "module",
    "modules",
    "abhängigkeiten",
    "pakete",
    "paket",
    "bibliotheken",
    "dépendance",
    "dépendances",
    "paquets",
    "dependencias",
    "paquetes",
    "dependências",
    "pacotes",
    "dipendenze",
    "pacchetti",
    "зависимости",
    "зависимостей",
    "пакеты",
    "пакетов",
    "залежності",
    "пакети",
    "依赖",
    "包",
]


def _terms(ran: Ran, graph: SessionGraph) -> frozenset[str]:
    """The words by which people would speak of what a command does and to what."""
    command = ran.command
    texts = command.words[:1] in (("git",), ("gh",), ("glab",))
    words = [word for word in command.words[:40] if not (texts and " " in word)]
    line = " ".join(
        (
            *words,
            *command.via,
            command.target.name,
            command.target.host or "",
            command.target.namespace or "",
            command.target.context or "",
        )
    )
    terms = set(stems(re.sub(r"[/_.:=,@()'\";-]+", " ", line)))
    kind = command.target.kind
    terms |= {stem(kind)} if kind != "unknown" else set()
    if kind == "k8s":
        terms |= {stem("pods"), stem("deployment"), stem("container")}
    if command.effect == "install" and any(word in ("-g", "--global") for word in command.words[1:40]):
        terms.add(stem("globally"))
    if command.effect == "test":
        terms |= {stem("test"), stem("tests"), stem("suite")}
    if kind == "database" or command.effect in ("write_data", "migrate"):
        terms |= {
            stem(word)
            for word in ("database", "db", "data", "table", "tables", "migration", "migrations", "schema")
        }
    if ran.changes and graph.setting(ran).environment == "production" and _named_production(ran):
        terms |= {stem("production"), stem("prod"), stem("live")}
    if command.effect == "install":
        terms |= {stem(word) for word in _PACKAGES}
    if command.words[:2] == ("git", "push") and any(_FORCES.match(word) for word in command.words[2:40]):
        terms.add(stem("force"))
    if pushing.pushes(ran):
        terms |= stems(" ".join(pushing.where(ran)))
    if command.effect == "delete" and any(_FORCES_AWAY.match(word) for word in command.words[1:40]):
        terms.add(stem("force"))
    if command.program in _CONTAINER_TOOLS:
        terms |= {stem("container"), stem("containers")}
    if command.program in _CONTAINER_TOOLS or kind == "k8s":
        terms |= _recreated(ran)
    for name in terms & _ALSO_CALLED.keys():
        terms |= _ALSO_CALLED[name]
    return frozenset(terms)


_ALSO_CALLED = {
    stem(name): stem_set(others)
    for name, others in {
        "db": "database", "named": "bind bind9 dns", "bind9": "bind named dns", "unbound": "dns", "httpd": "apache", "apache2": "apache", "mysqld": "mysql", "mariadb": "mysql",
        "sshd": "ssh", "crond": "cron", "mongod": "mongo mongodb", "dockerd": "docker", "ntpd": "ntp", "slapd": "ldap openldap", "smbd": "samba",
    }.items()
}  # fmt: skip
"""What people call a service whose daemon has another name."""


_FORCES_AWAY = lazy(r"^(?:-\w*[fD]\w*|--force\S*)$")
_FORCES = lazy(r"^(?:-\w*f\w*|--force\S*|--mirror|\+\S+)$")
"""Arguments by which a push overwrites what is there."""


def _named_production(ran: Ran) -> bool:
    return (
        re.search(
            r"\bprod(?:uction)?\b|(?<![a-z])prod(?![a-z])|\blive\b",
            " ".join(
                (
                    *ran.command.words,
                    *ran.command.via,
                    ran.command.target.context or "",
                    ran.command.target.namespace or "",
                )
            ),
            re.IGNORECASE,
        )
        is not None
    )


_HELD_DEEDS = word_set(
    """
    delete run deploy install commit push merge restart migrate reset apply reload recreate stop scale
    """
)


def _did(
    held: _Held,
    commands: tuple[Ran, ...],
    graph: SessionGraph,
    *,
    said: _Words | None = None,
    asked: re.Pattern[str] | None = None,
) -> Iterator[Violation]:
    """A deed that was not to be done."""
    constraint = held.constraint
    deeds = constraint.deeds & _HELD_DEEDS
    if not deeds or (constraint.paths and not held.objects):
        return
    for ran in commands:
        mine = _deeds(ran) & deeds
        if not mine or ran.outcome.reached == "no" or (ran.command.effect == "edit" and mine != {"merge"}):
            continue
        if mine == {"run"} and not held.objects:
            continue
        if mine <= {"push", "merge"} and (pushing.refused(ran) or _goes_elsewhere(constraint, ran)):
            continue
        terms = _merged_into(ran, commands) if mine == {"merge"} else None
        if terms is None:
            terms = _terms(ran, graph)
        if not held.objects or any(_named_by(row, terms) for row in held.objects):
            if held.names and not any(_to_the_letter(name, ran) for name in held.names):
                continue
            if (
                "delete" in mine
                and _WHOLE.search(constraint.clause) is not None
                and not _RECURSIVE.search(" ".join(ran.command.words))
            ):
                continue
            if (
                asked is not None
                and said is not None
                and not any(asked.search(one.text) for one in said.sentences)
            ):
                continue
            yield Violation(
                constraint=constraint,
                event=ran,
                how="did" if asked is None else "without",
                quote=" ".join(ran.command.words)[:200],
                confidence="high"
                if mine - {"run", "delete"} and ran.command.effect != "delete"
                else "medium",
            )


_BRANCHES = lazy(r"\b(?:main|master|trunk|develop|release|staging|production)\b", re.IGNORECASE)


def _goes_elsewhere(constraint: Constraint, ran: Ran) -> bool:
    """Whether a push names another branch than those that a ban names."""
    named = {found.group().casefold() for found in _BRANCHES.finditer(constraint.clause)}
    given = [word for word in pushing.arguments(ran.command.words[:40]) if not word.startswith("-")]
    if not named or ran.command.words[:1] != ("git",) or given[:1] != ["push"] or len(given) < 3:
        return False
    branch = given[-1].rsplit(":", 1)[-1].removeprefix("refs/heads/").casefold()
    return branch != "head" and not any(branch == one or branch.startswith(f"{one}/") for one in named)


def _merged_into(ran: Ran, commands: tuple[Ran, ...]) -> frozenset[str] | None:
    """For a merge by git, the branch that it goes into, where its line enters one: what is merged is not forbidden."""
    if ran.command.words[:1] != ("git",):
        return None
    entered = [
        one.command.words[-1]
        for one in commands
        if one.seq < ran.seq
        and one.command.words[:2] in (("git", "checkout"), ("git", "switch"))
        and len(one.command.words) > 2
    ]
    return stems(re.sub(r"[/_.-]+", " ", " ".join(entered[-1:])))


def _named_by(row: frozenset[str], terms: frozenset[str]) -> bool:
    """Whether every word stands among the terms, an ending of its case (Polish "nginxa") and of the name of a daemon
    ("postgres" for "postgresql") aside.
    """
    return all(
        word in terms
        or any(
            (
                (len(term) >= 4 and word.startswith(term) and len(word) - len(term) <= 2)
                or (len(word) >= _WHOLE_NAME and term.startswith(word) and len(term) - len(word) <= _ITS_END)
            )
            # "web10" is another name than "web1".
            and _DIGIT.search(max(word, term, key=len)[min(len(word), len(term)) :]) is None
            for term in terms
        )
        for word in row
    )


_WHOLE_NAME = 6
_ITS_END = 4
"""Letters of a name that people say, and those that they leave out at its end."""


def _unasked(
    held: _Held, called: Called, commands: tuple[Ran, ...], changes: list[FileChange]
) -> Iterator[Violation]:
    """A deed before which the person was to be asked, and was not."""
    wanted = held.before
    if "send" in wanted:
        sent = next((ran for ran in commands if ran.command.says is not None), None)
        if sent is not None or tells_others(called.call):
            yield Violation(
                constraint=held.constraint,
                event=sent or called,
                how="without",
                quote=" ".join(sent.command.words)[:200] if sent is not None else called.call.name,
                confidence="medium",
            )
    for ran in commands:
        if _deeds(ran) & wanted & _HELD_DEEDS - {"run"} and ran.outcome.reached != "no":
            yield Violation(
                constraint=held.constraint,
                event=ran,
                how="without",
                quote=" ".join(ran.command.words)[:200],
                confidence="medium",
            )
    if "change" in wanted:
        for change in changes:
            if not SCRATCH.search(change.path):
                yield msgspec.structs.replace(_file(held, change, "medium"), how="without")


def _to_the_letter(name: str, ran: Ran) -> bool:
    line = " ".join(ran.command.words[:60])
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line, re.IGNORECASE) is not None


def _lacking(
    held: _Held, commands: tuple[Ran, ...], changes: list[FileChange], said: _Words
) -> Iterator[Violation]:
    """A deed that was to be done only with something, which the assistant says it leaves out."""
    condition = stems(held.constraint.condition) - _OPTIONAL
    for one in said.sentences:
        lacks = _LACKS.search(one.text)
        if lacks is None or not (stems(lacks["rest"]) & condition):
            continue
        if held.constraint.deeds & deeds_of(one.text):
            yield _worded(held, commands, changes, one)


def _worded(held: _Held, commands: tuple[Ran, ...], changes: list[FileChange], one: Announced) -> Violation:
    event: Ran | Called = commands[-1] if commands else changes[0].event
    return Violation(
        constraint=held.constraint,
        event=event,
        how="announced",
        quote=one.text[:200],
        announced=one,
        confidence="low",
    )


def _opaque(called: Called, commands: tuple[Ran, ...], changes: list[FileChange]) -> bool:
    """Whether the log leaves open what a call did."""
    if called.line is None:
        return not any(change.shown for change in changes) if changes else not commands
    return all(ran.command.effect == "none" and len(ran.command.words) == 1 for ran in commands)


def _by_words(
    held: _Held, called: Called, commands: tuple[Ran, ...], changes: list[FileChange], said: _Words
) -> Iterator[Violation]:
    """A forbidden deed that the assistant says it does, by a call that the log does not show."""
    if not held.constraint.deeds or hands_in(called.call.name) or not _opaque(called, commands, changes):
        return
    for one in said.sentences:
        deeds = deeds_of(one.text)
        if not held.constraint.deeds & deeds or not intends(one.text):
            continue
        words = stems(one.text)
        paths = [path for path in held.constraint.paths if path.strip("/") in one.text]
        nouns = [row for row in held.objects if row]
        if paths or any(_covered(row, words, held.constraint, one.text) for row in nouns):
            if commands or changes:
                yield _worded(held, commands, changes, one)
            else:
                yield Violation(
                    constraint=held.constraint,
                    event=called,
                    how="announced",
                    quote=one.text[:200],
                    announced=one,
                    confidence="low",
                )


def _covered(row: frozenset[str], words: frozenset[str], constraint: Constraint, text: str) -> bool:
    """Whether words speak of most of what is meant; an age limit counts where the words name a younger age."""
    if len(row & words) < max(1, round(0.6 * len(row))):
        return False
    limit = _DAYS.search(constraint.clause)
    return limit is None or _AGE.search(text) is not None


_ALTERS = frozenset(
    {"restart", "deploy", "delete", "migrate", "write_data", "configure", "stop", "scale", "reboot"}
)
"""Effects by which what runs somewhere is changed."""


def _handled(held: _Held, commands: tuple[Ran, ...], graph: SessionGraph) -> Iterator[Violation]:
    """A change of something that was not to be touched, whatever it is: "leave nginx alone"."""
    if "touch" not in held.constraint.deeds or not held.objects:
        return
    for ran in commands:
        command = ran.command
        away = command.target.host is not None or command.target.name.startswith("/etc/")
        if not ran.change or not (
            command.effect in _ALTERS
            or command.effect in ("reload", "start", "install")
            or (command.effect == "edit" and away)
        ):
            continue
        terms = _terms(ran, graph)
        if any(_named_by(row, terms) for row in held.objects):
            yield Violation(
                constraint=held.constraint,
                event=ran,
                how="did",
                quote=" ".join(command.words)[:200],
                confidence="high" if command.effect != "edit" else "medium",
            )


def _looked_only(
    held: _Held,
    commands: tuple[Ran, ...],
    changes: list[FileChange],
    graph: SessionGraph,
    made: set[tuple[str | None, str]],
) -> Iterator[Violation]:
    """A change where nothing was to be changed; what the session itself ``made`` it may take away again."""
    place = held.looked_at
    for change in changes:
        if place and not same_host((change.event.command.target.host or "").casefold(), place):
            continue
        path = resolved(change.path, change.event.command.folder, graph.session.directory)
        if not SCRATCH.search(path) and not _REPORTS.search(path):
            yield msgspec.structs.replace(_file(held, change, "high"), how="looked_only")
    for ran in commands:
        if (
            ran.change
            and (not place or same_host((ran.command.target.host or "").casefold(), place))
            and ran.command.effect in _ALTERS
            and (ran.command.target.host, ran.command.target.name) not in made
            and not SCRATCH.search(ran.command.target.name)
        ):
            yield Violation(
                constraint=held.constraint,
                event=ran,
                how="looked_only",
                quote=" ".join(ran.command.words)[:200],
                confidence="high",
            )


def _left_out(
    held: _Held, called: Called, commands: tuple[Ran, ...], changes: list[FileChange], said: _Words
) -> Iterator[Violation]:
    """Something that was demanded and that the assistant says it leaves out."""
    wanted = held.wanted
    if not wanted:
        return
    for one in said.sentences:
        lacks = _LACKS.search(one.text)
        if lacks is None or hands_in(called.call.name):
            continue
        if (
            len(stems(lacks["rest"]) & wanted) >= (1 if len(wanted) <= 3 else 2)
            and re.search(r"\b(?:skip|bypass|omit|without|ignor)", lacks.group(), re.IGNORECASE)
            and (commands or changes)
        ):
            yield _worded(held, commands, changes, one)


_WEAK = stem_set(
    """
    work works error errors issue issues test tests pass complete completed result results report
    user need needed required verify check change changes
    """
)
