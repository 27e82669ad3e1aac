"""A session while a reader puts it together: messages, calls that wait for their results, gaps.

For readers whose logs tell one session from its beginning to its end. What a client writes at the ends of an
output (time limits, interruptions, exit codes) is judged here, in one place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import (
    Call,
    Gap,
    Message,
    Origin,
    Part,
    Role,
    Session,
    Text,
    TextPart,
    Trouble,
    Unread,
)
from sessionlens.readers import wordings
from sessionlens.readers.jsonl import string

_GAPS_AT_MOST = 50
"""Gaps of one kind told one by one; the rest is counted."""
_ALIASES_LOOKED_AT = 64

ABORTED = "MessageAbortedError"
"""Name of the error of a message that the person stopped, as the model knows it."""

_SHELL_NAMES = frozenset(
    {
        "bash", "shell", "execcommand", "localshell", "containerexec", "runshellcommand", "executecommand",
        "runterminalcmd", "runterminalcommand", "runinterminal", "terminal", "runcommand", "executebash", "exec",
        "powershell", "execute", "sh", "cmd", "command", "developershell", "bashtool", "executeshell", "runshell", "run",
        "writestdin", "readbash", "writebash", "bashoutput", "bashsession", "python", "runipython", "executeipythoncell",
        "ipython", "executepython", "codeinterpreter", "bashcommand", "shellcommand", "unifiedexec", "interactiveshell",
    }
)  # fmt: skip
"""Tools that run commands, lower case, without separators and server prefix."""

_EXITS = (
    lazy(r"\A\s*(?:Error: )?Exit code:? (?P<code>-?\d{1,10})(?:\r?\n|\Z)", re.IGNORECASE),
    lazy(r"\A\s*<returncode>(?P<code>-?\d{1,10})</returncode>"),
    lazy(r"\A\s*Command executed in terminal [^\n]{0,400}?Exit code: (?P<code>-?\d{1,10})\b"),
    lazy(r"<shellId: [^<>\n]{1,80} completed with exit code (?P<code>-?\d{1,10})>\s*\Z"),
    lazy(r"<exited with exit code (?P<code>-?\d{1,10})>\s*\Z"),
    lazy(r"\[(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code (?P<code>-?\d{1,10})\.?\][^\n]*\s*\Z"),
    lazy(r"(?:\A|\n)[ \t]*[(\[<](?:process |command )?(?:exited with |finished with )?(?:exit |return )?"
               r"(?:code|status):? ?=? ?(?P<code>-?\d{1,10})[)\]>]\s*\Z", re.IGNORECASE),
    lazy(r"(?:\A|\n)(?:Process|Command) exited with (?:exit )?code (?P<code>-?\d{1,10})\.?\s*\Z"),
)  # fmt: skip
"""How clients tell the exit code within an output, where a client puts it: at its very start or end."""
_WINDOW = 2048


class Fields:
    """Fields of a later :class:`Call`, by name as in a dictionary, in a quarter of its memory."""

    __slots__ = Call.__struct_fields__

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.update(given)

    def update(self, given: Mapping[str, Any] | None = None, **more: Any) -> None:
        """Set fields."""
        for name, value in (*(given or {}).items(), *more.items()):
            setattr(self, name, value)

    def get(self, name: str, default: Any = None) -> Any:
        """A field, or what stands for one that is not set."""
        return getattr(self, name, default)

    def setdefault(self, name: str, value: Any) -> None:
        """Set a field that is not set."""
        if not hasattr(self, name):
            setattr(self, name, value)

    def keys(self) -> list[str]:
        """Names of the fields that are set."""
        return [name for name in self.__slots__ if hasattr(self, name)]

    def __contains__(self, name: str) -> bool:
        return hasattr(self, name)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class CallDraft:
    """A call before it is complete."""

    __slots__ = ("fields",)

    def __init__(self, **fields: Any) -> None:
        """The fields of the later :class:`Call`."""
        self.fields = Fields(fields)

    def call(self) -> Call:
        """The call as known so far."""
        return Call(**self.fields)

    @property
    def answered(self) -> bool:
        """Whether a result or an error came."""
        return self.fields.get("output") is not None or self.fields.get("error") is not None


class Draft:
    """A message before it is complete."""

    __slots__ = (
        "agent", "aliases", "calling", "ended", "error", "finish", "id", "model", "origin", "parts", "role", "summary", "time",
        "tokens_in", "tokens_out", "waiting_from",
    )  # fmt: skip

    def __init__(
        self, role: Role, origin: Origin, *, identifier: str | None = None, time: int | None = None
    ) -> None:
        """Nothing of it is known but who wrote it and where it stands. An empty id is none."""
        self.role, self.origin, self.id, self.time = role, origin, identifier or None, time
        self.parts: list[Part | CallDraft] = []
        self.calling: list[CallDraft] = []
        self.waiting_from = 0
        self.aliases: list[str] = []
        self.ended: int | None = None
        self.model: str | None = None
        self.agent: str | None = None
        self.finish: str | None = None
        self.tokens_in: int | None = None
        self.tokens_out: int | None = None
        self.error: Trouble | None = None
        self.summary = False

    def alias(self, identifier: str | None) -> None:
        """Lead an id of a joined record here."""
        if (
            identifier is not None
            and identifier != self.id
            and identifier not in self.aliases[-_ALIASES_LOOKED_AT:]
        ):
            self.aliases.append(identifier)

    def until(self, time: int | None) -> None:
        """It lasted at least to this time."""
        if time is not None and (self.ended is None or time > self.ended):
            self.ended = time

    def say(self, text: Text, origin: Origin, *, synthetic: bool = False) -> None:
        """Add prose; an empty text adds nothing, since a message without parts is empty already."""
        if text:
            self.parts.append(TextPart(text=text, synthetic=synthetic, origin=origin))

    def calls(self) -> list[CallDraft]:
        """Its calls so far; not to be changed."""
        return self.calling

    def waiting(self) -> CallDraft | None:
        """Its first call that has no result."""
        while self.waiting_from < len(self.calling) and self.calling[self.waiting_from].answered:
            self.waiting_from += 1
        return self.calling[self.waiting_from] if self.waiting_from < len(self.calling) else None

    def message(self, index: int) -> Message:
        """The message as known so far."""
        return Message(
            id=self.id,
            index=index,
            role=self.role,
            parts=tuple(part.call() if isinstance(part, CallDraft) else part for part in self.parts),
            time=self.time,
            ended=self.ended,
            model=self.model,
            agent=self.agent,
            finish=self.finish,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            error=self.error,
            summary=self.summary,
            aliases=tuple(self.aliases),
            origin=self.origin,
        )


class SessionDraft:
    """One session before it is complete."""

    def __init__(
        self, source_format: str, identifier: str, *, client: str | None = None, shown: str | None = None
    ) -> None:
        """``client`` is its name for :mod:`wordings` (``None`` takes those of all), ``shown`` the one to show."""
        self.shown = shown or client
        self.source_format, self.id, self.client = source_format, identifier, client
        self.drafts: list[Draft] = []
        self.calls: dict[str, tuple[Draft, CallDraft]] = {}
        self.gaps: list[Gap] = []
        self.title: str | None = None
        self.version: str | None = None
        self.directory: str | None = None
        self.parent: str | None = None
        self.truncated = False
        self._unknown: dict[str, tuple[int, Origin]] = {}
        self._unreadable = 0
        self._acting: Draft | None = None

    def message(
        self, role: Role, origin: Origin, *, identifier: str | None = None, time: int | None = None
    ) -> Draft:
        """Append a message."""
        draft = Draft(role, origin, identifier=identifier, time=time)
        self.drafts.append(draft)
        return draft

    def last(self, role: Role) -> Draft | None:
        """The last message when it is of this role."""
        return self.drafts[-1] if self.drafts and self.drafts[-1].role == role else None

    def call(
        self, draft: Draft, *, name: str, identifier: str | None, text: Text, origin: Origin, **more: Any
    ) -> CallDraft:
        """Append a call to a message; it is running until :meth:`answer` brings its result."""
        call = CallDraft(
            id=identifier, name=name or "unknown", input=text, origin=origin, status="running", **more
        )
        draft.parts.append(call)
        draft.calling.append(call)
        self._acting = draft
        if identifier is not None:
            self.calls[identifier] = (draft, call)
        return call

    def waiting(self) -> tuple[Draft, CallDraft] | None:
        """The first call without a result of the message that called last, for results without an id."""
        draft = self._acting
        call = draft.waiting() if draft is not None else None
        return (draft, call) if draft is not None and call is not None else None

    def answer(
        self,
        found: tuple[Draft, CallDraft] | str | None,
        origin: Origin,
        *,
        output: Text | None = None,
        error: Text | None = None,
        time: int | None = None,
        alias: str | None = None,
        failed: bool | None = None,
        **more: Any,
    ) -> CallDraft | None:
        """Bring the result of a call, given by its id or as found; tells a gap where there is no such call.

        ``more`` are facts that the log states (``exit``, ``timed_out``, …): they win over what its wording tells.
        A second result of one call is kept as a gap, so that nothing vanishes.
        """
        if not isinstance(found, tuple):
            shown = (found or "without id")[:80]
            known = self.calls.get(found) if found is not None else None
            if known is None:
                self.gap(f"the result of a call that this log does not hold ({shown})", origin)
                return None
            found = known
        draft, call = found
        draft.alias(alias)
        draft.until(time)
        if call.answered:
            shown = str(call.fields.get("id") or call.fields["name"])[:80]
            self.unread(f"a second result of the call {shown}", origin)
            return call
        call.fields.update(output=output, error=error, result_origin=origin)
        if time is not None:
            call.fields["end"] = time
        settle(call, self.client, failed=failed)
        call.fields.update({key: value for key, value in more.items() if value is not None})
        return call

    def interrupt(self, words: str) -> None:
        """The person stopped the agent: what was running is interrupted, and so is the message."""
        if not self.drafts:
            return
        draft = self.drafts[-1]
        for call in draft.calls():
            if not call.answered:
                call.fields.update(interrupted=True, status="error")
        draft.error = draft.error or Trouble(name=ABORTED, text=words)

    def gap(self, reason: str, origin: Origin) -> None:
        """Tell what could not be understood."""
        self.gaps.append(Gap(reason=reason, origin=origin))

    @property
    def due(self) -> bool:
        """Whether words of the agent are due: after a person's, or after calls."""
        last = self.drafts[-1] if self.drafts else None
        return last is not None and (last.role in ("user", "unknown") or bool(last.calling))

    def unread(self, reason: str, origin: Origin) -> None:
        """Tell what could not be read; where words of the agent are due, they may have been in it."""
        if not self.due:
            self.gap(reason, origin)
            return
        draft = self.last("unknown") or self.message("unknown", origin)
        draft.parts.append(Unread(reason=reason, origin=origin))

    def unknown(self, kind: str, origin: Origin) -> None:
        """Count records of a kind that the reader does not know; told once, with the first place."""
        count, first = self._unknown.get(kind, (0, origin))
        self._unknown[kind] = (count + 1, first)

    def unreadable(self, origin: Origin, *, cut: bool = False) -> None:
        """A record that is no readable JSON; ``cut`` when the log stops within it.

        A whole one may have held words of the agent: where they are due, or behind its last ones.
        """
        self._unreadable += 1
        self.truncated = self.truncated or cut
        if cut and self._unreadable <= _GAPS_AT_MOST:
            self.gap("the log stops within this record", origin)
        elif self._unreadable <= _GAPS_AT_MOST:
            reason = "a record is no readable JSON object"
            last = self.last("assistant")
            if last is None or last.calling:
                self.unread(reason, origin)
            else:
                last.parts.append(Unread(reason=reason, origin=origin))

    def session(self) -> Session:
        """The session as read."""
        gaps = list(self.gaps)
        if self._unreadable > _GAPS_AT_MOST:
            gaps.append(Gap(reason=f"{self._unreadable - _GAPS_AT_MOST} more records are no readable JSON"))
        for kind, (count, origin) in self._unknown.items():
            times = "1 record" if count == 1 else f"{count} records"
            gaps.append(
                Gap(reason=f"{times} of an unknown kind ({kind[:80]}), the first here", origin=origin)
            )
        return Session(
            id=self.id,
            source_format=self.source_format,
            title=self.title,
            client=self.shown,
            client_version=self.version,
            directory=self.directory,
            parent=self.parent,
            messages=tuple(draft.message(index) for index, draft in enumerate(self.drafts)),
            gaps=tuple(gaps),
            truncated=self.truncated,
        )


def runs_commands(name: str) -> bool:
    """Whether a tool runs commands, so that what it prints at the end of its output is the client's word."""
    last = re.split(r"__|\.|:|/", name)[-1] or name
    return re.sub(r"[^a-z0-9]", "", last.lower()) in _SHELL_NAMES


def settle(call: CallDraft, client: str | None, *, failed: bool | None = None) -> None:
    """Judge a call by the ends of its result: status, time limit, interruption, exit code, shortened output.

    ``client`` as in :mod:`wordings`. Only tools that run commands are judged by the wording of an output:
    what others return may quote a log. An error is the client's own word and always judged.
    """
    fields = call.fields
    output: Text | None = fields.get("output")
    error: Text | None = fields.get("error")
    told = error if error is not None else output
    fields["status"] = "error" if error is not None or failed else "completed"
    if told is None:
        return
    cut = wordings.mcp_cut_off(told)
    if cut is not None and (error is not None or failed or not runs_commands(fields["name"])):
        fields.update(timed_out=True, status="error")
        fields["limit_ms"] = cut.limit_ms if cut.limit_ms is not None else fields.get("limit_ms")
        return
    if error is None and not runs_commands(fields["name"]):
        return
    start, end = told.head[:_WINDOW], told.end()[-_WINDOW:]
    if not _told(start, end):
        fields["exit"] = exit_code(start, end) if fields.get("exit") is None else fields["exit"]
        return
    cut = wordings.cut_off(end, output_start=start, client=client)
    if cut is None and client is not None:
        cut = _anyone(end, start)
    if cut is not None:
        fields["timed_out"] = True
        if cut.limit_ms is not None:
            fields["limit_ms"] = cut.limit_ms
    elif wordings.refused(start, client=client) is None and wordings.aborted(
        end, output_start=start, client=client
    ):
        fields["interrupted"] = True
    if wordings.shortened(start, end, client=client) is not None:
        fields["truncated"] = True
    if fields.get("exit") is None and cut is None:
        fields["exit"] = exit_code(start, end)


_HINTS = (
    "time", "exceed", "cancel", "kill", "terminat", "abort", "hit ", "return", "interrupt", "reject", "rule", "restrict",
    "dismiss", "want", "denied", "allow", "truncat", "large", "omitted", "…",
)  # fmt: skip
"""Words of which each client's wording has at least one: most outputs have none, and need no closer look."""


def _told(start: str, end: str) -> bool:
    words = (start + end if start is not end else start).lower()
    return any(hint in words for hint in _HINTS)


def _anyone(end: str, start: str) -> wordings.CutOff | None:
    """A wording that no client is known by; those of other clients are left out."""
    for wording in wordings.CUT_OFF:
        if wording.client is None:
            found = wording.pattern.search(end) if wording.where == "end" else wording.pattern.match(start)
            if found is not None:
                return wordings.cut_off(end, output_start=start)
    return None


def exit_code(start: str, end: str) -> int | None:
    """The exit code that a client wrote at the start or end of an output; ``None`` where it wrote none."""
    for pattern in _EXITS:
        found = pattern.search(start[:_WINDOW] if pattern.pattern.startswith(r"\A") else end[-_WINDOW:])
        if found is not None:
            return int(found["code"])
    return None


def role_of(value: Any) -> Role:
    """The role that a name stands for in chat formats; ``unknown`` for any other."""
    name = (string(value) or "").lower()
    if name in ("user", "human", "customer"):
        return "user"
    if name in ("assistant", "ai", "model", "bot", "gpt", "agent", "gemini"):
        return "assistant"
    return "system" if name in ("system", "developer") else "unknown"
