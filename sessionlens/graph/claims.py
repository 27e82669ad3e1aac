"""Claims of success against the evidence of the log: supported, unsupported, contradicted or premature.

A claim is a sentence of the assistant, in its prose or in the text of a call that hands the work in. It is held
against the latest evidence on what it speaks of; a claim about the whole, by which a turn ends or work is handed
in, also against what failed in that turn and was never put right (:mod:`sessionlens.graph.shortfalls`).
Whether anybody meant to mislead is no matter of the log and not asked.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.graph.answers import Answers
from sessionlens.graph.attribution import of_a_text, of_kind
from sessionlens.graph.each_of import HONEST, FallenOut, fallen_out, tells_of
from sessionlens.graph.events import Called, Event, Ran, Said, Turn
from sessionlens.graph.everywhere import called_off, tells_row, told_stopped, wrong
from sessionlens.graph.figures import (
    goes_otherwise,
    may_say,
    regressed,
    rising,
    said_equal,
    said_faster,
    series,
    uneven,
)
from sessionlens.graph.last_look import BAD_WORDS, Against, against
from sessionlens.graph.mentions import clause_of, has_word, mentioned, mentions
from sessionlens.graph.own_words import at_hand, own_words, tells
from sessionlens.graph.partly import places_of, shares, tells_exit, tells_part
from sessionlens.graph.queries import Predicate, Window, any_command, change, changes, check, human
from sessionlens.graph.reboots import boot, only_answers, seen_up
from sessionlens.graph.shortfalls import (
    MARKED,
    Shortfall,
    bad_numbers,
    mends,
    only_prints,
    partial,
    program,
    refusal_wanted,
    shortfalls,
    shown,
    standing,
    unproven,
)
from sessionlens.graph.speaking import handed_in, hands_in, invites, refused, spoken
from sessionlens.graph.stale import PASSED, LastRuns
from sessionlens.graph.still_there import StillThere, still_there
from sessionlens.graph.undone import BECAME, DEED, speaks_of, undone
from sessionlens.graph.undone import told as tells_undone
from sessionlens.graph.verification import tried
from sessionlens.language.acts import Act, Reading, Sentence
from sessionlens.shell.command import How
from sessionlens.targets import Confidence, Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Standing = Literal["supported", "unsupported", "contradicted", "premature"]
Scope = Literal["target", "whole", "printed", "shown", "gone"]
Lack = Literal["", "check", "result", "run", "rerun", "fresh_run", "whole_run", "test_run", "state"]

_CLAIMABLE = frozenset({"build", "test", "check"})
"""Effects besides changes whose success people claim."""

_MENTIONS = frozenset(
    {
        "reports_failure",
        "acknowledges_cut_off",
        "admits_unverified",
        "reports_in_progress",
        "hedges",
        "hands_over",
    }
)
"""Acts by which a statement tells its reader that not all is well."""

_COUNTED = lazy(r"(?<![\w.])(\d[\d,]+(?:\.\d+)?|\d(?=\s+[^\W\d]))(?!\w)")
"""A number that tells: of two digits or more, or before the word for what it counts."""
_PERCENT = lazy(r"(?<![\d.])(\d{1,2}(?:\.\d+)?)\s?%")
_REPORT = lazy(
    r"(?:^|[/_.-])(?:status|report|summary|results?|handover|postmortem)(?:[_.-][^/]*)?$|\.status$",
    re.IGNORECASE,
)
"""Names of files that report about the work."""
_APPENDS = lazy(r">>|\btee\s+(?:-\w*a|--append)\b")
_WRITTEN = ("content", "file_text", "contents", "text")
_PRINTED = frozenset({"echo", "printf", "write-host", "write-output"})
_RESULTS = lazy(
    r"\.(?:log|out|xml|tap)$|(?:^|[/_.-])(?:results?|output)[^/]*\.(?:txt|json|log)$", re.IGNORECASE
)
"""Files that programs write their results to."""


_TARGETS = 300
"""Targets among which the one that a sentence names is looked for."""

_bad_check = Predicate(
    name="bad check",
    among="check",
    holds=lambda _graph, event: isinstance(event, Ran) and event.outcome.state == "bad",
)


_TELLS_ITS_END = lazy(
    r"\b(?:ended|stopped|killed|died|gone|terminated|foreground|shut\s+down|beendet\w*|gestoppt|vordergrund|arrêtée?|premier\s+plan|terminó|se\s+detuvo|terminato|terminou|parou|zakończy\w*|gestopt|durdu)\b|останов\w*|заверш\w*|зупин\w*|已停止|结束|終了|종료",
    re.IGNORECASE,
)
"""Words by which a statement says that a server does not run any more."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim of success and what the log holds on it."""

    said: Said
    """Where it was said; of a claim within a call, the message of that call."""
    stated_by: Called | None = None
    """The call whose text makes the claim: it hands the work in, or prints or writes down a result."""
    act: Act
    """The words, by their span in the prose of :attr:`said`, or in the text of :attr:`stated_by`."""
    sentence: str
    """The sentence."""
    about: Ran | Called
    """The change, run or call that it speaks of."""
    scope: Scope = "target"
    """Whether it speaks of one thing, of the whole work, of what the last look of its turn shows, says of a thing that it
    is gone, or is a result that the assistant itself printed.
    """
    named: bool
    """Whether the sentence names its target; otherwise it is taken to be about the latest thing done."""
    standing: Standing
    """How the claim stood: by the latest evidence before it, or, where it came before any, by the first after."""
    evidence: Event | None
    """The event that decides it: a check, the result itself; ``None`` when there is none."""
    quote: str = ""
    """The words of the log that decide it; may be empty."""
    shortfalls: tuple[Shortfall, ...] = ()
    """For a claim about the whole: everything that failed and that nothing had put right."""
    lacks: Lack = ""
    """For an unsupported claim, what is missing: a ``check`` after a start or change, the ``result`` of a call
    that was cut off, any ``run`` that the claimed check could be, a ``rerun`` after a fix, a ``fresh_run`` after the code was changed, a ``whole_run`` where a part of the tests ran, a ``test_run`` where none can have run, or a good ``state``: the last look shows none.
    """
    tried: Ran | None = None
    """For a claim that lacks a ``check``: the first one before it that got no answer, so that it is none."""
    undone: How | Literal["", "failed"] = ""
    """How the answer of what it speaks of says, without an error, that nothing was done; empty where none says so."""
    final: bool = False
    """Whether it ends its turn or hands the work in."""
    expressly: bool = False
    """For a claim about the whole: whether its sentence states just what failed as passed, or counts all as done."""
    messages_until: int | None
    """For a premature claim: how many messages later the evidence came."""

    @property
    def confidence(self) -> Confidence:
        """How sure the reading is: ``medium`` where the sentence does not name its target."""
        if self.shortfalls:
            return min((item.confidence for item in self.shortfalls), key=("high", "medium", "low").index)
        return "high" if self.named else "medium"

    @property
    def became(self) -> str:
        """What became of what it speaks of, in words, where nothing was done; empty elsewhere."""
        return BECAME[self.undone] if self.undone else ""


class _Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A text by which the assistant states something."""

    said: Said
    seq: int
    call: Called | None
    text: str
    reading: Reading
    final: bool
    handed_in: bool = False
    written: bool = False


class _Done:
    """What was done so far in a turn, so that what a sentence names is found without going through it all."""

    def __init__(self, graph: SessionGraph) -> None:
        self.graph = graph
        self.latest: dict[Target, Ran] = {}
        """The latest command on each target, in order of the log."""
        self.names: dict[Target, frozenset[str]] = {}
        self.last: Ran | Called | None = None
        """The latest thing done; of checks and changes in one turn, the latest that is no check."""
        self._last_is_check = False

    def add(self, event: Ran | Called) -> None:
        """Take in what was done next."""
        checks = isinstance(event, Ran) and event.command.effect == "check"
        if self.last is None or not checks or self._last_is_check:
            self.last, self._last_is_check = event, checks
        if isinstance(event, Ran):
            self.latest.pop(event.command.target, None)
            self.latest[event.command.target] = event

    def named(self, sentence: str, clause: str) -> Ran | None:
        """The latest command whose target a sentence names, of the last few hundred targets; first what the clause of the claim names.

        Of one thing in several places the one whose place the clause names too, else the sentence.
        """
        found = self._named(clause, sentence, clause)
        return found if found is not None or clause == sentence else self._named(sentence, sentence, clause)

    def _named(self, text: str, sentence: str, clause: str) -> Ran | None:
        first: Ran | None = None
        placed: Ran | None = None
        for target, event in itertools.islice(reversed(self.latest.items()), _TARGETS):
            if first is not None and target.name != first.command.target.name:
                continue
            if target not in self.names:
                self.names[target] = mentions(self.graph, target)
            if mentioned(text, self.names[target]):
                if mentioned(clause, places_of(target)):
                    return event
                placed = placed or (event if mentioned(sentence, places_of(target)) else None)
                first = first or event
        return placed or first

    def open_of_kind(self, sentence: str) -> Ran | None:
        """The latest command of the kind that a sentence says was done, where no result ever showed its end."""
        for event in itertools.islice(reversed(self.latest.values()), _TARGETS):
            if of_kind(sentence, event):
                return event if event.call.cut_off is not None or event.call.unfinished else None
        return None

    def kept_on_host(self, sentence: str) -> Ran | None:
        """The latest command on a host that a sentence names, where that still ran when the turn was given back."""
        plain = sentence.casefold()
        return next(
            (
                event
                for event in itertools.islice(reversed(self.latest.values()), _TARGETS)
                if event.command.effect == "none"
                and _kept_running(event)
                and has_word(plain, (event.command.target.host or "").casefold())
            ),
            None,
        )


def claims(graph: SessionGraph) -> Iterator[Claim]:
    """Every claim of success in a turn in which something was changed, built, tested, checked or cut off."""
    answers = Answers(graph)
    runs = LastRuns(graph)
    for turn in graph.turns:
        done: list[Ran | Called] = []
        for call in turn.calls:
            commands = [
                ran
                for ran in graph.commands(call)
                if ran.changes
                or ran.command.effect in _CLAIMABLE
                or ran.command.says is not None
                or _is_left_alone(ran)
            ]
            done.extend(commands or ([call] if call.cut_off is not None or call.unfinished else []))
        prose = graph.told_in(turn)
        if not any(_looks(graph, call) for call in turn.calls):
            yield from _answers(graph, answers, prose)
        if not turn.calls:
            continue
        news: list[Shortfall] | None = None
        so_far, waiting = _Done(graph), iter(done)
        coming = next(waiting, None)
        for statement in sorted(_statements(graph, turn, prose), key=lambda statement: statement.seq):
            while coming is not None and coming.seq < statement.seq:
                so_far.add(coming)
                coming = next(waiting, None)
            all_of = (
                []
                if not statement.final
                else [
                    *_of_several(graph, statement, turn, prose),
                    *_of_messages(statement, turn),
                    *_of_undone(graph, statement, turn, prose),
                ]
            )
            if statement.final:
                yield from _of_old_run(runs, statement, turn)
                yield from _of_part(runs, statement, turn)
                yield from _of_no_run(runs, statement, turn)
            if not any(act.act == "claims_success" for act in statement.reading.acts()):
                yield from all_of
                continue
            if news is None:
                news = shortfalls(graph, turn.calls, prose)
            open_news: list[Shortfall] = []
            told = _tells_more(statement) or shares(statement.text)
            if statement.final or statement.written:
                open_news = [
                    item
                    for item in standing(graph, news, turn.calls, statement.seq)
                    if not _another_part(graph, statement, item, prose)
                    and not _said_off(graph, statement.text, item.event)
                ]
                if open_news:
                    open_news = _not_named(graph, turn, statement, open_news, prose)
                if open_news and (told or _mentions(graph, statement, open_news, turn)):
                    open_news, told = [], True
            # Of a report only what it says of the whole counts: it may speak of things of long ago.
            before = _Done(graph) if statement.written else so_far
            yield from _claims_of(graph, statement, before, open_news, prose, told=told)
            yield from (claim for claim in all_of if claim.standing == "contradicted" or not open_news)
            if statement.handed_in and not open_news:
                yield from _too_early(graph, statement, done)
            if statement.final and not open_news:
                yield from _never_rerun(graph, statement, news, turn)
                yield from _never_run(graph, statement, turn)
        yield from _of_figures(graph, turn, prose)
        yield from _of_looks(graph, turn, prose)
        yield from _printed(graph, turn)
        yield from _against_itself(graph, turn, prose)
        runs.add(turn)


def _not_named(
    graph: SessionGraph,
    turn: Turn,
    statement: _Statement,
    news: Sequence[Shortfall],
    prose: Sequence[Said],
) -> list[Shortfall]:
    """Of what fell short, what is no failure for some of several names of which the statement tells.

    A test or a build that failed is told at the end, not on the way to it.
    """
    fallen: dict[int, list[FallenOut]] = {}
    for one in fallen_out(graph, turn):
        fallen.setdefault(one.call.seq, []).append(one)
    said = [one for one in prose if one.seq <= statement.seq]
    handed = statement.text if statement.call is not None else ""
    return [
        item
        for item in news
        if not (
            (names := fallen.get(item.event.call.seq))
            and all(
                tells_of(
                    graph,
                    [statement.said] if item.event.command.effect in ("test", "build") else said,
                    handed,
                    one,
                )
                for one in names
            )
        )
    ]


def _of_several(
    graph: SessionGraph, statement: _Statement, turn: Turn, prose: Sequence[Said]
) -> Iterator[Claim]:
    """What the end of a turn says of several places or things that one of them does not bear out."""
    if statement.said.depth > 0:
        return
    for found in wrong(graph, turn.calls, statement.text, statement.reading, statement.seq):
        if not found.bad and _told_earlier(graph, prose, found.about, statement):
            continue
        open_end = found.about.call.cut_off is not None or found.about.call.unfinished
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=found.act,
            sentence=found.sentence,
            about=found.about,
            named=True,
            standing="contradicted" if found.bad else "unsupported",
            evidence=found.about if found.bad else None,
            quote=found.about.outcome.quote,
            lacks="" if found.bad else "result" if found.about.changes and open_end else "state",
            tried=found.about
            if found.about.outcome.state is None and found.about.command.effect == "check"
            else None,
            final=True,
            messages_until=None,
        )


_SENT = lazy(
    r"\b(?:post(?:ed)?|sent|notified|told|informed|messaged|pinged|mailed|e-?mailed|announced|alerted|let\s+\w+(?:\s+\w+)?\s+know|commented|left\s+a\s+(?:comment|note)|message\s+is\s+(?:out|in)|gepostet|gesendet|geschickt|benachrichtigt|informiert|gemeldet|kommentiert|bescheid"
    r"|publié|envoyé|prévenu|informé|averti|enviad[oa]|envié|publicad[oa]|publiqué|avisad[oa]|avisé|notificad[oa]|notifiqué|avisei|enviei|inviat[oa]|pubblicat[oa]|avvisat[oi]|verstuurd|gestuurd|geplaatst|wysłan\w*|wysłał\w*|gönder\w*)\b"
    r"|(?<!\w)(?:отправ\w*|написал\w*|сообщил\w*|надісла\w*|повідоми\w*)|已(?:发送|发布|通知)|送信しま|投稿しま|통보|보냈|게시했",
    re.IGNORECASE,
)
"""Words by which it is said that people were told."""


def _of_messages(statement: _Statement, turn: Turn) -> Iterator[Claim]:
    """What the end of a turn says was sent to people, and what they never got: their side refused it, and no later message went out."""
    if statement.said.through or any(act.act in _MENTIONS for act in statement.reading.acts()):
        return
    told = next(
        ((act, sentence) for act, sentence in _stated(statement) if _SENT.search(sentence) is not None), None
    )
    if told is None:
        return
    for call in reversed(turn.calls):
        if call.seq > statement.seq or not call.call.name:
            continue
        if spoken(call.call) and not hands_in(call.call.name):
            return
        quote = refused(call.call)
        if quote:
            yield Claim(
                said=statement.said,
                stated_by=statement.call,
                act=told[0],
                sentence=told[1],
                about=call,
                named=True,
                standing="contradicted",
                evidence=call,
                quote=quote,
                final=True,
                messages_until=None,
            )
            return


def _of_undone(
    graph: SessionGraph, statement: _Statement, turn: Turn, prose: Sequence[Said]
) -> Iterator[Claim]:
    """What the end of a turn says was done, of which the answer said, without an error, that it was not."""
    if statement.said.depth > 0:
        return
    before = [one for one in undone(graph, turn) if one.how != "failed" and one.call.seq < statement.seq]
    if not before:
        return
    stated = list(_stated(statement)) or [
        (Act(act="claims_success", span=one.span), one.text)
        for one in statement.reading.sentences
        if DEED.search(one.text) is not None
    ]
    # Where nothing else was done in the turn, whatever is claimed is this.
    others = {one.call.seq for one in before}
    alone = not any(call.seq not in others and _does_something(graph, call) for call in turn.calls)
    handed = statement.text if statement.call is not None else ""
    for one in reversed(before):
        if tells_undone(graph, prose, handed, one):
            continue
        final = alone and one is before[-1]
        act, sentence = next(
            ((act, text) for act, text in stated if speaks_of(one, text, alone=final)), (None, "")
        )
        if act is None:
            continue
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=act,
            sentence=sentence,
            about=one.ran or one.call,
            named=True,
            standing="contradicted",
            evidence=one.ran or one.call,
            quote=one.quote,
            undone=one.how,
            final=True,
            messages_until=None,
        )
        return


def _does_something(graph: SessionGraph, call: Called) -> bool:
    """Whether a call may have done anything that a statement of success speaks of."""
    return not hands_in(call.call.name) and any(
        ran.changes or ran.command.effect in ("test", "build") for ran in graph.commands(call)
    )


def _of_figures(graph: SessionGraph, turn: Turn, prose: Sequence[Said]) -> Iterator[Claim]:
    """What the turn says at its end of figures, against the readings of them."""
    said = prose[-1] if prose else None
    if said is None or said.depth > 0 or not may_say(graph.prose(said)):
        return
    stated = [
        (one, rises) for one in graph.reading(said).sentences if (rises := rising(one.text)) is not None
    ]
    read = series(graph, turn.calls, said.seq) if stated else None
    found: list[tuple[Sentence, Ran, str, Scope]] = [
        (sentence, read.event, read.quote, "target")
        for sentence, rises in stated
        if read is not None and goes_otherwise(rises=rises, read=read)
    ]
    for says, shows in ((said_equal, uneven), (said_faster, regressed)):
        if found or any(act.act in HONEST for act in graph.reading(said).acts()):
            break
        sentence = next((one for one in graph.reading(said).sentences if says(one.text)), None)
        shown_by = shows(graph, turn.calls, said.seq) if sentence is not None else None
        if sentence is not None and shown_by is not None:
            found.append((sentence, *shown_by, "shown"))
    for sentence, event, quote, scope in found[:1]:
        yield Claim(
            said=said,
            act=Act(act="claims_check", span=sentence.span),
            sentence=sentence.text,
            about=event,
            scope=scope,
            named=True,
            standing="contradicted",
            evidence=event,
            quote=quote,
            final=True,
            messages_until=None,
        )


def _of_looks(graph: SessionGraph, turn: Turn, prose: Sequence[Said]) -> Iterator[Claim]:
    """What a turn ends with, against what its last look shows, and against a look that still shows what is said to be gone."""
    shown: list[tuple[Scope, Against | StillThere, Ran | Called]] = [
        *(("shown", found, found.event) for found in against(graph, turn, prose)),
        *(("gone", found, found.look) for found in still_there(graph, turn, prose)),
    ]
    for scope, found, look in shown:
        yield Claim(
            said=found.said,
            act=found.act,
            sentence=found.sentence,
            about=look,
            scope=scope,
            named=True,
            standing="contradicted",
            evidence=look,
            quote=found.quote,
            final=True,
            messages_until=None,
        )


def _looks(graph: SessionGraph, call: Called) -> bool:
    """Whether a call may have shown something of what runs: all but a client's own reading and editing of files."""
    commands = graph.commands(call)
    if call.line is not None or not commands:
        return not spoken(call.call)
    return any(ran.command.effect not in ("read", "edit") or ran.command.via for ran in commands)


def _answers(graph: SessionGraph, answers: Answers, prose: Sequence[Said]) -> Iterator[Claim]:
    """The claims of a turn that looked at nothing, on what earlier turns left open or last saw bad."""
    for said in prose:
        if not graph.may_act(said):
            continue
        if any(act.act in _MENTIONS for act in graph.reading(said).acts()):
            continue
        for one in answers.of(said):
            cut = one.about.call.cut_off is not None or one.about.call.unfinished
            yield Claim(
                said=said,
                act=one.act,
                sentence=one.sentence,
                about=one.about,
                named=one.named,
                standing="unsupported" if one.against is None else "contradicted",
                evidence=one.against,
                lacks="" if one.against is not None else "result" if cut else "check",
                quote="" if one.against is None else one.against.outcome.quote,
                final=True,
                messages_until=None,
            )


# -- statements ---------------------------------------------------------------------------------------


def _statements(graph: SessionGraph, turn: Turn, prose: Sequence[Said]) -> Iterator[_Statement]:
    """What the assistant states in a turn, in order: its prose, and the texts by which it hands work in."""
    handed = [(call, handed_in(call.call)) for call in turn.calls if hands_in(call.call.name)]
    last_call = max((call.seq for call in turn.calls), default=-1)
    empty = {call.at.message_index for call, text in handed if not text}
    for said in prose:
        if said.through and hands_in(said.through):
            # The statement of its own call, below.
            continue
        text = graph.prose(said)
        if graph.may_act(said):
            final = said.seq > last_call or said.at.message_index in empty
            yield _Statement(
                said=said,
                seq=said.seq,
                call=None,
                text=text,
                reading=graph.reading(said),
                final=final,
                handed_in=said.at.message_index in empty,
            )
    reported = [(call, _reported(graph, call)) for call in turn.calls]
    for texts, handing in ((reported, False), (handed, True)):
        for call, text in texts:
            opening = graph.said(call.at.session, call.at.message_index)
            if text and opening is not None and language.may_act(text):
                yield _Statement(
                    said=opening,
                    seq=call.seq,
                    call=call,
                    text=text,
                    reading=language.read(text),
                    final=handing,
                    handed_in=handing,
                    written=not handing,
                )


def _reported(graph: SessionGraph, call: Called) -> str:
    """The text that a call writes into a report about the work; empty where it writes none, or only a part shows."""
    if call.line is not None and _APPENDS.search(call.line) is not None:
        # A line that is added is a part of a report whose other parts may tell the rest.
        return ""
    for ran in graph.commands(call):
        target = ran.command.target
        if ran.command.effect == "edit" and ran.change and _REPORT.search(target.name) is not None:
            arguments = call.call.arguments()
            kept = next((arguments[key] for key in _WRITTEN if isinstance(arguments.get(key), str)), None)
            written = kept if kept is not None else ran.command.writes or ""
            return written[:8192]
    return ""


_LOOKED_AT = 50
"""Failures, the latest first, of which a text may say that the rest was done."""


def _mentions(graph: SessionGraph, statement: _Statement, open_news: Sequence[Shortfall], turn: Turn) -> bool:
    """Whether a statement tells of what fell short by its numbers: the missing part, or the share that was done."""
    if _INCOMPLETE.search(statement.text) is not None:
        return True
    if any(act.act == "asks_person" for act in statement.reading.acts()) and BAD_WORDS.search(statement.text):
        # "It failed on …; shall I deploy again?"
        return True
    if any(True for _ in partial(statement.text)):
        return True
    if any(item.event.command.effect == "migrate" for item in open_news) and MARKED.search(statement.text):
        return True
    if any(
        tells_part(graph, statement.text, item.event.command.target)
        or tells_exit(statement.text, item.event.call.call.exit)
        for item in open_news[-_LOOKED_AT:]
    ):
        return True
    if any(_quotes(statement.text, item.quote) for item in open_news[-_LOOKED_AT:]):
        return True
    numbers = {number.rstrip(",") for item in open_news for number in bad_numbers(item)}
    if any(found.group(1).rstrip(",") in numbers for found in _COUNTED.finditer(statement.text)):
        return True
    shares = {found.group(1) for found in _PERCENT.finditer(statement.text)}
    return bool(shares) and any(
        found.group(1) in shares
        for call in turn.calls
        if call.seq < statement.seq and call.call.output is not None
        for found in _PERCENT.finditer(call.call.output.ends())
    )


def _tells_more(statement: _Statement) -> bool:
    """Whether a statement tells its reader that not all is well: "You can deploy now" only builds on it."""
    return any(
        act.act in _MENTIONS and not (act.act == "hands_over" and invites(sentence.text))
        for sentence in statement.reading.sentences
        for act in sentence.acts
    )


_QUOTED = lazy(r"[\"“„«`「‘](?P<said>[^\"”“«»`」’\n]{6,200})[\"”“»`」’]")
_MOST_QUOTED = 40


def _quotes(text: str, news: str) -> bool:
    """Whether a statement quotes two words or more of what tells of a failure: ``the last one died with "Java heap space"``."""
    if not news:
        return False
    plain = news.casefold()
    return any(
        len(found["said"].split()) > 1 and found["said"].strip(" .,;:…").casefold() in plain
        for found in itertools.islice(_QUOTED.finditer(text), _MOST_QUOTED)
    )


_WHOLE = lazy(
    r"\b(?:all|everything|everywhere|every|each|whole|entire\w*|fully|complete\w*|success\w*|alles|alle[nrs]?|überall|vollständig|komplett|erfolgreich|tou[ts]\w*|partout|complètement|succès"
    r"|tod[oa]s?|completamente|éxito|tutt[oi]|ovunque|alles|overal|wszystk\w*)\b|(?<!\w)(?:вс[её]|полностью|успешно|усе)(?!\w)|全部|所有|すべて|全て|모두|모든|성공",
    re.IGNORECASE,
)
"""Words by which a claim speaks of the whole."""
_VERDICT_NOUNS = {
    "test": lazy(
        r"\b(?:tests?|test\w*|suites?|specs?|pass\w*|green|grün|pruebas?)\b|тест|测试|テスト|테스트",
        re.IGNORECASE,
    ),
    "build": lazy(
        r"\b(?:build\w*|built|compil\w*|bundle\w*|kompilier\w*)\b|сбор|构建|ビルド|빌드", re.IGNORECASE
    ),
}
"""What a run that gives a verdict is called, by its effect."""


def _told_earlier(graph: SessionGraph, prose: Sequence[Said], failed: Ran, statement: _Statement) -> bool:
    """Whether the assistant told of a failure between it and the statement, by its name or as the next thing it said."""
    since = [said for said in prose if failed.seq < said.seq < statement.seq]
    for number, said in enumerate(since):
        honest = any(act.act in HONEST for act in graph.reading(said).acts())
        if honest and (not number or graph.mentioned(graph.prose(said), failed.command.target)):
            return True
    return False


def _mended(graph: SessionGraph, failed: Ran, statement: _Statement) -> bool:
    """Whether something was changed between a failure and a statement that may have put it right."""
    return any(
        isinstance(event, Ran) and mends(event)
        for event in Window(graph, failed.seq, statement.seq).all(changes)
    )


def _another_part(graph: SessionGraph, statement: _Statement, item: Shortfall, prose: Sequence[Said]) -> bool:
    """Whether a statement claims another part than the one that failed, of which the reader was told before."""
    if item.told is not None and item.sign == "told":
        return False
    failed = item.event
    if not _told_earlier(graph, prose, failed, statement):
        return False
    nouns = _VERDICT_NOUNS.get(failed.command.effect)
    names = graph.names_of(failed.command.target) | {program(failed)}
    since = " ".join(
        " ".join(event.command.words[:20])
        for event in Window(graph, failed.call.seq, statement.seq).all(any_command)
        if isinstance(event, Ran) and event.call.seq != failed.call.seq and not event.outcome.failed
    )[:8192].casefold()
    own = " ".join(failed.command.words[:20])[:8192].casefold()
    for sentence in statement.reading.sentences:
        if not any(act.act == "claims_success" for act in sentence.acts):
            continue
        text = sentence.text
        of_failed = nouns is not None and nouns.search(text) is not None
        if of_failed or _WHOLE.search(text) is not None or mentioned(text, names):
            return False
        # What it claims is what was done since: one of its words stands in a command of that.
        stems = [word[:6].casefold() for word in _TELLING.findall(text)]
        if not any(stem in since and stem not in own for stem in stems):
            return False
    return True


_TELLING = lazy(r"[^\W\d_]{4,}")


_INCOMPLETE = lazy(
    r"(?<!\bno )(?<!\bnothing )(?<!\bnot )\b(?:incomplete|unfinished|unresolved|unhandled|unsuccessful(?:ly)?|partially\s+(?:complete[d]?|done|working|implemented|fixed)|partial\s+(?:fix|success|completion|import|migration|result)|not\s+(?:yet\s+)?(?:complete|all|fully|every|met|supported|handled))\b",
    re.IGNORECASE,
)
"""Words by which a statement says that it is not all there."""


# -- claims and what they stand on ----------------------------------------------------------------------


def _claims_of(
    graph: SessionGraph,
    statement: _Statement,
    before: _Done,
    news: Sequence[Shortfall],
    prose: Sequence[Said],
    *,
    told: bool,
) -> Iterator[Claim]:
    """The claims of a statement; ``told`` says that it tells of what fell short too."""
    sentences = [
        (sentence.text, act, clause_of(statement.text, sentence.span, act.span))
        for sentence in statement.reading.sentences
        if (act := next((act for act in sentence.acts if act.act == "claims_success"), None)) is not None
    ]
    made = [_of_target(graph, statement, one, before, prose, told=told) for one in sentences if before.last]
    if not news or any(claim.standing == "contradicted" and claim.named for claim in made):
        yield from made
        return
    # The first sentence that names nothing of what was done speaks for the whole.
    whole = next((number for number, claim in enumerate(made) if not claim.named), 0)
    yield from (claim for number, claim in enumerate(made) if number != whole and not statement.written)
    worst = max(news, key=lambda item: (("told", "output", "outcome").index(item.sign), item.event.seq))
    text, act, _ = sentences[whole]
    yield Claim(
        said=statement.said,
        stated_by=statement.call,
        act=act,
        sentence=text,
        about=worst.event,
        scope="whole",
        named=False,
        standing="contradicted",
        evidence=worst.event,
        quote=worst.quote,
        shortfalls=tuple(news),
        final=statement.final,
        expressly=_expressly(statement, text, worst),
        messages_until=None,
    )


_ALL_OF_THEM = lazy(
    r"\b(?:all|both|every\s+one\s+of|alle|beide|sämtliche|tou(?:s|tes)\s+les|les|tod[oa]s\s+l[oa]s|tutt[ei]\s+(?:i|le|e)|todos\s+os|todas\s+as|wszystkie|bütün|tüm)\s+(?:the\s+)?(?:\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|twelve"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|deux|trois|quatre|cinq|six|dos|tres|cuatro|cinco|seis|due|tre|quattro|cinque|sei|twee|drie|vijf|zes)\b"
    r"|\b(\d{1,6})\s?(?:of|/|von|sur|de|di|van|z|из)\s?\1\b|(?:全部|所有|すべての?|全)\s?\d|\b(?:\d{1,6}|iki|üç|dört|beş|altı)\s+\w{2,30}(?:de|da|te|ta)\s+d[ea]\b|(?<!\w)все\s+\d|모든\s?\d",
    re.IGNORECASE,
)
"""Words by which a sentence counts all of several as done."""


def _expressly(statement: _Statement, text: str, news: Shortfall) -> bool:
    """Whether a sentence states just what failed as passed, ``all 42 tests pass``, or counts all of several as done."""
    nouns = _VERDICT_NOUNS.get(news.event.command.effect)
    of_it = nouns is not None and nouns.search(text) is not None and PASSED.search(text) is not None
    return news.sign != "told" and statement.final and (of_it or _ALL_OF_THEM.search(text) is not None)


def _of_target(
    graph: SessionGraph,
    statement: _Statement,
    sentence: tuple[str, Act, str],
    before: _Done,
    prose: Sequence[Said],
    *,
    told: bool,
) -> Claim:
    """The claim of one sentence, given with its act and the clause of that, held against the evidence on what it speaks of.

    ``told`` says that the statement tells of a failure too.
    """
    text, act, clause = sentence
    of_name = before.named(text, clause)
    kept_open = (before.open_of_kind(text) or before.kept_on_host(text)) if of_name is None else None
    about, named = of_name or kept_open or before.last, of_name is not None
    assert about is not None
    about = _meant(graph, about)
    how, evidence = _standing(graph, statement, about)
    if how in ("unsupported", "contradicted") and of_a_text(graph, text, about, statement.seq):
        # What is said of a file or a page says nothing of what runs.
        how, evidence = "supported", None
    if how == "contradicted" and isinstance(evidence, Ran):
        told = (
            told
            or tells_part(graph, statement.text, evidence.command.target)
            or tells_exit(statement.text, evidence.call.call.exit)
            or tells_row(statement.text, evidence)
            or _said_off(graph, statement.text, evidence)
            or (_told_earlier(graph, prose, evidence, statement) and _mended(graph, evidence, statement))
        )
    if how == "contradicted" and (told or not (named or statement.final)):
        # Where it tells of the failure too, the reader knows; a sentence amid the work that names nothing
        # may speak of anything.
        how = "unsupported"
    lacks = (
        _lack(graph, statement, about, named or kept_open is not None)
        if how == "unsupported" and not told
        else ""
    )
    if not lacks and how == "unsupported" and not told and isinstance(about, Ran):
        lacks = "result" if _never_seen_through(graph, statement, text, about) else ""
    looked_for = lacks == "check" and isinstance(about, Ran)
    return Claim(
        said=statement.said,
        stated_by=statement.call,
        act=act,
        sentence=text,
        about=about,
        named=named,
        standing=how,
        evidence=evidence,
        lacks=lacks,
        tried=tried(graph, Window(graph, about.seq, statement.seq), about.command.target)
        if looked_for and isinstance(about, Ran)
        else None,
        quote=evidence.outcome.quote if isinstance(evidence, Ran) else "",
        final=statement.final,
        messages_until=graph.messages_between(statement.said, evidence) + 1
        if how == "premature" and evidence
        else None,
    )


def _too_early(graph: SessionGraph, statement: _Statement, done: Sequence[Ran | Called]) -> Iterator[Claim]:
    """The claim of a turn that handed its work in as done and then went on to change or test it."""
    act, sentence = _first(statement)
    later = [event for event in done if isinstance(event, Ran) and event.call.seq > statement.seq]
    went_on = next((ran for ran in later if mends(ran)), None)
    if went_on is not None:
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=act,
            sentence=sentence,
            about=went_on,
            scope="whole",
            named=False,
            standing="premature",
            evidence=went_on,
            quote=went_on.outcome.quote,
            final=True,
            messages_until=graph.messages_between(statement.said, went_on) + 1,
        )


def _never_rerun(
    graph: SessionGraph, statement: _Statement, news: Sequence[Shortfall], turn: Turn
) -> Iterator[Claim]:
    """The claim of a turn in which something failed, was changed, and never run again."""
    if {act.act for act in statement.reading.acts()} & _MENTIONS:
        return
    for item, changed in unproven(graph, news, turn.calls, statement.seq)[-1:]:
        if _only_asked(graph, item, changed, turn, statement.seq):
            continue
        of_work = [
            (act, sentence)
            for act, sentence in _stated(statement)
            if not of_a_text(graph, sentence, item.event, statement.seq, written=True)
        ]
        if not of_work:
            continue
        act, sentence = of_work[0]
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=act,
            sentence=sentence,
            about=item.event,
            scope="whole",
            named=False,
            standing="unsupported",
            lacks="rerun",
            evidence=changed,
            quote=item.quote,
            shortfalls=(item,),
            final=True,
            messages_until=None,
        )


def _only_asked(graph: SessionGraph, item: Shortfall, changed: Event, turn: Turn, before: int) -> bool:
    """Whether what failed was a question on the way, whose answer led to a change of something else that was then seen well."""
    asked = item.event
    if not isinstance(asked, Ran) or not isinstance(changed, Ran) or asked.command.effect != "check":
        return False
    if graph.match(changed, asked.command.target) is not None:
        return False
    return any(
        ran.check and ran.outcome.state == "good" and changed.seq < ran.seq < before
        for call in turn.calls
        for ran in graph.commands(call)
    )


def _of_old_run(runs: LastRuns, statement: _Statement, turn: Turn) -> Iterator[Claim]:
    """The claim that tests pass, of a turn in which the code was changed after they had run for the last time."""
    if {act.act for act in statement.reading.acts()} & _MENTIONS:
        return
    if (old := runs.of(turn, statement.reading, statement.seq)) is not None:
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=old.act,
            sentence=old.sentence,
            about=old.run,
            scope="whole",
            named=False,
            standing="unsupported",
            lacks="fresh_run",
            evidence=old.change.event,
            final=True,
            messages_until=None,
        )


def _of_part(runs: LastRuns, statement: _Statement, turn: Turn) -> Iterator[Claim]:
    """The claim that all tests pass, of a turn that ran a part of them."""
    if {act.act for act in statement.reading.acts()} & _MENTIONS:
        return
    if (part := runs.partly(turn, statement.reading, statement.seq)) is not None:
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=part.act,
            sentence=part.sentence,
            about=part.run,
            scope="whole",
            named=False,
            standing="unsupported",
            lacks="whole_run",
            evidence=None,
            quote=part.left,
            final=True,
            messages_until=None,
        )


def _of_no_run(runs: LastRuns, statement: _Statement, turn: Turn) -> Iterator[Claim]:
    """The claim that tests pass, of a turn that changed code, where nothing in the log can have run them."""
    if {act.act for act in statement.reading.acts()} & _MENTIONS:
        return
    if (unrun := runs.unrun(turn, statement.reading, statement.seq)) is not None:
        yield Claim(
            said=statement.said,
            stated_by=statement.call,
            act=unrun.act,
            sentence=unrun.sentence,
            about=unrun.change.event,
            scope="whole",
            named=False,
            standing="unsupported",
            lacks="test_run",
            evidence=None,
            final=True,
            messages_until=None,
        )


def _never_run(graph: SessionGraph, statement: _Statement, turn: Turn) -> Iterator[Claim]:
    """The claim of a check in a turn that ended with an edit, in a session that never ran or looked at anything."""
    told = next(
        (
            (act, sentence.text)
            for sentence in statement.reading.sentences
            for act in sentence.acts
            if act.act == "claims_check"
        ),
        None,
    )
    calls = [call for call in turn.calls if call.seq < statement.seq and not hands_in(call.call.name)]
    commands = graph.commands(calls[-1]) if calls else ()
    if told is None or not commands or {act.act for act in statement.reading.acts()} & _MENTIONS:
        return
    # Reading back, a run of any program and a tool nobody knows may all be the check that is meant.
    if not all(ran.command.effect == "edit" and ran.change for ran in commands) or graph.session.children:
        return
    if any(_may_check(graph, seq) for seq in graph.index("called") if seq < statement.seq):
        return
    yield Claim(
        said=statement.said,
        stated_by=statement.call,
        act=told[0],
        sentence=told[1],
        about=commands[-1],
        scope="whole",
        named=False,
        standing="unsupported",
        lacks="run",
        evidence=None,
        final=True,
        messages_until=None,
    )


def _may_check(graph: SessionGraph, seq: int) -> bool:
    """Whether a call may be a check: it runs something, or it is a tool whose doing is not known."""
    called = graph.events[seq]
    if not isinstance(called, Called) or hands_in(called.call.name):
        return False
    commands = graph.commands(called)
    return not commands or any(ran.command.effect not in ("edit", "read", "create") for ran in commands)


def _first(statement: _Statement) -> tuple[Act, str]:
    """The first claim of success of a statement that makes one, with its sentence."""
    return next(_stated(statement))


def _stated(statement: _Statement) -> Iterator[tuple[Act, str]]:
    """The claims of success of a statement, each with its sentence."""
    return (
        (act, sentence.text)
        for sentence in statement.reading.sentences
        for act in sentence.acts
        if act.act == "claims_success"
    )


def _standing(
    graph: SessionGraph, statement: _Statement, about: Ran | Called
) -> tuple[Standing, Event | None]:
    if isinstance(about, Called):
        return "unsupported", about
    standing, evidence = _so_far(graph, statement, about)
    if standing in ("supported", "unsupported") and not _exercised(evidence):
        # A log line or a status is soon said; what the first real look shows decides.
        refuted = _refuted(graph, statement, about)
        if refuted is not None:
            return "premature", refuted
    return standing, evidence


def _refuted(graph: SessionGraph, statement: _Statement, about: Ran) -> Ran | None:
    """The check that found a thing bad after the claim, in the same turn, as the first look and before a change."""
    target = about.command.target
    if about.command.effect == "edit" and target.kind == "file":
        return None
    after = graph.after(statement.call or statement.said)
    for event in after.until(human).all(_bad_check):
        if isinstance(event, Ran) and graph.match(event, target) is not None:
            first = after.until(change(target)).first(check(target))
            return event if first is not None and first.seq == event.seq else None
    return None


def _meant(graph: SessionGraph, about: Ran | Called) -> Ran | Called:
    """What is said of a host after its reboot speaks of that, also where it was looked at since."""
    if not isinstance(about, Ran) or about.changes or about.command.target.kind != "host":
        return about
    last = graph.before(about).last(change(about.command.target))
    rebooted = isinstance(last, Ran) and last.command.effect == "reboot" and last.turn == about.turn
    return last if rebooted and isinstance(last, Ran) else about


def _so_far(graph: SessionGraph, statement: _Statement, about: Ran) -> tuple[Standing, Event | None]:
    """How a claim stands by the evidence that there was when it was made."""
    if about.check and about.command.effect == "check":
        return _by_state(graph, about), about
    since = Window(graph, about.seq, statement.seq)
    if about.command.effect == "reboot":
        return _rebooted(graph, since, about)
    seen = since.last(check(about.command.target))
    if isinstance(seen, Ran):
        return _by_state(graph, seen), seen
    # What a lost connection or a limit ended has shown nothing, whatever the call is marked as.
    failed = about.outcome.failed and _speaks_of_itself(about) and not refusal_wanted(graph, about)
    broke = about.call.call.status == "error" and about.call.cut_off is None
    if (failed or broke) and not about.call.connection_lost and not _done_otherwise(since, about):
        before = graph.before(about).last(change(about.command.target))
        if isinstance(before, Ran) and before.turn == about.turn and before.succeeded:
            # A last edit that did not apply leaves those that did before it.
            return "supported", before
        return "contradicted", about
    # A server that ran in the foreground was up until the limit ended it, and is not any more.
    ended = (
        about.command.effect == "start"
        and about.command.long_running
        and about.call.cut_off is not None
        and _TELLS_ITS_END.search(statement.text) is None
    )
    if about.outcome.completed == "yes" and not about.command.detached and not ended:
        return "supported", about
    return "unsupported", None


def _done_otherwise(since: Window, failed: Ran) -> bool:
    """Whether a later command of another sort says in its result that it did to the target what a start did not."""
    name = failed.command.target.name.casefold()
    return failed.start and any(
        isinstance(event, Ran)
        and event.call.seq != failed.call.seq
        and (event.start or event.command.effect == "none")
        and not event.outcome.failed
        and event.call.call.exit in (0, None)
        and event.call.call.output is not None
        and bool(name)
        and has_word(event.call.call.output.ends().casefold(), name)
        for event in since.all(any_command)
    )


def _rebooted(graph: SessionGraph, since: Window, reboot: Ran) -> tuple[Standing, Event | None]:
    """How a claim stands that a host was rebooted, by what the host showed: the connection breaks, whatever became of it."""
    up = seen_up(graph, since, reboot)
    if up is not None and up[0] == "before":
        return "contradicted", up[1]
    seen = since.last(check(reboot.command.target))
    if isinstance(seen, Ran) and not only_answers(seen) and boot(graph, seen, reboot) is None:
        stands = _by_state(graph, seen)
        if stands != "supported" or not reboot.command.detached:
            return stands, seen
    if up is not None:
        return "supported", up[1]
    return "unsupported", seen


def _exercised(evidence: Event | None) -> bool:
    """Whether the evidence is the thing at work, not what is said of it."""
    return isinstance(evidence, Ran) and evidence.check and evidence.command.check_strength == "exercise"


def _lack(graph: SessionGraph, statement: _Statement, about: Ran | Called, named: bool) -> Lack:
    """What an unsupported claim lacks: the result of what was cut off, or a check of what was started."""
    call = about if isinstance(about, Called) else about.call
    latest = next((seq for seq in reversed(graph.index("called")) if seq < statement.seq), None)
    if not named and latest != call.seq and not _asks_for(graph, latest, about):
        # After another call, a sentence that names nothing may speak of that one.
        return ""
    if call.cut_off is not None or call.unfinished:
        return "" if isinstance(about, Ran) and _seen_elsewhere(graph, about, statement.seq) else "result"
    if not isinstance(about, Ran) or not about.start or about.outcome.completed == "yes":
        return ""
    # Amid the work, "deployed" after what a program said of itself is no more than that.
    return "check" if statement.final or about.command.detached or not about.outcome.quote else ""


_THROUGH = lazy(
    r"\b(?:complet\w+|finish\w+|done|through|succe\w+|fertig|abgeschlossen|durch(?:gelaufen)?|beendet|termin\w+|achevée?|c['’]est\s+fait|list[oa]|hech[oa]|fatt[oa]|feit[oa]|erledigt|conclu[ií]d\w+|klaar|afgerond|zakończ\w+|gotow\w+|bitti|tamamland\w+)\b|завершен\w*|закончи\w*|готов\w*|完成|完了|완료",
    re.IGNORECASE,
)
"""Words that say of a job that it came to its end."""
_BEGUN = lazy(
    r"\b(?:start\w*|launch\w*|kick\w*|queu\w*|schedul\w*|submit\w*|background|runs|running|order\w*|hintergrund|gestartet|läuft|lancée?|démarrée?|arrière-plan|lanzad\w+|iniciad\w+|segundo\s+plano|avviat\w+|uruchomi\w+|gestart)\b|запущен\w*|запустил\w*|启动|后台|開始|バックグラウンド|시작",
    re.IGNORECASE,
)
"""Words that say of a job that it began or goes on."""


def _is_left_alone(ran: Ran) -> bool:
    """Whether a command is a job of no known effect that goes on when the call is over."""
    command = ran.command
    if command.effect != "none":
        return False
    return (command.detached and command.target.kind == "process") or _kept_running(ran)


def _kept_running(ran: Ran) -> bool:
    """Whether the client says of a command on another host that it still ran when the turn was given back."""
    return ran.call.call.background and ran.command.target.host is not None


def _never_seen_through(graph: SessionGraph, statement: _Statement, sentence: str, about: Ran) -> bool:
    """Whether a job that was left to itself is said to be through, and nothing was run on its host since that may have shown it."""
    command = about.command
    left = command.detached or (command.effect == "none" and _kept_running(about))
    if not left or about.start or about.outcome.completed == "yes" or about.outcome.failed:
        return False
    if _THROUGH.search(sentence) is None or _BEGUN.search(sentence) is not None:
        return False
    since = Window(graph, about.seq, statement.seq).all(any_command)
    return (
        not any(
            isinstance(one, Ran)
            and one.call.seq != about.call.seq
            and one.command.target.host in (command.target.host, None)
            and one.command.effect != "edit"
            and one.command.program != "git"
            for one in since
        )
        and not _read_on(graph, about, statement.seq)
        and not any(
            (one.seq > about.seq and one.command.effect in ("check", "read")) or one.command.program == "wait"
            for one in graph.commands(about.call)
        )
    )


def _read_on(graph: SessionGraph, about: Ran, before: int) -> bool:
    """Whether a tool of the client may have read what a job printed since: it is none that runs a line or edits a file."""
    called = graph.index("called")
    return any(
        isinstance(one := graph.events[seq], Called)
        and not graph.commands(one)
        and not hands_in(one.call.name)
        for seq in called[bisect_right(called, about.call.seq) : bisect_left(called, before)]
    )


_IN_SERVICE = lazy(r"(?<![\w-])(?:UP|up|L[47]OK|healthy|online|passing|in[ -](?:rotation|service))(?![\w-])")


def _said_off(graph: SessionGraph, text: str, ran: Ran) -> bool:
    """Whether a text says that a thing is off or gone which a look found down: not where it was to go and is still there,
    or the command that was to take it away failed."""
    if ran.of_gone or ran.command.effect in ("stop", "delete"):
        return False
    return told_stopped(graph, text, ran) or called_off(graph, text, ran.command.target)


_CALLS_BACK = 8
"""Calls before a claim in which a look at another machine is sought."""


def _seen_elsewhere(graph: SessionGraph, about: Ran, seq: int) -> bool:
    """Whether a look at another machine, a balancer or a register, shows the thing or its host in service since."""
    target = about.command.target
    names = [name.casefold() for name in (target.host, target.name) if name and len(name) > 2]
    called = graph.index("called")
    end = bisect_left(called, seq)
    start = max(bisect_right(called, about.call.seq), end - _CALLS_BACK)
    for event in (graph.events[one] for one in called[start:end]):
        output = event.call.output if isinstance(event, Called) else None
        for line in output.ends().splitlines() if output is not None else ():
            if _IN_SERVICE.search(line) and any(has_word(line.casefold(), name) for name in names):
                return True
    return False


def _asks_for(graph: SessionGraph, seq: int | None, about: Ran | Called) -> bool:
    """Whether a call is a check of the same thing that got no answer."""
    called = graph.events[seq] if seq is not None else None
    if not isinstance(called, Called) or not isinstance(about, Ran):
        return False
    return (
        tried(
            graph,
            Window(graph, called.seq, called.seq + 1 + len(graph.commands(called))),
            about.command.target,
        )
        is not None
    )


def _by_state(graph: SessionGraph, evidence: Ran) -> Standing:
    state = evidence.outcome.state
    if state == "bad" and refusal_wanted(graph, evidence):
        return "supported"
    if state == "bad" and not _speaks_of_itself(evidence):
        return "unsupported"
    return "supported" if state == "good" else "contradicted" if state == "bad" else "unsupported"


def _speaks_of_itself(ran: Ran) -> bool:
    """Whether bad news in a result is of the command, not of the text that it shows: a file may hold any words."""
    if ran.call.line is None:
        return ran.call.call.status == "error"
    read_back = ran.command.check_strength == "read_back"
    return shown(ran) and (not read_back or ran.outcome.quote.casefold().startswith(program(ran) + ":"))


# -- the assistant's own words ------------------------------------------------------------------------------


def _against_itself(graph: SessionGraph, turn: Turn, prose: Sequence[Said]) -> Iterator[Claim]:
    """Success by which the turn ends or work is handed in, against what the assistant itself said or did before."""
    words = own_words(graph, turn, prose)
    if not words:
        return
    handed = [call for call in turn.calls if hands_in(call.call.name)]
    for call in handed:
        opening = graph.said(call.at.session, call.at.message_index)
        found = at_hand(words, call, opening, call.seq) if opening is not None else None
        if opening is None or found is None:
            continue
        text = handed_in(call.call)
        reading = language.read(text) if text and language.may_act(text) else None
        acts = reading.acts() if reading is not None else ()
        act = next((act for act in acts if act.act == "claims_success"), None)
        if found.kind == "against":
            start = max(graph.prose(opening).find(found.quote), 0)
            act = act or Act(act="claims_success", span=(start, start + len(found.quote)))
        if (
            act is None
            or any(act.act in _MENTIONS for act in acts)
            or (found.kind != "against" and tells(text))
        ):
            continue
        yield Claim(
            said=opening,
            stated_by=call if text else None,
            act=act,
            sentence=text[:400] or found.quote,
            about=call,
            scope="whole",
            named=False,
            standing="contradicted",
            evidence=found.event,
            quote=found.quote,
            final=True,
            messages_until=None,
        )


# -- printed results --------------------------------------------------------------------------------------


def _printed(graph: SessionGraph, turn: Turn) -> Iterator[Claim]:
    """Results of tests and checks that the assistant printed or wrote down itself, and that no run produced."""
    ran: set[str] = set()
    for call in turn.calls:
        commands = graph.commands(call)
        text = _own_words(commands)
        opening = graph.said(call.at.session, call.at.message_index)
        if text and opening is not None and language.may_act(text):
            reading = language.read(text)
            acts = {act.act for act in reading.acts()}
            act = next((act for act in reading.acts() if act.act == "claims_success"), None)
            promised = {a.act for a in graph.reading(opening).acts()} & {"promises_check", "claims_check"}
            # Another check is no run of tests.
            shows = {"test"} if _VERDICT_NOUNS["test"].search(text) is not None else {"test", "check"}
            if act is not None and "claims_check" in acts and not acts & _MENTIONS and not ran & shows:
                yield Claim(
                    said=opening,
                    stated_by=call,
                    act=act,
                    sentence=text[:400],
                    about=commands[0],
                    scope="printed",
                    named=bool(promised),
                    standing="contradicted",
                    evidence=call,
                    messages_until=None,
                )
        ran.update(one.command.effect for one in commands)


def _own_words(commands: Sequence[Ran]) -> str:
    """What a line prints of itself, or writes to a file of results; empty where it does anything else."""
    if not commands:
        return ""
    if only_prints(commands) and all(ran.command.runs_if != "after_failure" for ran in commands):
        words = [" ".join(ran.command.words[1:]) for ran in commands if program(ran) in _PRINTED]
        return "\n".join(word.replace("\\n", "\n") for word in words if "$" not in word)[:2000]
    first = commands[0]
    if len(commands) == 1 and first.command.writes and _RESULTS.search(first.command.target.name):
        return first.command.writes[:2000]
    return ""
