"""Transcript XML: what ``sessionlens convert`` writes (strict), and what people make of it by hand (loose).

The format is that of CONTRACT §2. Beyond the elements and attributes named there, so that reading what
``convert --no-redact`` wrote gives an equal session, version ``sessionlens/1`` has:

* on any element ``attrs``: a JSON object of attributes whose values XML cannot hold;
* on the root ``truncated="true"`` (the log stopped before its end), and as children ``<gap reason/>`` and
  ``<repair kind line/>`` outside messages, and ``<conversation_data>`` of child sessions after the messages;
* on ``<msg>`` an empty ``id`` (the log gives none), ``reverted="true"``, and as children ``<alias id/>``
  (another id that leads here) and ``<changed><path>…</path></changed>`` (files the client saw changed);
* on ``<tool>`` always ``timed_out``, further ``interrupted="true"`` and ``continues``; an empty ``limit_ms``
  where a call was cut off by a limit that the log does not tell. Where a file leaves ``timed_out`` out, the
  client's words at the end of the result decide;
* in ``<tool>`` a ``<full_output>`` (the spilled output, where its file was there to be read), and
  ``<output none="true"/>`` where there is no result though something about it is known.

Times are ISO 8601 in UTC with milliseconds, or a bare number of milliseconds since the epoch.

The strict reading validates with lxml and takes text and attributes from it; places come from our own search
over the bytes. Any deviation hands the *whole* file to :mod:`sessionlens.readers.xml_loose`, which notes every
repair. A document type declaration is refused: entities could make a small file a huge one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.model import Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source
from sessionlens.readers.xml_build import Element, NotStrict, Reading, SessionBuilder

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEAD = 1 << 16
"""Bytes in which the first tag is looked for."""
_DEPTH = 32
"""Child sessions nested deeper than this are not read strictly: nobody delegates so deep, a hostile log might."""
_CHUNK = 1 << 16

_FIRST = lazy(rb"(?:^|[\r\n])[ \t]*(?:<\?xml[^>]{0,200}\?>\s*)?<(?:conversation_data|msg)(?=[\s/>])")
_IN_LINE = lazy(rb"<msg\s[^<>\n]{0,2000}\brole\s*=")
_DECLARED = lazy(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_DOCTYPE = lazy(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ROOT = lazy(rb"<(?:conversation_data|msg)(?=[\s/>])")

_MARKUP = lazy(
    rb"<(?:!--.*?-->|!\[CDATA\[.*?\]\]>|\?.*?\?>"
    rb"|/(?P<close>[^\s>]+)\s*>"
    rb"|(?P<open>[^\s/>!?]+)(?:\s*[^\s=/>]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*+\s*(?P<empty>/?)>)",
    re.DOTALL,
)
"""Markup of a well-formed file. Only run over bytes that the parser has accepted already."""


class TranscriptXml:
    """The reader of transcript XML."""

    name = "transcript-xml"

    def recognises(self, source: Source) -> str | None:
        """``None`` when a ``<conversation_data>`` or ``<msg>`` begins a line near the start of the file."""
        if source.folder:
            return "it is a folder"
        head = source.head(_HEAD)
        start = head.lstrip()
        if start.startswith((b"{", b"[{", b"[\n")) and not _IN_LINE.search(start[:200]):
            return "it begins like JSON"
        if _FIRST.search(head) or _IN_LINE.search(head):
            return None
        if b"\0" in head[:512]:
            return "it is a binary file"
        if _ROOT.search(head):
            return "<conversation_data> or <msg> stand only within sentences"
        return "no <conversation_data> or <msg> near its start"

    def read(self, source: Source) -> Iterator[Session]:
        """The sessions of the file, child sessions inside their parents.

        Raises :class:`ReadError` for a file with a document type declaration or without any message.
        """
        codec = _codec(source)
        _refuse_doctype(source)
        try:
            sessions = [_Strict(source, codec).read()]
        except NotStrict as why:
            from sessionlens.readers import xml_loose

            sessions = xml_loose.read(source, codec, why)
        finally:
            source.release()
        yield from sessions


def stem(source: Source) -> str:
    """The session's id where the file gives none: the file's name without its suffix."""
    return PurePath(source.name).stem or source.name


def _codec(source: Source) -> str:
    """The encoding that the file declares, where it is one that keeps ASCII; otherwise UTF-8."""
    if source.encoding != "utf-8":
        return "utf-8"
    found = _DECLARED.match(source.head(400))
    if found is None:
        return "utf-8"
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
        if "<msg>&\n".encode(name) != b"<msg>&\n":
            return "utf-8"
    except (LookupError, UnicodeError, ValueError):
        return "utf-8"
    return "utf-8" if name in ("ascii", "utf-8", "utf-8-sig") else name


def _refuse_doctype(source: Source) -> None:
    head = source.head(_HEAD)
    root = _ROOT.search(head)
    found = _DOCTYPE.search(head, 0, root.start() if root else len(head))
    if found is not None:
        raise _doctype(source, source.line_at(source.start + found.start()))


def _doctype(source: Source, line: int | None) -> ReadError:
    return ReadError(
        source.name,
        "it has a document type declaration (DOCTYPE or ENTITY), which is refused: entities can be a bomb",
        line=line,
        advice="Remove the declaration; a transcript needs none",
    )


class _Feed:
    """The bytes of a source as the parser wants them, no more than were there when it was opened."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._view = source.view()
        self._position = source.start

    def read(self, size: int = _CHUNK) -> bytes:
        """The next bytes."""
        begin = self._position
        self._source.pass_by(begin)
        self._position = min(begin + min(size, _CHUNK), len(self._view))
        return bytes(self._view[begin : self._position])


class _Strict:
    """One strict reading: the parser's events and our own search for places, side by side."""

    def __init__(self, source: Source, codec: str) -> None:
        self._source = source
        self._codec = codec
        self._reading = Reading(source, codec, well_formed=True)
        self._tokens = _MARKUP.finditer(source.view(), source.start)
        self._position = source.start
        self._open: list[SessionBuilder] = []
        self._done: Session | None = None
        self._empty_root = False

    def read(self) -> Session:
        """The session. Raises :class:`NotStrict` at the first deviation."""
        from lxml import etree

        events = etree.iterparse(
            _Feed(self._source),
            events=("start", "end"),
            tag=("conversation_data", "msg", "gap", "repair"),
            encoding="utf-8" if self._codec == "utf-8" else None,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            recover=False,
        )
        try:
            for event, element in events:
                if event == "start":
                    self._start(element)
                else:
                    self._end(element)
        except etree.XMLSyntaxError as error:
            line = error.lineno if isinstance(error.lineno, int) and error.lineno > 0 else None
            raise NotStrict(f"not well-formed XML: {_short(str(error))}", line=line) from None
        if self._done is None:
            raise NotStrict("no <conversation_data> around everything", offset=0)
        return self._done

    def _start(self, element: _Element) -> None:
        if element.tag != "conversation_data":
            return
        if not self._open:
            if element.getparent() is not None or self._done is not None:
                raise NotStrict("no <conversation_data> around everything", offset=0)
            if element.getroottree().docinfo.internalDTD is not None:
                raise _doctype(self._source, None)
        else:
            parent = element.getparent()
            if parent is None or parent.tag != "conversation_data" or len(self._open) >= _DEPTH:
                raise NotStrict("<conversation_data> within a message", offset=self._position)
            if "session" not in element.attrib and "attrs" not in element.attrib:
                raise NotStrict("<conversation_data> within another without session", offset=self._position)
        begin, inner = self._next("conversation_data")
        self._empty_root = bytes(self._source.view()[inner - 2 : inner - 1]) == b"/"
        root = Element("conversation_data", _attributes(element), begin, inner, inner, inner)
        builder = SessionBuilder(self._reading, root, stem(self._source))
        if self._open and not builder.written and self._open[0].written:
            builder.written = True
        self._open.append(builder)

    def _end(self, element: _Element) -> None:
        parent = element.getparent()
        outside = parent is None or parent.tag == "conversation_data"
        if element.tag == "conversation_data":
            self._close()
        elif not outside:
            return
        elif not self._open:
            raise NotStrict("no <conversation_data> around everything", offset=0)
        else:
            tree = self._element(element)
            if element.tag == "msg":
                self._open[-1].add(tree)
            else:
                self._open[-1].note(tree)
        if outside:
            element.clear()
            if parent is not None:
                while element.getprevious() is not None:
                    del parent[0]

    def _close(self) -> None:
        if not self._empty_root:
            token = self._token()
            if not token["close"]:
                name = token["open"].decode("utf-8", "replace")
                raise NotStrict(f"element <{name}> outside any message", offset=token.start())
        self._empty_root = False
        builder = self._open.pop()
        repairs, gaps = self._reading.take()
        builder.repairs += repairs
        builder.gaps += gaps
        session = builder.finish()
        if self._open:
            self._open[-1].children.append(session)
        else:
            self._done = session

    # Our own search over the bytes

    def _token(self) -> re.Match[bytes]:
        """The next opening or closing tag; what stands before it, outside messages, must be blank."""
        for token in self._tokens:
            self._between(token.start())
            self._position = token.end()
            if token["open"] or token["close"]:
                return token
            if token[0].startswith(b"<![CDATA["):
                raise NotStrict("text outside any message", offset=token.start())
        raise NotStrict("the markup could not be followed", offset=self._position)

    def _between(self, end: int) -> None:
        if bytes(self._source.view()[self._position : end]).strip():
            raise NotStrict("text outside any message", offset=self._position)

    def _next(self, name: str) -> tuple[int, int]:
        """Begin and end of the next tag, which must open an element of this name."""
        token = self._token()
        if token["open"] != name.encode():
            found = (token["open"] or b"/" + token["close"]).decode("utf-8", "replace")
            raise NotStrict(f"element <{found}> outside any message", offset=token.start())
        return token.start(), token.end()

    def _element(self, parsed: _Element) -> Element:
        """The element with its children: places from the bytes, names, attributes and text from the parser."""
        begin, inner = self._next(str(parsed.tag))
        elements = parsed.iter("*")
        root = _element(next(elements), begin, inner)
        stack = [root]
        token_end = inner
        empty = bytes(self._source.view()[inner - 2 : inner - 1]) == b"/"
        while True:
            if empty:
                closed = stack.pop()
                closed.inner_end = closed.end = token_end
                if not stack:
                    return root
                empty = False
                continue
            token = next(self._tokens, None)
            if token is None:
                raise NotStrict("the markup could not be followed", offset=begin)
            token_end = self._position = token.end()
            if token["open"]:
                child = _element(next(elements), token.start(), token_end)
                if len(stack) == 1 or stack[-1].name in ("tool", "changed"):
                    stack[-1].children.append(child)
                elif stack[0].name == "msg" and not any(_unknown(one) for one in stack[1:]):
                    raise NotStrict(f"<{child.name}> within <{stack[-1].name}>", offset=child.begin)
                stack.append(child)
                empty = bool(token["empty"])
            elif token["close"]:
                closed = stack.pop()
                closed.inner_end, closed.end = token.start(), token_end
                if not stack:
                    return root


_KINDS = frozenset(
    {
        "text",
        "reasoning",
        "tool",
        "input",
        "output",
        "full_output",
        "error",
        "compaction",
        "summary",
        "subtask",
        "file",
        "changed",
        "path",
        "gap",
        "alias",
    }
)
_LEAVES = frozenset({"text", "reasoning", "input", "output", "full_output", "error", "subtask", "path"})


def _unknown(element: Element) -> bool:
    return element.name not in _KINDS


def _element(parsed: _Element, begin: int, inner: int) -> Element:
    """One parsed element. Raises :class:`NotStrict` when text stands where only elements may."""
    name = str(parsed.tag)
    element = Element(name, _attributes(parsed), begin, inner, inner, inner)
    if name in _LEAVES:
        element.value = "".join(str(piece) for piece in parsed.itertext())
    elif name in ("msg", "tool", "changed") and (
        _shown(parsed.text) or any(_shown(child.tail) for child in parsed)
    ):
        raise NotStrict(f"text directly in <{name}>", offset=begin)
    return element


def _shown(text: str | None) -> bool:
    return bool(text and text.strip())


def _attributes(parsed: _Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in parsed.attrib.items()}


def _short(message: str) -> str:
    """The parser's words on one line, without its own count of lines (which ends at 65,535)."""
    return re.sub(r",? line \d+, column \d+.*", "", " ".join(message.split()))[:200]
