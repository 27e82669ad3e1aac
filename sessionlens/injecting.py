"""Plants known faults into a session, so that a team can measure recall on logs like its own.

A fault is planted in one of two ways. *Altered*: something of the session itself is taken away or changed, such as the
check after a production edit, the answer after a command that is then cut off. *Added*: a small scene of a few messages
is put before a word of the person, or at the end. Scenes for the three mission rules vary in host, service, command,
limit and wording; those of other rules are the flagged examples of the rule, and so hardly a test of it, but of
whether the surroundings hide it. Some faults are about what the rest of the session lacks, such as any run of the
tests: there the surroundings may rightly hide the scene.

Everything is decided by the seed: the same session, rules and seed give the same faults.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import msgspec

from sessionlens import engine
from sessionlens.environments import scratch
from sessionlens.examples import Example, Expected, Step, asks, bash, cut_off_words, nothing, says
from sessionlens.graph.events import Called, Ran
from sessionlens.graph.queries import any_call, changes, human, told_state
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.model import Call, Message, Part, Session, Text, TextPart
from sessionlens.rule import Rule
from sessionlens.targets import EnvironmentSettings

EMPTY = "empty-message-after-timeout"
RESTART = "unacknowledged-long-running-restart"
EDIT = "unverified-production-edit"
LOOP = "step-loop"
CLAIM = "claim-contradicted-by-evidence"


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """A session with one fault in it."""

    session: Session
    """The session, changed."""
    rule: str
    """Slug of the rule that must find it."""
    message_index: int
    """The message where it must."""
    also: tuple[int, ...] = ()
    """Further messages where it must, since the same change planted a fault there too."""
    how: str
    """``altered`` or ``added``."""
    why: str
    """What was done, in words."""


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that was not planted."""

    rule: str
    """Slug of the rule."""
    reason: str
    """Why not."""


def inject(
    session: Session,
    rules: Mapping[str, type[Rule]],
    *,
    seed: int = 0,
    settings: EnvironmentSettings | None = None,
) -> Iterator[Planted | Skipped]:
    """Plant each fault that there is for these rules, one in each session that is given back.

    A rule that finds something in the session as it is gets none: what it finds there nobody has judged.
    """
    ordered = [rules[slug]() for slug in sorted(rules)]
    needed = {rule.slug: rule for rule in ordered}
    result = engine.audit(session, rules=list(needed.values()), settings=settings)
    found = {finding.rule for finding in result.findings}
    blind = {row.rule: row.reason for row in result.not_checkable}
    for rule in ordered:
        slug = rule.slug
        if slug in blind:
            yield Skipped(rule=slug, reason=blind[slug])
        elif slug in found:
            yield Skipped(rule=slug, reason="the session has findings of it as it is")
        else:
            yield from _plant(session, rule, seed, settings)


def _plant(
    session: Session, rule: Rule, seed: int, settings: EnvironmentSettings | None
) -> Iterator[Planted | Skipped]:
    # A string seeds the generator the same way everywhere, whatever the order of rules and faults.
    rng = Random(f"{seed}\0{session.id}\0{rule.slug}")
    alter = _ALTERED.get(rule.slug)
    if alter is not None:
        altered = alter(SessionGraph(session, settings), rng)
        if altered is None:
            yield Skipped(rule=rule.slug, reason="nothing in the session that could be altered into it")
        else:
            yield altered
    added = _added(session, rule, rng)
    if added is None:
        yield Skipped(rule=rule.slug, reason="no scene of it fits this session")
    else:
        yield added


# -- altered ----------------------------------------------------------------------------------------------


def _silenced(graph: SessionGraph, rng: Random) -> Planted | None:
    """A command of a turn is cut off, and what the assistant said after it is gone."""
    choices = [called for called in _last_calls(graph) if called.line is not None]
    if not choices:
        return None
    called = rng.choice(choices)
    session = graph.session
    limit = rng.choice((30_000, 60_000, 120_000))
    index = called.at.message_index
    head = [*session.messages[:index], _cut(session.messages[index], called, limit)]
    ended = _ended(head[-1])
    head.append(
        Message(
            id="planted_1",
            index=len(head),
            role="assistant",
            time=ended,
            ended=ended,
            finish="stop",
            tokens_out=0,
            model=session.messages[index].model,
        )
    )
    return Planted(
        session=_put_together(session, [*head, *session.messages[_turn_end(session, index) :]]),
        rule=EMPTY,
        message_index=len(head) - 1,
        how="altered",
        why="the last command of the turn cut off, and an empty message in place of the answer",
    )


def _unanswered(graph: SessionGraph, rng: Random) -> Planted | None:
    """A restart of the session is cut off, and its turn ends on something else."""
    choices = [
        (called, ran)
        for called in _last_starts(graph)
        for ran in graph.commands(called)
        if ran.start
        and ran.command.target.kind in ("service", "container", "compose", "k8s", "host", "database")
        and ran.command.confidence != "low"
    ]
    if not choices:
        return None
    called, _ = rng.choice(choices)
    session, index = graph.session, called.at.message_index
    head = [*session.messages[:index], _cut(session.messages[index], called, rng.choice((15_000, 30_000)))]
    head.append(_prose(rng.choice(_ASIDES), len(head), _ended(head[-1]), session.messages[index].model))
    return Planted(
        session=_put_together(session, [*head, *session.messages[_turn_end(session, index) :]]),
        rule=RESTART,
        message_index=index,
        how="altered",
        why="a start of the session cut off, and an answer that speaks of something else",
    )


def _unchecked(graph: SessionGraph, rng: Random) -> Planted | None:
    """A production change of the session loses every check that came in time."""
    choices = []
    for ran in graph.span().all(changes):
        if not isinstance(ran, Ran) or ran.depth or not _production(graph, ran):
            continue
        window = graph.after(ran.call).until(human)
        looks = [event for event in window.all(told_state(ran.command.target)) if isinstance(event, Ran)]
        own = any(graph.match(other, ran.command.target) for other in graph.commands(ran.call) if other.check)
        if looks and not own and all(look.depth == 0 for look in looks):
            choices.append((ran, looks))
    if not choices:
        return None
    ran, looks = rng.choice(choices)
    gone = {look.call.seq for look in looks}
    # One look may have been at several changes: they all lose it.
    bare = {id(one.call.call) for one, its in choices if {look.call.seq for look in its} <= gone}
    calls = {id(event.call) for event in graph.events if isinstance(event, Called) and event.seq in gone}
    messages: list[Message] = []
    index, also = 0, []
    for message in graph.session.messages:
        parts = tuple(part for part in message.parts if id(part) not in calls)
        if len(parts) < len(message.parts) and all(_bare(part) for part in parts):
            continue
        if message.index == ran.at.message_index:
            index = len(messages)
        elif any(id(part) in bare for part in parts):
            also.append(len(messages))
        messages.append(msgspec.structs.replace(message, parts=parts))
    return Planted(
        session=_put_together(graph.session, messages),
        rule=EDIT,
        message_index=index,
        also=tuple(also),
        how="altered",
        why=f"every look at {ran.command.target.name} taken away that came in time",
    )


def _repeated(graph: SessionGraph, rng: Random) -> Planted | None:
    """A call that had a result is made once more, with the same result."""
    quiet = [
        called
        for called in graph.span().all(any_call)
        if isinstance(called, Called)
        and called.depth == 0
        and called.call.status == "completed"
        and called.call.continues is None
        and called.call.child is None
        and not (called.cut_off or called.call.background or called.call.interrupted)
        and len(graph.session.messages[called.at.message_index].calls) == 1
        and (commands := graph.commands(called))
        and all(
            ran.command.effect in ("read", "check")
            and ran.command.check_strength in (None, "read_back", "presence")
            for ran in commands
        )
        and not any(word in (called.line or "") for word in ("sleep", "tail", "watch", "wait", "timeout"))
    ]
    if not quiet:
        return None
    called = rng.choice(quiet)
    session, index = graph.session, called.at.message_index
    message = session.messages[index]
    again = msgspec.structs.replace(called.call, id="planted_call_1")
    copy = msgspec.structs.replace(
        message,
        id="planted_1",
        aliases=(),
        time=_ended(message),
        ended=_ended(message),
        parts=(msgspec.structs.replace(again, start=_ended(message), end=_ended(message)),),
    )
    return Planted(
        session=_put_together(
            session, [*session.messages[: index + 1], copy, *session.messages[index + 1 :]]
        ),
        rule=LOOP,
        message_index=index + 1,
        how="altered",
        why="a call made once more, with the same result",
    )


def _claimed(graph: SessionGraph, rng: Random) -> Planted | None:
    """The last words of a turn in which a test, build or check had failed become a statement of success."""
    choices = []
    for turn in graph.turns:
        if turn.session != graph.session.id or turn.interrupted or not turn.calls or not turn.messages:
            continue
        last = turn.messages[-1]
        standing = [one for one in graph.standing(turn) if one.sign == "outcome"]
        spoken = (
            last.role == "assistant" and not last.message.calls and last.texts and not last.message.summary
        )
        if spoken and standing and standing[-1].event.command.effect in _STATEMENTS:
            choices.append((last, standing[-1].event.command.effect))
    if not choices:
        return None
    last, effect = rng.choice(choices)
    index = last.at.message_index
    message = graph.session.messages[index]
    words = TextPart(text=Text(rng.choice(_STATEMENTS[effect])))
    messages = list(graph.session.messages)
    messages[index] = msgspec.structs.replace(message, parts=(words,))
    return Planted(
        session=_put_together(graph.session, messages),
        rule=CLAIM,
        message_index=index,
        how="altered",
        why=f"the last words of a turn with a failed {effect} replaced by a statement of success",
    )


_STATEMENTS = {
    "test": ("All tests pass now.", "Fixed: every test passes."),
    "build": ("The build passes.", "It builds without errors now."),
}

_ALTERED: dict[str, Callable[[SessionGraph, Random], Planted | None]] = {
    EMPTY: _silenced,
    RESTART: _unanswered,
    EDIT: _unchecked,
    LOOP: _repeated,
    CLAIM: _claimed,
}


def _last_calls(graph: SessionGraph) -> Iterator[Called]:
    """The last call of each turn of the session itself, where it came to its end and somebody spoke after it."""
    for turn in graph.turns:
        if turn.session != graph.session.id or turn.interrupted or not turn.calls:
            continue
        called = turn.calls[-1]
        call = called.call
        spoke = any(said.seq > called.seq and not said.message.empty for said in turn.messages)
        ended = call.status == "completed" and not call.background and call.continues is None
        if ended and called.cut_off is None and (spoke or turn.prose_after) and call.child is None:
            yield called


def _last_starts(graph: SessionGraph) -> Iterator[Called]:
    """Calls of the session itself that (re)start something and came to their end, with nothing else open."""
    for called in graph.span().all(any_call):
        if isinstance(called, Called) and called.depth == 0 and called.line is not None:
            call = called.call
            if call.status == "completed" and not (call.background or call.interrupted or called.cut_off):
                yield called


def _production(graph: SessionGraph, ran: Ran) -> bool:
    command = ran.command
    return (
        command.effect in ("edit", "configure", "write_data", "migrate", "deploy")
        and not command.restarts_in_effect
        and not ran.outcome.failed
        and command.confidence != "low"
        and command.target.kind != "unknown"
        and bool(command.target.name)
        and not (command.target.kind == "file" and scratch(command.target))
        and graph.setting(ran).environment == "production"
    )


def _cut(message: Message, called: Called, limit_ms: int) -> Message:
    """A message that ends on a call which a time limit ended."""
    at = message.parts.index(called.call)
    call = msgspec.structs.replace(
        called.call,
        timed_out=True,
        exit=None,
        limit_ms=limit_ms,
        output=Text(cut_off_words(limit_ms)),
        end=None if called.call.start is None else called.call.start + limit_ms,
        error=None,
        truncated=False,
        spilled=None,
        full_output=None,
    )
    ended = call.end if call.end is not None else message.ended
    return msgspec.structs.replace(
        message, parts=(*message.parts[:at], call), ended=ended, finish="tool-calls"
    )


def _bare(part: Part) -> bool:
    """Whether a part would leave an empty message behind."""
    return not isinstance(part, Call) and not (isinstance(part, TextPart) and not part.text.blank())


# -- added --------------------------------------------------------------------------------------------------

_ASIDES = (
    "Next I will write the changelog entry.",
    "I have also tidied the wording of the README.",
    "On to the second item of your list: the logo.",
    "The release notes are drafted too.",
    "Als Nächstes schreibe ich den Eintrag im Changelog.",
)
"""What an assistant says instead: of something else, with no word about a command."""
_HOSTS = ("root@10.77.4.19", "deploy@edge-3.prod.example.net", "ops@203.0.113.40", "admin@db7.prod.internal")
_SERVICES = ("ledgerd", "pricing-api", "mailrelay", "searchd", "ticketing", "imagecache")
_RESTARTS = (
    "ssh {host} 'systemctl restart {service}'",
    "ssh {host} 'sudo systemctl restart {service}.service'",
    "ssh {host} 'sudo service {service} restart'",
    "ssh {host} 'docker restart {service}'",
)
_EDITS = (
    "ssh {host} \"sed -i 's/^workers=.*/workers=12/' /etc/{service}/{service}.conf\"",
    "ssh {host} \"echo 'max_conn = 900' | sudo tee -a /etc/{service}/limits.conf\"",
    "scp ./{service}.toml {host}:/etc/{service}/{service}.toml",
    "ssh {host} \"psql -d {service} -c 'UPDATE settings SET retries = 5'\"",
)
_WISHES = (
    "please change it for {service}",
    "{service} needs it too",
    "und jetzt noch {service}",
    "do {service} as well",
)
_DONE = (
    "The new setting is in place for {service}.",
    "Set. {service} has the new value.",
    "That is changed now.",
)


def _scene(slug: str, rng: Random) -> tuple[Step, ...] | None:
    """A scene of a mission rule."""
    names = {"host": rng.choice(_HOSTS), "service": rng.choice(_SERVICES)}

    def one(of: tuple[str, ...]) -> str:
        return rng.choice(of).format(**names)

    limit = rng.choice((10.0, 15.0, 20.0, 30.0, 45.0))
    if slug == EMPTY:
        return (
            asks(one(_WISHES)),
            bash(one(_RESTARTS + _EDITS), limit=limit, times_out=True),
            nothing(rng.choice(("stop", "unknown", "length")), flag=slug),
        )
    if slug == RESTART:
        return (
            asks(one(_WISHES)),
            bash(one(_RESTARTS), limit=limit, times_out=True, flag=slug),
            says(rng.choice(_ASIDES)),
        )
    if slug == EDIT:
        return asks(one(_WISHES)), bash(one(_EDITS), flag=slug), says(one(_DONE))
    return None


def _added(session: Session, rule: Rule, rng: Random) -> Planted | None:
    """A scene before a word of the person, or at the end."""
    scene = _scene(rule.slug, rng)
    examples = [
        example
        for example in rule.examples
        # Those with a person first, no child, and no settings or log of their own are at home anywhere.
        if len(example.flags(rule.slug)) == 1
        and example.flags(rule.slug)[0].count == 1
        and example.steps[0].does == "user"
        and example.settings is None
        and not example.truncated
        and all(step.does in ("user", "assistant", "call", "group", "wait") for step in example.steps)
    ]
    if scene is None and not examples:
        return None
    example = Example("planted", *scene) if scene is not None else rng.choice(examples)
    built, expected = example.build()
    (spot,) = (one for one in expected if one.flag.rule == rule.slug)
    long = (built.ended or 0) - (built.started or 0) + 2000
    at = _position(session, long, rng)
    return _with_scene(session, built, spot, at, rule.slug)


def _position(session: Session, long: int, rng: Random) -> int:
    """Before a human message with time enough before it, or the end."""
    places = [len(session.messages)]
    for before, message in zip(session.messages, session.messages[1:], strict=False):
        if not message.human or before.summary or before.human:
            continue
        ended = _ended(before)
        if ended is None or message.time is None or message.time - ended >= long:
            places.append(message.index)
    return rng.choice(places)


def _with_scene(session: Session, scene: Session, spot: Expected, at: int, slug: str) -> Planted:
    moments = [moment for m in session.messages[:at] if (moment := _ended(m)) is not None]
    began = max(moments) + 1000 if moments else None
    # A log without times gets none.
    shift = None if began is None or scene.started is None else began - scene.started
    added = [_moved(message, shift, number) for number, message in enumerate(scene.messages)]
    return Planted(
        session=_put_together(session, [*session.messages[:at], *added, *session.messages[at:]]),
        rule=slug,
        message_index=at + spot.message_index,
        how="added",
        why="a scene put " + ("at the end" if at == len(session.messages) else f"before message {at}"),
    )


def _moved(message: Message, shift: int | None, number: int) -> Message:
    def moment(value: int | None) -> int | None:
        return None if value is None or shift is None else value + shift

    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Call):
            parts.append(
                msgspec.structs.replace(
                    part, id=f"planted_{number}_{part.id}", start=moment(part.start), end=moment(part.end)
                )
            )
        else:
            parts.append(part)
    return msgspec.structs.replace(
        message,
        id=f"planted_{number}",
        time=moment(message.time),
        ended=moment(message.ended),
        parts=tuple(parts),
    )


# -- both -----------------------------------------------------------------------------------------------------


def _ended(message: Message) -> int | None:
    moments = [message.time, message.ended]
    for call in message.calls:
        moments += [call.start, call.end]
    return max((moment for moment in moments if moment is not None), default=None)


def _turn_end(session: Session, index: int) -> int:
    """The next human message, or the end."""
    later = (message.index for message in session.messages[index + 1 :] if message.human)
    return next(later, len(session.messages))


def _prose(text: str, index: int, time: int | None, model: str | None) -> Message:
    return Message(
        id="planted_1",
        index=index,
        role="assistant",
        parts=(TextPart(text=Text(text)),),
        time=time,
        ended=time,
        finish="stop",
        tokens_out=12,
        model=model,
    )


def _put_together(session: Session, messages: list[Message]) -> Session:
    """The session with these messages; children whose call is gone go too."""
    numbered = tuple(msgspec.structs.replace(message, index=at) for at, message in enumerate(messages))
    named = {call.child for message in session.messages for call in message.calls if call.child}
    kept = {call.child for message in numbered for call in message.calls if call.child}
    children = tuple(child for child in session.children if child.id in kept or child.id not in named)
    return msgspec.structs.replace(session, messages=numbered, children=children)


def labels(planted: Planted, file: str) -> bytes:
    """The lines of ``labels.jsonl`` for a planted fault."""
    rows = []
    for index in (planted.message_index, *planted.also):
        row: dict[str, Any] = {
            "file": file,
            "rule": planted.rule,
            "message_index": index,
            "verdict": "yes",
            "why": f"{planted.how}: {planted.why}",
        }
        rows.append(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    return b"".join(rows)


def clean_label(rule: str, file: str) -> bytes:
    """The line for the session as it was: the rule must find nothing."""
    row = {"file": file, "rule": rule, "message_index": None, "verdict": "no", "why": "as it was"}
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
