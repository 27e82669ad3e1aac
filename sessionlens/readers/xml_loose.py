"""The loose reading of a transcript XML: the whole file again, for when the strict one fails.

Only known tags at places where they make sense are markup; everything else is text, as it is written. What
decides, in this order: what follows a tag (another tag, the end of the file, or text), balance of opening and
closing tags, and ids that increase. A message cites earlier messages, never later ones, so that a ``<msg …>``
with a later id begins a message and one with an earlier id, within a message, is quoted text. Where these
disagree, the doubt is noted as a gap. Every deviation is noted as a repair.

Looking ahead is bounded by a budget for the whole file, so that reading stays linear in its size.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sessionlens.cache import lazy
from sessionlens.model import Origin, Repair, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.family import nest
from sessionlens.readers.source import Source
from sessionlens.readers.xml_build import RESULTS, Element, NotStrict, Reading, SessionBuilder, attributes
from sessionlens.readers.xml_text import readable, unescape

_LEAVES = frozenset({"text", "reasoning", "subtask", "error", "input", "path", "full_output", *RESULTS})
_MARKS = frozenset({"compaction", "summary", "file", "gap", "alias", "repair"})
_IN_TOOL = frozenset({"input", "error", "full_output", *RESULTS})
_NAMES = ("conversation_data", "msg", "tool", "changed", *sorted(_LEAVES), *sorted(_MARKS))
_ALTERNATIVES = b"|".join(name.encode() for name in _NAMES)
_VALUE = rb"(?:\"(?:[^\"<]*|[^\"\n]*)\"|'(?:[^'<]*|[^'\n]*)'|(?:[^\s\"'<>/]|/(?!>))+)"
_TAG = lazy(
    rb"<(?:/(?P<close>" + _ALTERNATIVES + rb")\s*>"
    rb"|(?P<open>"
    + _ALTERNATIVES
    + rb")(?P<attrs>(?:\s+[A-Za-z_][\w:.-]*(?:\s*=\s*"
    + _VALUE
    + rb")?)*+)\s*(?P<empty>/?)>"
    rb"|(?P<broken>conversation_data|msg|tool)(?=[\s/>])(?P<rest>[^<>\n]{0,2000}?)(?P<end>/?)>"
    rb"|(?P<cdata>!\[CDATA\[))"
)
_ATTRIBUTE = lazy(
    rb"([A-Za-z_][\w:.-]*)(?:\s*=\s*(?:\"((?:[^\"<]*|[^\"\n]*))\"|'((?:[^'<]*|[^'\n]*))'|[\"']?((?:[^\s\"'<>/]|/(?!>))+)[\"']?))?"
)
_SPACE = lazy(rb"\s*")
_COMMENT = lazy(rb"\s*(?:<!--(?:(?!-->).){0,20000}-->|<\?(?:(?!\?>).){0,2000}\?>)\s*", re.DOTALL)
_CALL = lazy(rb"\[[A-Za-z][A-Za-z0-9_.-]{1,40}\][ {]")
_TAIL = lazy(rb"</?([a-z_]{0,17})(\s[^<>\n]{0,300})?/?\Z")
_DEPTH = 32
"""Child sessions nested deeper than this become siblings: nobody delegates so deep, a hostile log might."""
_STRAY = 2000
"""Visible characters outside messages up to which they are a gap; more of it is a message of unknown role."""


class _Token(NamedTuple):
    """One tag that may be markup."""

    begin: int
    end: int
    name: str
    closing: bool
    empty: bool
    attrs: bytes


def read(source: Source, codec: str, why: NotStrict) -> list[Session]:
    """The sessions of a file that is no well-formed transcript. ``why`` goes first into the repairs.

    Raises :class:`ReadError` when there is not one message in it.
    """
    reading = Reading(source, codec, well_formed=False)
    parser = _Parser(reading)
    builders = parser.run()
    if all(builder.empty and builder.root is None for builder in builders):
        raise ReadError(
            source.name,
            f"no message could be read ({why.kind})",
            line=why.line if why.offset is None else source.line_at(why.offset),
            advice="A transcript holds <msg id=…> elements",
        )
    place = Origin(line=why.line) if why.offset is None else reading.origin(why.offset, why.offset)
    repairs, gaps = reading.take()
    builders[-1].repairs += repairs
    builders[-1].gaps += gaps
    for builder in builders:
        builder.repairs.insert(0, Repair(kind=f"read loosely: {why.kind}", origin=place))
    kept = [builder for builder in builders if not builder.empty or builder.root is not None]
    for builder in builders:
        if builder.empty and builder.root is None:
            # Only notes stood before the first root: they belong to its session.
            kept[0].gaps[:0] = builder.gaps
            kept[0].repairs[1:1] = builder.repairs[1:]
    # Children before their parents: a child's root opens after its parent's.
    done: list[Session] = []
    for builder in reversed(kept):
        above = parser.above.get(id(builder))
        if above is not None:
            above.children.insert(0, builder.finish())
        else:
            done.append(builder.finish())
    return nest(reversed(done))


class _Parser:
    """One pass over the tags of a file."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.view = reading.source.view()
        self.size = len(self.view)
        self.start = reading.source.start
        self.tokens = list(self._scan())
        self.following = self._same()
        self.closes = sum(1 for token in self.tokens if token.name == "msg" and token.closing)
        self.budget = 12 * len(self.tokens) + 50_000
        self.roots: list[Element] = []
        self.owners: list[SessionBuilder | None] = []
        self.builders: list[SessionBuilder] = []
        self.tops: dict[str, SessionBuilder] = {}
        self.above: dict[int, SessionBuilder] = {}
        self.depths: dict[int, int] = {}
        self.builder: SessionBuilder | None = None
        self.message: Element | None = None
        self.position = self.start
        self.index = 0
        self.wrapped = self.unwrapped = False
        self.nested = 0
        self.last: int | None = None
        self.first: dict[int, int] = {}
        self.seen: set[str] = set()
        self.calls = False
        self.roles = False
        self.hollow: Element | None = None
        self.fresh_root = False
        self.truncated = False

    # Tags

    def _scan(self) -> list[_Token]:
        tokens = []
        position = self.start
        no_cdata_end = False
        while (found := _TAG.search(self.view, position)) is not None:
            position = found.end()
            if found["cdata"]:
                end = -1 if no_cdata_end else self.view.find(b"]]>", position)
                if end < 0:
                    no_cdata_end = True
                else:
                    position = end + 3
                continue
            if found["close"]:
                tokens.append(_Token(found.start(), found.end(), found["close"].decode(), True, False, b""))
            elif found["open"]:
                name = found["open"].decode()
                tokens.append(
                    _Token(found.start(), found.end(), name, False, bool(found["empty"]), found["attrs"])
                )
            else:
                name = found["broken"].decode()
                tokens.append(
                    _Token(found.start(), found.end(), name, False, bool(found["end"]), found["rest"])
                )
        return tokens

    def _same(self) -> list[int]:
        """For each tag the index of the next one of the same name, or -1."""
        following = [-1] * len(self.tokens)
        latest: dict[str, int] = {}
        for index in range(len(self.tokens) - 1, -1, -1):
            name = self.tokens[index].name
            following[index] = latest.get(name, -1)
            latest[name] = index
        return following

    def _attributes(self, token: _Token) -> dict[str, str]:
        result: dict[str, str] = {}
        if not token.attrs:
            return result
        for found in _ATTRIBUTE.finditer(token.attrs):
            quoted = found[2] if found[2] is not None else found[3]
            raw = quoted if quoted is not None else found[4]
            value, _ = readable(raw or b"", self.reading.codec)
            result.setdefault(found[1].decode("utf-8", "replace"), unescape(value))
        return result

    def _element(self, token: _Token, *, note: bool = True) -> Element:
        element = Element(token.name, self._attributes(token), token.begin, token.end, token.end, token.end)
        if note and token.attrs:
            found = list(_ATTRIBUTE.finditer(token.attrs))
            if any(one[4] is not None for one in found):
                self.reading.repair("unquoted attribute", token.begin, token.end)
            if any(one[2] is one[3] is one[4] is None for one in found):
                self.reading.repair("attribute without value", token.begin, token.end)
        return element

    def _next_to(self, index: int) -> _Token | bool | None:
        """What follows a tag but for white space: the next tag, ``True`` at the end of the file, else ``None``."""
        end = self._blank_to(self.tokens[index].end)
        if end >= self.size:
            return True
        if index + 1 < len(self.tokens) and self.tokens[index + 1].begin == end:
            return self.tokens[index + 1]
        return None

    def _blank_to(self, position: int) -> int:
        found = _SPACE.match(self.view, position)
        return position if found is None else found.end()

    def _structural(self, token: _Token) -> bool:
        """Whether a tag stands at the start of a line or right after the tag before it."""
        begin = max(self.position, token.begin - 200)
        before = bytes(self.view[begin : token.begin])
        if not before.strip():
            return begin == self.position or b"\n" in before
        line = before.rfind(b"\n")
        return line >= 0 and not before[line:].strip()

    # The main line

    def run(self) -> list[SessionBuilder]:
        """Read everything; the builders of all sessions, in order."""
        self._cut_tail()
        while self.index < len(self.tokens):
            token = self.tokens[self.index]
            if token.begin < self.position:
                self.index += 1
            elif self.message is None:
                self._outside(token)
            else:
                self._inside(token)
        if self.message is None:
            self._stray(self.position, self.size)
        if self.message is not None:
            if self.closes:
                self._stopped("message", self.message.begin)
            self._close_message(self.size, self.size)
        if any("format" in root.attrs for root in self.roots):
            self.truncated = True
        if self.roots:
            self.reading.repair("no closing </conversation_data>", self.size)
        self._settle()
        if self.truncated and self.builder is not None:
            self.builder.truncated = True
        return self.builders

    def _cut_tail(self) -> None:
        """A tag that the end of the file cuts in two is no text."""
        tail = bytes(self.view[max(self.start, self.size - 320) :])
        found = _TAIL.search(tail)
        if found is None or not found[0].strip(b"</"):
            return
        name = found[1].decode()
        if name in _NAMES if found[2] is not None else any(known.startswith(name) for known in _NAMES):
            begin = self.size - len(found[0])
            shown = found[0].decode("utf-8", "replace")
            self.reading.gap(f"the log stops within a tag: {shown}", begin, self.size)
            self.truncated = True
            self.size = begin

    def _stopped(self, what: str, begin: int) -> None:
        self.truncated = True
        self.reading.gap(f"the log stops within a {what}", begin, self.size)

    # Outside messages

    def _outside(self, token: _Token) -> None:
        if token.name == "msg" and not token.closing:
            if self._stray(self.position, token.begin):
                return
            self._open_message(token)
        elif token.name == "conversation_data":
            if self._stray(self.position, token.begin):
                return
            if token.closing:
                self._close_root(token)
            else:
                self._open_root(token)
            self.position = token.end
            self.index += 1
        elif token.name in ("gap", "repair") and not token.closing and self._marked(token):
            if self._stray(self.position, token.begin):
                return
            element = self._mark(token)
            self._owner().note(element)
            self.position = element.end
        elif token.closing:
            if self._stray(self.position, token.begin):
                return
            self.reading.repair(f"stray </{token.name}>", token.begin, token.end)
            self.position = token.end
            self.index += 1
        elif self._part_here(token, outside=True):
            if self._stray(self.position, token.begin):
                return
            self._adopt(token.begin)
        else:
            self.index += 1

    def _stray(self, begin: int, end: int) -> bool:
        """Take text outside messages: ``True`` when it became the beginning of a message."""
        while begin < end and (found := _COMMENT.match(self.view, begin, end)) is not None:
            begin = found.end()
        data = bytes(self.view[begin:end])
        if not data.strip():
            return False
        lead = len(data) - len(data.lstrip())
        if self.hollow is not None or len(data.strip()) > _STRAY:
            self.position = begin + lead
            self._adopt(begin + lead)
            return True
        shown = readable(data.strip(), self.reading.codec)[0]
        self.reading.gap(f"text outside any message: {shown}", begin + lead, begin + len(data.rstrip()))
        self.hollow = None
        return False

    def _adopt(self, begin: int) -> None:
        """Begin a message for what stands outside any: the self-closed one before it, or one without id."""
        if self.hollow is not None:
            self.message, self.hollow = self.hollow, None
            self.reading.repair("content after a self-closed <msg>", begin)
        else:
            self._settle()
            self.message = Element("msg", {"role": "unknown"}, begin, begin, begin, begin)
            self.reading.repair("content outside any <msg>", begin)
        self.wrapped, self.unwrapped, self.nested = False, False, 0
        self.position = begin

    def _open_root(self, token: _Token) -> None:
        root = self._element(token)
        attributes(root)
        owner: SessionBuilder | None = None
        session = root.get("session")
        around = self.owners[-1] if self.owners else None
        if session is not None or not self.builders:
            self._settle()
            if around is None:
                owner = self.tops.get(session) if session is not None else None
                if self.builders:
                    self.reading.repair("several roots", token.begin, token.end)
            elif around.id == session and not around.written:
                owner = around
                self.reading.repair("<conversation_data> within another", token.begin, token.end)
            if owner is None:
                owner = self._new(root, session, around)
            self.builder = owner
        else:
            kind = "<conversation_data> within another" if self.roots else "several roots"
            self.reading.repair(kind, token.begin, token.end)
            self.fresh_root = not self.roots
        if token.empty:
            return
        self.roots.append(root)
        self.owners.append(owner or around)

    def _close_root(self, token: _Token) -> None:
        if not self.roots:
            self.reading.repair("stray </conversation_data>", token.begin, token.end)
            return
        self.roots.pop()
        owner = self.owners.pop()
        above = self.owners[-1] if self.owners else None
        if above is not None and above is not owner:
            self._settle()
            self.builder = above

    def _new(
        self, root: Element | None, session: str | None, around: SessionBuilder | None = None
    ) -> SessionBuilder:
        """A further session; ``around`` is the one whose root holds its root."""
        from sessionlens.readers.transcript_xml import stem

        name = stem(self.reading.source)
        if session is None and self.builders:
            name = f"{name}-{len(self.builders) + 1}"
        repairs, gaps = self.reading.take()
        if self.builders:
            self.builders[-1].repairs += repairs
            self.builders[-1].gaps += gaps
        builder = SessionBuilder(self.reading, root, name)
        if not self.builders:
            self.reading.repairs[:0] = repairs
            self.reading.gaps[:0] = gaps
        if self.truncated:
            builder.truncated = True
        self.builders.append(builder)
        if around is None:
            self.tops.setdefault(builder.id, builder)
        else:
            while self.depths.get(id(around), 0) >= _DEPTH:
                around = self.above[id(around)]
            self.depths[id(builder)] = self.depths.get(id(around), 0) + 1
            self.above[id(builder)] = around
            if builder.parent is None and not around.written:
                builder.parent = around.id
        self.seen = set()
        self.last = None
        return builder

    def _owner(self) -> SessionBuilder:
        if self.builder is None:
            self.builder = self._new(None, None)
            self.reading.repair("no <conversation_data> around everything", self.start)
        return self.builder

    # Messages

    def _open_message(self, token: _Token) -> None:
        self._settle()
        element = self._element(token)
        attributes(element)
        number = _number(element.get("id"))
        if self.fresh_root and self.builder is not None and number is not None:
            first = self.first.get(id(self.builder))
            if first is not None and number <= first and len(self.seen) > 1:
                self.builder = self._new(None, None)
                self.reading.repair("several roots: ids begin again", token.begin, token.end)
        self.fresh_root = False
        owner = self._owner()
        if number is not None:
            self.first.setdefault(id(owner), number)
            self.last = number
        if element.get("id") is not None:
            self.seen.add(element.attrs["id"])
        self.roles = self.roles or "role" in element.attrs
        self.wrapped, self.unwrapped, self.nested = False, False, 0
        self.position = token.end
        self.index += 1
        if token.empty:
            self.hollow = element
        else:
            self.message = element

    def _close_message(self, end: int, after: int) -> None:
        """End the open message's content at ``end``; reading goes on at ``after``."""
        element = self.message
        if element is None:
            return
        self._flush(end)
        if self.wrapped:
            self.reading.repair("no </conversation_data> within a message", end)
        element.inner_end, element.end = end, after
        self._owner().add(element)
        self.message = None
        self.position = after

    def _settle(self) -> None:
        """A self-closed message that no content followed is complete."""
        if self.hollow is not None:
            element, self.hollow = self.hollow, None
            self._owner().add(element)

    def _flush(self, end: int) -> None:
        """The text up to ``end`` that stands directly in the message."""
        message = self.message
        if message is None or self.position >= end:
            return
        data = bytes(self.view[self.position : end])
        if data.strip():
            begin = self.position + len(data) - len(data.lstrip())
            stop = self.position + len(data.rstrip())
            message.children.append(Element("text", {}, begin, begin, stop, stop, direct=True))
            if not self.calls and _CALL.search(data):
                self.calls = True
        self.position = end

    def _inside(self, token: _Token) -> None:
        if token.name == "msg":
            self._message_tag(token)
        elif token.name == "conversation_data":
            self._root_tag(token)
        elif token.closing:
            follower = self._next_to(self.index)
            if self._structural(token) or (follower is not None and self._ends_text(follower)):
                self._flush(token.begin)
                self.reading.repair(f"stray </{token.name}>", token.begin, token.end)
                self.position = token.end
            self.index += 1
        elif self._part_here(token):
            self._flush(token.begin)
            self._part(token)
        else:
            self.index += 1

    def _ends_text(self, follower: _Token | bool) -> bool:
        """Whether what follows a closing tag shows that the text before it is over."""
        return not isinstance(follower, _Token) or follower.name in ("msg", "conversation_data", "tool")

    def _message_tag(self, token: _Token) -> None:
        message = self.message
        if message is None:
            return
        if token.closing:
            if self._closes_message(self.index):
                self._close_message(token.begin, token.end)
            elif self.nested:
                self.nested -= 1
            self.index += 1
            return
        if self._begins_message(self.index):
            if self.closes and not self.unwrapped:
                self.reading.repair("no </msg>", message.begin, message.inner)
            elif not self.closes:
                self.reading.repair("messages without </msg>", message.begin, message.inner)
            self._close_message(token.begin, token.begin)
            return
        self.reading.repair("<msg …> quoted in a message", token.begin, token.end)
        if not token.empty:
            self.nested += 1
        self.index += 1

    def _closes_message(self, index: int) -> bool:
        """Whether a ``</msg>`` in direct text ends the message, or is quoted."""
        if self._boundary_after(index):
            return True
        if self.nested:
            return False
        following = self.following[index]
        return following < 0 or not self.tokens[following].closing

    def _boundary_after(self, index: int) -> bool:
        follower = self._next_to(index)
        if follower is None:
            return False
        if not isinstance(follower, _Token):
            return True
        if follower.name == "conversation_data":
            return True
        return follower.name == "msg" and not follower.closing and self._later(follower) is not False

    def _later(self, token: _Token) -> bool | None:
        """Whether the id of a ``<msg …>`` comes after all before it; ``None`` when that cannot be told."""
        name = self._attributes(token).get("id")
        if not name:
            return None
        number = _number(name)
        if number is not None and self.last is not None:
            return number > self.last
        return name not in self.seen

    def _begins_message(self, index: int) -> bool:
        """Whether a ``<msg …>`` within a message begins the next one (its ``</msg>`` is missing), or is quoted."""
        token = self.tokens[index]
        if self.unwrapped:
            return True
        structural = self._structural(token)
        role = "role" in self._attributes(token)
        later = self._later(token)
        if later is None:
            return structural and (role or not self.roles)
        if later:
            if self._balanced(index):
                if structural:
                    self._doubt(token, "kept as text, for it is closed within another message")
                return False
            if not structural:
                self._doubt(token, "taken for a message, though it stands within a line")
            return True
        if structural and role and not self.closes:
            self._doubt(token, "taken for a message, though its id is not a new one")
            return True
        if structural and (role or not self.roles):
            self._doubt(token, "kept as text, for its id is not a new one")
        return False

    def _doubt(self, token: _Token, what: str) -> None:
        shown = readable(bytes(self.view[token.begin : token.end]), self.reading.codec)[0]
        self.reading.gap(f"{shown[:200]} is {what}", token.begin, token.end)

    def _balanced(self, index: int) -> bool:
        """Whether a ``<msg …>`` is closed and a further ``</msg>`` for the open message follows."""
        if not self.closes:
            return False
        balance = 0
        while index >= 0 and self.budget > 0:
            self.budget -= 1
            token = self.tokens[index]
            if not token.empty:
                balance += -1 if token.closing else 1
            index = self.following[index]
            if balance == 0:
                return index >= 0 and self.tokens[index].closing
        return False

    def _root_tag(self, token: _Token) -> None:
        message = self.message
        if message is None:
            return
        follower = self._next_to(self.index)
        if token.closing:
            if self.wrapped:
                following = self.following[self.index]
                if follower is not None or following < 0 or not self.tokens[following].closing:
                    self._flush(token.begin)
                    self.wrapped, self.unwrapped = False, True
                    self.position = token.end
            elif follower is True or (
                isinstance(follower, _Token)
                and (
                    follower.name == "conversation_data" or (follower.name == "msg" and not follower.closing)
                )
            ):
                self.reading.repair("no </msg>", message.begin, message.inner)
                self._close_message(token.begin, token.begin)
                return
        elif not message.children and not bytes(self.view[self.position : token.begin]).strip():
            if self.unwrapped or "session" in self._attributes(token):
                self._close_message(token.begin, token.begin)
                return
            self.reading.repair("<conversation_data> within a message", token.begin, token.end)
            self.position = token.end
            self.wrapped = not token.empty
            self.unwrapped = token.empty
        elif self.unwrapped or (
            self._structural(token)
            and isinstance(follower, _Token)
            and follower.name == "msg"
            and not follower.closing
        ):
            self._close_message(token.begin, token.begin)
            return
        self.index += 1

    # Parts

    def _marked(self, token: _Token) -> bool:
        """Whether an element that may hold nothing does hold nothing."""
        if token.empty:
            return True
        follower = self._next_to(self.index)
        return isinstance(follower, _Token) and follower.closing and follower.name == token.name

    def _part_here(self, token: _Token, *, outside: bool = False) -> bool:
        """Whether a tag opens a part of the message, rather than being quoted (HTML, SVG, a client's output)."""
        name = token.name
        if name in ("input", "path", "repair", "full_output") or not self._structural(token):
            return False
        attrs = self._attributes(token) if token.attrs else {}
        if name == "tool":
            return not attrs.keys().isdisjoint(("name", "tool", "attrs"))
        if name in ("text", "reasoning"):
            return attrs.keys() <= {"synthetic", "enc", "attrs"}
        if name == "error":
            return not outside and attrs.keys() <= {"name", "enc", "attrs"}
        if name == "tool_result":
            return True
        if name in RESULTS:
            return self.calls
        if name == "changed":
            return True
        if name == "subtask":
            return attrs.keys() <= {"agent", "enc", "attrs"}
        wanted = {"file": ("name", "mime"), "gap": ("reason",), "alias": ("id",)}.get(name)
        if token.empty:
            return True
        if wanted is not None and "attrs" not in attrs and not any(one in attrs for one in wanted):
            return False
        return self._marked(token)

    def _part(self, token: _Token) -> None:
        message = self.message
        if message is None:
            return
        if token.name == "tool":
            message.children.append(self._tool(token))
            self.calls = True
        elif token.name in _LEAVES:
            message.children.append(self._leaf(token, "msg"))
        elif token.name == "changed":
            message.children.append(self._changed(token))
        else:
            message.children.append(self._mark(token))
        self.position = message.children[-1].end

    def _mark(self, token: _Token) -> Element:
        """An element without content."""
        element = self._element(token)
        self.index += 1
        if not token.empty:
            closing = self.tokens[self.index]
            element.inner_end, element.end = closing.begin, closing.end
            self.index += 1
        return element

    def _changed(self, token: _Token) -> Element:
        element = self._element(token)
        self.position = token.end
        self.index += 1
        while not token.empty and self.index < len(self.tokens):
            inner = self.tokens[self.index]
            if inner.name != "path" or inner.closing or self._blank_to(self.position) != inner.begin:
                break
            element.children.append(self._leaf(inner, "changed"))
            self.position = element.children[-1].end
        element.inner_end = element.end = self.position
        if not token.empty and self.index < len(self.tokens):
            closing = self.tokens[self.index]
            blank = self._blank_to(self.position) == closing.begin
            if closing.name == "changed" and closing.closing and blank:
                element.end = closing.end
                self.index += 1
        return element

    def _tool(self, token: _Token) -> Element:
        element = self._element(token)
        self.position = token.end
        self.index += 1
        if token.empty:
            return element

        def direct(end: int) -> None:
            data = bytes(self.view[self.position : end])
            if data.strip():
                begin = self.position + len(data) - len(data.lstrip())
                stop = self.position + len(data.rstrip())
                name = "output" if any(child.name == "input" for child in element.children) else "input"
                element.children.append(Element(name, {}, begin, begin, stop, stop, direct=True))
            self.position = end

        while self.index < len(self.tokens):
            inner = self.tokens[self.index]
            if inner.begin < self.position:
                self.index += 1
                continue
            structural = self._structural(inner)
            if inner.name == "tool" and inner.closing:
                direct(inner.begin)
                element.inner_end, element.end = inner.begin, inner.end
                self.index += 1
                return element
            if inner.name in _IN_TOOL and not inner.closing and structural:
                direct(inner.begin)
                element.children.append(self._leaf(inner, "tool"))
                self.position = element.children[-1].end
                continue
            ends = (
                (inner.name == "msg" and (inner.closing or self._begins_message(self.index)))
                or (inner.name == "conversation_data" and inner.closing and structural)
                or (inner.name in ("tool", "text", "reasoning") and structural and self._part_here(inner))
            )
            if ends:
                break
            if inner.closing and structural and inner.name in _IN_TOOL:
                direct(inner.begin)
                self.reading.repair(f"stray </{inner.name}>", inner.begin, inner.end)
                self.position = inner.end
            self.index += 1
        end = self.tokens[self.index].begin if self.index < len(self.tokens) else self.size
        direct(end)
        element.inner_end = element.end = end
        if self.index >= len(self.tokens):
            element.unfinished = True
            if not self.truncated:
                self._stopped("call", token.begin)
        else:
            self.reading.repair("no </tool>", token.begin, token.end)
        return element

    def _leaf(self, token: _Token, parent: str) -> Element:
        """An element that holds text only; its content is whatever stands before its end."""
        element = self._element(token)
        self.index += 1
        if token.empty:
            return element
        closing = self._leaf_end(token.name, parent)
        if closing is not None:
            end = self.tokens[closing]
            element.inner_end, element.end = end.begin, end.end
            self.index = closing + 1
            return element
        stop = self._leaf_stop(token.name, parent)
        element.inner_end = element.end = self.tokens[stop].begin if stop < len(self.tokens) else self.size
        self.index = stop
        if stop >= len(self.tokens):
            element.unfinished = True
            if not self.truncated:
                self._stopped(f"<{token.name}>", token.begin)
        else:
            self.reading.repair(f"no </{token.name}>", token.begin, token.end)
        return element

    def _leaf_end(self, name: str, parent: str) -> int | None:
        """Index of the tag that closes an element whose content begins at the current tag; ``None`` without."""
        depth = messages = 0
        candidate: int | None = None
        index = self.index
        while index < len(self.tokens):
            self.budget -= 1
            if self.budget < 0:
                return candidate
            token = self.tokens[index]
            if token.name == name:
                if not token.closing:
                    depth += not token.empty
                else:
                    follower = self._next_to(index)
                    if messages <= 0 and self._ends_message(index, follower, parent):
                        return index
                    if depth == 0:
                        if self._fits(follower, parent):
                            return index
                        following = self.following[index]
                        if following < 0 or not self.tokens[following].closing:
                            return index
                        candidate = candidate or index
                    else:
                        depth -= 1
            elif token.name == "msg":
                if not token.closing:
                    messages += not token.empty
                elif messages:
                    messages -= 1
                elif self._boundary_after(index):
                    return candidate
            elif token.name == "conversation_data" and token.closing and not messages and self.roots:
                follower = self._next_to(index)
                if not isinstance(follower, _Token) and follower:
                    return candidate
            index += 1
        return candidate

    def _ends_message(self, index: int, follower: _Token | bool | None, parent: str) -> bool:
        """Whether the tag at ``index`` is followed by the end of the message, and that by another or nothing."""
        if parent == "tool" and isinstance(follower, _Token) and follower.closing and follower.name == "tool":
            index += 1
            follower = self._next_to(index)
        if not isinstance(follower, _Token):
            return bool(follower)
        return follower.name == "msg" and follower.closing and self._boundary_after(index + 1)

    def _fits(self, follower: _Token | bool | None, parent: str) -> bool:
        """Whether what follows a closing tag can follow a part of this parent."""
        if not isinstance(follower, _Token):
            return bool(follower)
        if follower.name in ("msg", "conversation_data"):
            return True
        if parent == "tool":
            return (follower.name == "tool") == follower.closing and follower.name in ("tool", *_IN_TOOL)
        if parent == "changed":
            return follower.name in ("path", "changed")
        return not follower.closing and follower.name not in ("input", "path", "full_output")

    def _leaf_stop(self, name: str, parent: str) -> int:
        """Index of the tag before which an element ends that is never closed."""
        index = self.index
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.name == "msg":
                if token.closing or self._begins_message(index):
                    return index
            elif token.name == "conversation_data":
                if token.closing:
                    return index
            elif self._structural_at(token):
                if token.name == "tool" and (token.closing or "name" in self._attributes(token)):
                    return index
                if parent == "tool" and name == "input" and token.name in _IN_TOOL:
                    return index
                if parent == "msg" and token.name in ("text", "reasoning") and not token.closing:
                    return index
            elif parent == "tool" and token.name == "tool" and token.closing:
                return index
            index += 1
        return index

    def _structural_at(self, token: _Token) -> bool:
        before = bytes(self.view[max(self.start, token.begin - 200) : token.begin]).rstrip(b" \t")
        return before.endswith((b"\n", b"\r", b">")) or not before


def _number(value: str | None) -> int | None:
    """An id as a number, where it is one."""
    return int(value) if value is not None and re.fullmatch(r"[0-9]{1,18}", value) else None
