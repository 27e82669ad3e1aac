"""From a session to the line of events: messages, calls, and the commands that calls ran."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any

from msgspec.structs import replace

import sessionlens.shell.outcome as outcomes
from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.findings import Place
from sessionlens.graph.events import Called, CutOff, Event, Ran, Said
from sessionlens.graph.gone import Gone, Told, empties
from sessionlens.graph.pointers import Pointers
from sessionlens.graph.speaking import posts, spoken
from sessionlens.model import Call, Message, Role, Session, Text, TextPart
from sessionlens.shell import tools
from sessionlens.shell.command import CHANGES, Command, Outcome
from sessionlens.shell.effects import copied
from sessionlens.shell.messages import words_of
from sessionlens.shell.outcome import Shown
from sessionlens.shell.parse import LONGEST_LIST, file_key
from sessionlens.shell.rounds import of_group
from sessionlens.shell.shown import file_text
from sessionlens.targets import EnvironmentSettings

_LIMIT_WORDS = lazy(r"[^\n]{0,120}(?:tim(?:ed?|ing)[ -]?out|exceed|terminated)[^\n]{0,120}", re.IGNORECASE)


Judged = Callable[[Call, tuple[Command, ...]], tuple[Outcome, ...] | None]
"""Tells what the result of a call shows of its commands, where somebody has found that out already."""


def unjudged(_call: Call, _commands: tuple[Command, ...]) -> None:
    """Nobody has."""


def events_of(session: Session, settings: EnvironmentSettings, judged: Judged = unjudged) -> list[Event]:
    """All events of a session and its children in reading order, ``seq`` being the position.

    The events of a child stand right after the call that started it; a child that no call names stands at
    the end of its parent.
    """
    line: list[Event] = []
    writer = _Writer(line, settings, judged)
    # A stack instead of recursion: the log decides how deep children nest.
    stack = [_Walk(writer, session, 0)]
    while stack:
        walk = stack[-1]
        child_id = next(walk.steps, None)
        if child_id is None and walk.waiting:
            child_id = next(iter(walk.waiting))
        if child_id is None:
            stack.pop()
        elif (child := walk.waiting.pop(child_id, None)) is not None:
            stack.append(_Walk(writer, child, walk.depth + 1))
    return line


def result_of(call: Call) -> dict[str, Any]:
    """What the log shows of a call's result, as :func:`sessionlens.shell.outcome.judge` takes it."""
    return {
        "output": call.output.ends() if call.output is not None else "",
        "exit": call.exit,
        # What the client runs on in the background has not ended, whatever the call says.
        "status": "running" if call.background else call.status,
        "cut_off": call.timed_out,
        "interrupted": call.interrupted,
        "error": call.error.ends() if call.error is not None else None,
    }


def prose(texts: Sequence[TextPart]) -> str:
    """What was said in one go, as it is read."""
    if len(texts) == 1:
        return texts[0].text.ends()
    return "\n\n".join(part.text.ends() for part in texts)


def language_role(role: Role) -> language.Role:
    """Whose acts are looked for in the prose of a role."""
    return "user" if role == "user" else "assistant"


def proses(session: Session) -> dict[tuple[str, language.Role], int]:
    """The prose that is read when a session and its children are judged, with whose it is, numbered in the log's order.

    Left out are what tools say to people and what is blank.
    """
    found: dict[tuple[str, language.Role], int] = {}
    for member in session.family():
        for message in member.messages:
            role = language_role(message.role)
            texts: list[TextPart] = []
            for part in (*message.parts, None):
                if isinstance(part, TextPart) and not part.synthetic:
                    texts.append(part)
                elif texts and (part is None or isinstance(part, Call)):
                    text = prose(texts)
                    if text.strip():
                        found.setdefault((text, role), len(found))
                    texts = []
    return found


class _Walk:
    """The way through one session, interrupted at each call that may have started a child."""

    def __init__(self, writer: _Writer, session: Session, depth: int) -> None:
        self.depth = depth
        self.waiting = {child.id: child for child in session.children}
        self.steps: Iterator[str] = (
            child for message in session.messages for child in writer.message(session, message, depth)
        )


class _Writer:
    """Appends events, numbering them and the turns they belong to."""

    def __init__(self, line: list[Event], settings: EnvironmentSettings, judged: Judged) -> None:
        self._line, self._settings, self._judged = line, settings, judged
        self._turn = 0
        self._pointers = Pointers(settings)
        self._gone = Gone()
        self._written: dict[str, str] = {}
        """What commands wrote to files, by name: a message may be sent from one."""
        self._lists: dict[str, str] = {}
        """Whole texts of short files of the own machine, by path: a loop may go through one."""
        self._same: dict[Outcome, Outcome] = {}
        """Outcomes so far: most results show one of a few things, and each of these is kept once."""
        self._before: dict[str, tuple[Role, bool]] = {}
        """Per session: role of the message before, and whether it had calls."""

    def message(self, session: Session, message: Message, depth: int) -> Iterator[str]:
        """Write the events of a message; yields the id of each child where its events belong."""
        role = self._role(session, message)
        human = depth == 0 and role == "user" and (message.human or message.role == "unknown")
        self._turn += human
        place = Place(
            session=session.id, message_id=message.id, message_index=message.index, line=message.origin.line
        )
        texts: list[TextPart] = []
        opening = True

        def say() -> None:
            if opening or any(not part.text.blank() for part in texts):
                said = Said(
                    seq=len(self._line),
                    at=place,
                    message=message,
                    role=role,
                    role_known=message.role != "unknown",
                    human=human,
                    texts=tuple(texts),
                    opening=opening,
                    turn=self._turn,
                    depth=depth,
                )
                self._line.append(said)

        for part in message.parts:
            if isinstance(part, TextPart) and not part.synthetic:
                texts.append(part)
            elif isinstance(part, Call):
                say()
                texts, opening = [], False
                posted = self._call(session, place, part, depth)
                if role == "assistant":
                    words = spoken(part)
                    for through, text in ((part.name, words),) if words else posted:
                        # What a tool tells people is said to them, as an event of its own.
                        told = TextPart(text=Text(text), origin=part.origin)
                        self._line.append(
                            Said(
                                seq=len(self._line),
                                at=place,
                                message=message,
                                role=role,
                                role_known=message.role != "unknown",
                                human=False,
                                texts=(told,),
                                opening=False,
                                through=through,
                                turn=self._turn,
                                depth=depth,
                            )
                        )
                if part.child:
                    yield part.child
        say()

    def _messages(self, commands: tuple[Command, ...]) -> tuple[Command, ...]:
        """The commands, those that send a message from a file with its words, where an earlier command wrote it."""
        for command in commands:
            if command.effect == "edit" and command.writes and command.target.kind == "file":
                _keep(self._written, command.target.name, command.writes)
        if not self._written or all(command.says != "" for command in commands):
            return commands
        return tuple(self._with_words(command) if command.says == "" else command for command in commands)

    def _gone_through(self, line: str | None) -> tuple[tuple[str, str], ...]:
        """The known files that a line may go through, each with its text."""
        if line is None or not self._lists or _GOES_THROUGH.search(line) is None:
            return ()
        return tuple((path, text) for path, text in self._lists.items() if path.rsplit("/", 1)[-1] in line)

    def _learn_list(
        self, call: Call, commands: tuple[Command, ...], arguments: dict[str, Any], folder: str | None
    ) -> None:
        """Take in the whole text of a short file that a call wrote or showed, and nothing besides."""
        for command in commands:
            target = command.target
            if target.kind != "file" or target.host is not None or command.via or not target.name:
                continue
            text: str | None = None
            if command.effect in CHANGES:
                if call.status != "error" and call.exit in (None, 0):
                    text = _whole_text(command, arguments)
                if self._lists:
                    self._lists.pop(file_key(target.name, folder), None)
            elif command.effect == "read" and len(commands) == 1:
                plain = command.words[:1] == ("cat",)
                if not plain and any(key in arguments for key in _PARTS):
                    continue
                shown = call.output
                if shown is None or shown.length > LONGEST_LIST or call.exit not in (None, 0):
                    continue
                text = shown.head if plain else file_text(shown.head)
            if text is not None and text.strip() and len(text) <= LONGEST_LIST:
                _keep(self._lists, file_key(target.name, folder), text)

    def _with_words(self, command: Command) -> Command:
        for word in command.words[1:]:
            text = self._written.get(word.lstrip("@").removeprefix("payload=@"))
            if text is not None:
                return replace(command, says=words_of(text))
        return command

    def _role(self, session: Session, message: Message) -> Role:
        before, called = self._before.get(session.id, ("assistant", False))
        role = message.role
        if role == "unknown":
            follows = called or before == "user"
            role = "assistant" if message.calls or follows else "user"
        if role in ("user", "assistant"):
            self._before[session.id] = (role, bool(message.calls))
        return role

    def _commands(
        self, session: Session, call: Call, arguments: dict[str, Any], line: str | None
    ) -> tuple[Command, ...]:
        """The commands of a call, by what is known so far of the files that its line goes through."""
        return tools.read_call(
            call.name,
            arguments,
            settings=self._settings,
            directory=session.directory,
            files=self._gone_through(line),
        )

    def _call(self, session: Session, message: Place, call: Call, depth: int) -> list[tuple[str, str]]:
        """Write the events of a call; returns what its commands told people, each with the program that did."""
        arguments = call.arguments()
        line = tools.command_line(call.name, arguments)
        commands = self._commands(session, call, arguments, line)
        self._learn_list(call, commands, arguments, session.directory)
        if (
            line is not None
            and any(command.each for command in commands)
            and (shown := _gone_over(line, call))
        ):
            # The loop itself prints each name that it comes to.
            _keep(self._lists, file_key(shown[0], session.directory), shown[1])
            commands = self._commands(session, call, arguments, line)
        commands = self._messages(self._pointers.place(commands, session.directory))
        result = result_of(call)
        output, error = result["output"], result["error"]
        judged = self._judged(call, commands)
        if judged is None:
            judged = outcomes.judge(commands, **result)
        asking = tuple(map(_as_request, commands))
        answered = judged if all(map(is_, asking, commands)) else outcomes.judge(asking, **result)
        place = Place(
            session=message.session,
            message_id=message.message_id,
            message_index=message.message_index,
            call_id=call.id,
            line=call.origin.line if call.origin.line is not None else message.line,
        )
        called = Called(
            seq=len(self._line),
            at=place,
            call=call,
            line=line,
            cut_off=_cut_off(call, output, error or "", commands, judged),
            connection_lost=line is not None
            and outcomes.connection_lost(f"{output}\n{error}" if error else output, call.exit),
            turn=self._turn,
            depth=depth,
        )
        self._line.append(called)
        seen: tuple[Shown, ...] | None = None
        for position, (command, judgement) in enumerate(zip(commands, judged, strict=True)):
            self._pointers.learn(command, judgement)
            several = tuple(each_target(command))
            states = _states_of_units(command, output, len(several))
            for number, one in enumerate(several):
                own = judgement
                if states:
                    own = outcomes.judge((one,), **{**result, "output": states[number], "exit": None})[0]
                ran = Ran(
                    seq=len(self._line),
                    at=place,
                    call=called,
                    position=position,
                    command=one,
                    outcome=self._same.setdefault(own, own),
                    turn=self._turn,
                    depth=depth,
                )
                if own.among:
                    # One of several went wrong, and nobody knows which: that is said of the group alone.
                    ran = replace(ran, outcome=outcomes.left_open(own))
                    self._line.extend(_of_group(ran, own))
                    self._gone.learn(one, ran.outcome, output)
                    continue
                if self._gone.asks(one):
                    seen = outcomes.parts(commands, **result) if seen is None else seen
                    if seen:
                        self._line.extend(self._looks(ran, seen[position]))
                        continue
                self._line.append(ran)
                self._gone.learn(one, own, output)
            if asking[position] is not command and answered[position].state is not None:
                self._line.append(
                    replace(
                        ran,
                        seq=len(self._line),
                        command=asking[position],
                        outcome=answered[position],
                        answer=True,
                    )
                )
        sent = posts(tuple(zip(commands, judged, strict=True)), call)
        return [(one.through, one.words) for one in sent if one.arrived and one.words]

    def _looks(self, ran: Ran, shown: Shown) -> Iterator[Ran]:
        """A look, and what it tells of things that had been deleted: of the one that it names, and of those that it lists."""
        command, outcome = ran.command, ran.outcome
        itself = self._gone.of_itself(command, outcome, shown)
        told = {itself.target: itself} if itself is not None else {}
        for one in self._gone.of_list(command, outcome, shown):
            told.setdefault(one.target, one)
        named = told.get(command.target)
        if named is not None and command.check_strength not in (None, "read_back"):
            yield _look_at(ran, named, ran.seq)
            del told[command.target]
        elif empties(told.values(), outcome, shown):
            yield replace(ran, outcome=replace(outcome, state="good", failed=False), of_gone=True)
        else:
            yield ran
        for seq, one in enumerate(told.values(), ran.seq + 1):
            yield _look_at(ran, one, seq)


def _of_group(ran: Ran, outcome: Outcome) -> Iterator[Ran]:
    """A round of a loop whose outcome is open, and what one of the rounds came to, as an event of its own about the group."""
    yield ran
    yield replace(ran, seq=ran.seq + 1, command=of_group(ran.command, outcome.among), outcome=outcome)


def _look_at(ran: Ran, told: Told, seq: int) -> Ran:
    """What a look tells of one thing that had been deleted, as an event of its own."""
    strength = ran.command.check_strength
    command = replace(
        ran.command,
        effect="check",
        check_strength="state" if strength in (None, "read_back", "presence") else strength,
        target=told.target,
    )
    return replace(ran, seq=seq, command=command, outcome=told.outcome, of_gone=True)


def _as_request(command: Command) -> Command:
    """A request that writes, read as what it is besides: one that whatever serves the address has to answer."""
    if command.effect != "write_data" or command.target.kind != "url" or command.dry_run or command.detached:
        return command
    return replace(command, effect="check", check_strength="exercise")


_FILES = 100
"""Files whose text is kept."""


def _keep(texts: dict[str, str], name: str, text: str) -> None:
    """Keep the text of a file, and of many files the latest."""
    if len(texts) >= _FILES:
        texts.pop(next(iter(texts)))
    texts[name] = text


_GOES_THROUGH = lazy(
    r"\b(?:for(?:each)?|while|xargs|parallel|mapfile|readarray)\b|\b(?:pssh|parallel-ssh|pdsh|clush|dsh)\b|Get-Content|\bgc\b",
    re.IGNORECASE,
)
"""Words of lines that go through lists."""
_PARTS = frozenset({"offset", "limit", "view_range", "start_line", "end_line", "startLine", "endLine"})
"""What asks a tool for a part of a file."""


_PRINTS_EACH = lazy(
    r"(?:\bdo\s+|-c\s+['\"]\s{0,3})(?:echo|printf)\s+(?:-\w{1,3}\s+)?(?:\"(?P<double>[^\"\n]{1,80})\"|(?P<bare>[^\s;&|\"'>]{1,80}(?:\s\$?\{?\w{0,30}\}?)?))\s{0,3}(?=[;\n&])"
)
"""What a loop prints at the beginning of each round."""
_THROUGH_FILE = lazy(r"(?:\bcat\s+|<\s{0,3})(?P<file>[\w./~-]{1,200})(?=[)\s|;]|$)")
_VARIABLE = lazy(r"\$\{?\w{1,40}\}?|\{\}")


def _gone_over(line: str, call: Call) -> tuple[str, str] | None:
    """The file that a loop goes through and its lines, where each round begins by printing the name that it is at, and
    the loop came to its end.
    """
    if (
        call.output is None
        or call.timed_out
        or call.interrupted
        or call.background
        or call.status != "completed"
    ):
        return None
    head, file = _PRINTS_EACH.search(line), _THROUGH_FILE.search(line)
    if head is None or file is None or "<<" in line or call.truncated:
        return None
    form = head["double"] or head["bare"]
    if len(_VARIABLE.findall(form)) != 1:
        return None
    before, after = _VARIABLE.split(form)
    shown = re.compile(
        rf"^{re.escape(before.lstrip())}(?P<name>[A-Za-z0-9][\w.@-]{{1,80}}){re.escape(after.rstrip())}",
        re.MULTILINE,
    )
    if not before.strip() and not after.strip():
        # A bare name stands alone in its line.
        shown = re.compile(r"^(?P<name>[A-Za-z][\w.@-]{0,80}[\d.][\w.@-]{0,80})$", re.MULTILINE)
    names = dict.fromkeys(found["name"] for found in shown.finditer(call.output.ends()[:_READ]))
    return (file["file"], "\n".join(names)) if 1 < len(names) <= _FILES else None


_READ = 16_000
"""Characters of an output in which the names of a loop are looked for."""


def _whole_text(command: Command, arguments: dict[str, Any]) -> str | None:
    """The whole text that a command gives a file, where it does not add to it or change a part of it."""
    if any(key in arguments for key in ("content", "file_text", "contents", "file_content")):
        return command.writes
    if command.words[:1] in (("cat",), ("echo",), ("printf",)) and "-a" not in command.words:
        line = next((value for value in arguments.values() if isinstance(value, str) and ">" in value), ">>")
        return None if ">>" in line else command.writes
    return None


_MANY = frozenset({"check", "reboot", "restart", "reload", "stop", "delete"})
"""Effects of commands that take a list of things; of the others a second name is a source or an option."""


def each_target(command: Command) -> Iterator[Command]:
    """A command once for each thing of one kind that it names: ``systemctl restart loki tempo`` restarts two.

    What a command shows besides, another name of the same thing, stays with each of them.
    """
    target = command.target
    if target.kind == "file" and (paths := copied(command)):
        # Of a copy into a folder every file stands there under its own name.
        for path in paths:
            leaf = path.rsplit("/", 1)[-1]
            also = tuple(other for other in command.also if other.name.rsplit("/", 1)[-1] == leaf)
            yield replace(command, target=replace(target, name=path), also=also)
        return
    if command.effect not in _MANY and "start" not in command.words:
        yield command
        return
    siblings = tuple(
        other
        for other in command.also
        if (other.kind, other.host) == (target.kind, target.host)
        and other.name != target.name
        and any(word.removesuffix(".service") == other.name for word in command.words[1:])
    )
    if not siblings:
        yield command
        return
    also = tuple(other for other in command.also if other not in siblings)
    for one in (target, *siblings):
        yield replace(command, target=one, also=also)


_UNIT_STATES = frozenset(
    {"active", "activating", "deactivating", "failed", "inactive", "reloading", "unknown"}
)


def _states_of_units(command: Command, output: str, count: int) -> list[str]:
    """What ``systemctl is-active`` prints of each of several units, a line each in their order; empty where the lines are
    not those of these units alone.
    """
    if count < 2 or command.words[1:2] != ("is-active",):
        return []
    states = [line for line in map(str.strip, output.splitlines()) if line in _UNIT_STATES]
    return states if len(states) == count else []


def _cut_off(
    call: Call, output: str, error: str, commands: tuple[Command, ...], judged: tuple[Outcome, ...]
) -> CutOff | None:
    if call.timed_out:
        quote = _limit_quote(error) or _limit_quote(output[-2000:])
        return CutOff(
            by="client", limit_ms=call.limit_ms, confidence="high" if quote else "medium", quote=quote
        )
    for command, judgement in zip(commands, judged, strict=True):
        if judgement.expired:
            limit = None if command.limit_s is None else round(command.limit_s * 1000)
            return CutOff(by="in_command", limit_ms=limit, quote=judgement.quote)
    return None


def _limit_quote(text: str) -> str:
    """The last line of a result that names the limit, for quoting only: the reader has judged already."""
    lines = [found.group().strip() for found in _LIMIT_WORDS.finditer(text)]
    return lines[-1] if lines else ""
