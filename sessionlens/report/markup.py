"""The only maker of trusted markup. Everything else hands plain strings to templates that escape them.

Each function takes text of a log, which is hostile, and returns :class:`markupsafe.Markup` built from a fixed set
of elements around escaped text. No function passes a tag, an attribute or an address of the log through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import msgspec
from markupsafe import Markup, escape

from sessionlens.cache import lazy

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST_PROSE = 60_000
"""Characters; a longer text is shown as it stands, without reading its Markdown."""
MOST_COLOURS = 2_000
"""Changes of colour in one output; what follows is shown plain, and says so."""

# What HTML forbids (C0, C1, half characters, non-characters) and what reorders or hides text. The two joiners that
# emoji and Persian need stay.
_UNFIT = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f"
    + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 17))
    + "]"
)

_PLAIN_BYTES = bytes({*range(0x20, 0x7F), 0x09, 0x0A})
"""What any text may hold in ASCII. A return is not among it: :func:`visible` looks at those."""


def _shown(found: re.Match[str]) -> str:
    point = ord(found[0])
    if point < 0x20:
        return chr(0x2400 + point)
    return "\u2421" if point == 0x7F else f"⟨U+{point:04X}⟩"


def visible(text: str) -> str:
    """Text that may stand in a page: newlines and tabs stay, every other control becomes a visible sign."""
    # What Python calls printable holds nothing unfit.
    if text.isprintable():
        return text
    # Most text is long and plain, and taking plain bytes away is twenty times faster than matching them.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN_BYTES)
    if not rest or not _UNFIT.search(rest.decode("utf-8", "surrogatepass")):
        return text
    return _UNFIT.sub(_shown, text.replace("\r\n", "\n"))


def finalize(value: object) -> object:
    """What the template environment does to every printed value before it escapes it."""
    if isinstance(value, Markup) or value is None:
        return "" if value is None else value
    return visible(value) if isinstance(value, str) else value


def asset(name: str) -> Markup:
    """A style sheet or script of the house, unchanged: ours, never the log's."""
    return Markup(files("sessionlens.report_templates").joinpath(name).read_text("utf-8"))


def _element(name: str, content: Markup, css: str = "") -> Markup:
    opening = Markup('<{} class="{}">').format(Markup(name), css) if css else Markup(f"<{name}>")
    return opening + content + Markup(f"</{name}>")


# -- statements -------------------------------------------------------------------------------------

_CODE = lazy(r"`([^`\n]{1,400})`")


def statement(text: str) -> Markup:
    """One of our own sentences: pieces between backticks become code."""
    pieces: list[Markup] = []
    end = 0
    for found in _CODE.finditer(text):
        pieces.append(escape(visible(text[end : found.start()])))
        pieces.append(_element("code", escape(visible(found.group(1)))))
        end = found.end()
    pieces.append(escape(visible(text[end:])))
    return Markup("").join(pieces)


_LONG = lazy(r"[^\s`]{49,}")
"""A word too long for a heading, such as the name of a host or the id of a container."""
_HEAD, _TAIL = 30, 16


def heading(text: str) -> Markup:
    """The same for a heading: of very long words the middle is left out; pointing at them shows them whole."""
    pieces: list[Markup] = []
    end = 0
    for found in _CODE.finditer(text):
        pieces.append(_shortened(text[end : found.start()], "span"))
        pieces.append(_shortened(found.group(1), "code"))
        end = found.end()
    pieces.append(_shortened(text[end:], "span"))
    return Markup("").join(pieces)


def _shortened(text: str, element: Literal["span", "code"]) -> Markup:
    short = _LONG.sub(lambda word: f"{word[0][:_HEAD]}…{word[0][-_TAIL:]}", text)
    if short != text:
        return Markup('<{0} title="{1}">{2}</{0}>').format(Markup(element), visible(text), visible(short))
    shown = escape(visible(text))
    return _element(element, shown) if element == "code" else shown


# -- colours of a terminal --------------------------------------------------------------------------

_SEQUENCE = lazy(r"\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]")
_RETURN = lazy(r"\r(?!\n)")


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of output in one style."""

    text: str
    """The piece."""
    css: str = ""
    """Class names, of a fixed set."""


class Coloured(msgspec.Struct, frozen=True, kw_only=True):
    """An output with its colours read."""

    runs: tuple[Run, ...]
    """Its pieces in order."""
    hidden: int = 0
    """Control sequences that move a cursor or clear a screen, which a page cannot do."""
    plain_from: int | None = None
    """Where colours stopped being read because there were too many."""


class _Style:
    """The state that colour sequences change."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.fore: int | None = None
        self.back: int | None = None
        self.marks: dict[str, bool] = {}

    def apply(self, codes: str) -> None:
        """Read the numbers of one sequence, at most 32 of them."""
        numbers = [int(piece[:4] or 0) for piece in re.split("[;:]", codes)[:32]]
        position = 0
        while position < len(numbers):
            code = numbers[position]
            if code in (38, 48):
                colour, used = _extended(numbers[position + 1 : position + 5])
                position += used
                if code == 38:
                    self.fore = colour
                else:
                    self.back = colour
            else:
                self._simple(code)
            position += 1

    def _simple(self, code: int) -> None:
        names = {1: "b", 2: "d", 3: "i", 4: "u", 7: "v", 9: "s"}
        ends = {22: ("b", "d"), 23: ("i",), 24: ("u",), 27: ("v",), 29: ("s",)}
        if code == 0:
            self.reset()
        elif code in names:
            self.marks[names[code]] = True
        elif code in ends:
            for name in ends[code]:
                self.marks.pop(name, None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            self.fore = code - 30 if code < 40 else code - 90 + 8
        elif 40 <= code <= 47 or 100 <= code <= 107:
            self.back = code - 40 if code < 50 else code - 100 + 8
        elif code == 39:
            self.fore = None
        elif code == 49:
            self.back = None

    def css(self) -> str:
        """Class names for the state."""
        names = [f"a{name}" for name in sorted(self.marks)]
        if self.fore is not None:
            names.append(f"f{self.fore}")
        if self.back is not None:
            names.append(f"g{self.back}")
        return " ".join(names)


def _extended(numbers: Sequence[int]) -> tuple[int | None, int]:
    """A colour of the palette of 256 or of 24 bits as the nearest of 16, and how many numbers it took."""
    if numbers[:1] == [5] and len(numbers) >= 2:
        index = numbers[1]
        if index < 16:
            return index, 2
        if index >= 232:
            return (8 if index < 244 else 7), 2
        index -= 16
        return _nearest(index // 36 * 51, index // 6 % 6 * 51, index % 6 * 51), 2
    if numbers[:1] == [2] and len(numbers) >= 4:
        return _nearest(*numbers[1:4]), 4
    return None, 0


def _nearest(red: int, green: int, blue: int) -> int:
    top = max(red, green, blue)
    if top < 48:
        return 0
    half = top * 0.6
    colour = (red > half) + 2 * (green > half) + 4 * (blue > half)
    return colour + 8 if top > 200 and colour != 7 else colour


def coloured(text: str) -> Coloured:
    """Read the colour sequences of an output. Linear in its length, whatever it holds."""
    if "\r" in text:
        text = _RETURN.sub("␍\n", text)
    if "\x1b" not in text:
        return Coloured(runs=(Run(text=visible(text)),) if text else ())
    style, runs, end, hidden = _Style(), [], 0, 0
    changes = 0
    for found in _SEQUENCE.finditer(text):
        if found.start() > end:
            runs.append(Run(text=visible(text[end : found.start()]), css=style.css()))
        end = found.end()
        if found.group(1) is None:
            hidden += 1
            continue
        changes += 1
        if changes > MOST_COLOURS:
            rest = text[end:]
            runs.append(Run(text=visible(_SEQUENCE.sub("", rest))))
            left = sum(1 for _ in _SEQUENCE.finditer(rest))
            return Coloured(runs=tuple(runs), hidden=hidden + left, plain_from=end)
        style.apply(found.group(1))
    if end < len(text):
        runs.append(Run(text=visible(text[end:]), css=style.css()))
    return Coloured(runs=tuple(runs), hidden=hidden)


def hidden(text: str) -> int:
    """Control sequences of an output that a page cannot do, counted."""
    return coloured(text).hidden if "\x1b" in text else 0


def output(text: str) -> Markup:
    """An output with its colours, for a ``pre``."""
    read = coloured(text)
    pieces = [
        _element("span", escape(run.text), run.css) if run.css else escape(run.text) for run in read.runs
    ]
    return Markup("").join(pieces)


# -- changes of files -------------------------------------------------------------------------------


def diff(lines: Iterable[tuple[str, str]]) -> Markup:
    """Lines with their signs (``+``, ``-``, space) for a ``pre``."""
    names = {"+": "ins", "-": "del", "@": "hunk"}
    pieces = []
    for sign, line in lines:
        content = escape(visible(line) if sign == "@" else f"{sign}{visible(line)}")
        pieces.append(_element("span", content, names[sign]) if sign in names else content)
    return Markup("\n").join(pieces)


# -- Markdown ---------------------------------------------------------------------------------------

_PLAIN_BLOCKS = {
    "paragraph": "p",
    "blockquote": "blockquote",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
}
_INLINE = {"strong": "strong", "em": "em", "s": "s"}


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": 16, "linkify": False})
    return reader.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])


def load() -> None:
    """Get the reader of Markdown ready."""
    _markdown()


def prose(text: str) -> Markup:
    """Markdown of a message: paragraphs, lists, tables, code. No tag of the text, no picture, no working link."""
    clean = visible(text)
    if len(clean) > LONGEST_PROSE:
        return _element("p", escape(clean), "as-is")
    try:
        tokens = _markdown().parse(clean)
    except (RecursionError, ValueError, IndexError):
        return _element("p", escape(clean), "as-is")
    return Markup("").join(_blocks(tokens))


def _blocks(tokens: Sequence[Token]) -> Iterator[Markup]:
    hidden: list[bool] = []
    for token in tokens:
        kind = token.type
        if kind == "inline":
            yield from _inline(token.children or ())
        elif kind in ("fence", "code_block"):
            yield _element("pre", _element("code", escape(token.content.rstrip("\n"))))
        elif kind == "hr":
            yield Markup("<hr>")
        elif kind in ("html_block", "html_inline"):
            yield escape(token.content)
        elif kind.endswith("_open"):
            name = kind[: -len("_open")]
            hidden.append(token.hidden)
            if name == "heading":
                # A heading of a message must not enter the outline of the page.
                yield Markup('<p class="heading">')
            elif not token.hidden and name in _PLAIN_BLOCKS:
                yield Markup(f"<{_PLAIN_BLOCKS[name]}>")
        elif kind.endswith("_close"):
            name = kind[: -len("_close")]
            was_hidden = hidden.pop() if hidden else False
            if name == "heading":
                yield Markup("</p>")
            elif was_hidden:
                yield Markup("\n")
            elif name in _PLAIN_BLOCKS:
                yield Markup(f"</{_PLAIN_BLOCKS[name]}>")


def _inline(tokens: Sequence[Token]) -> Iterator[Markup]:
    addresses: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in ("text", "html_inline", "text_special"):
            yield escape(token.content)
        elif kind == "code_inline":
            yield _element("code", escape(token.content))
        elif kind == "softbreak":
            yield Markup("\n")
        elif kind == "hardbreak":
            yield Markup("<br>")
        elif kind == "link_open":
            addresses.append(str(token.attrs.get("href", "")))
        elif kind == "link_close":
            # The page leads nowhere outside: the address is shown, not followed.
            address = addresses.pop() if addresses else ""
            if address:
                yield _element("span", escape(f" ({address})"), "address")
        elif kind.endswith("_open") and kind[:-5] in _INLINE:
            yield Markup(f"<{_INLINE[kind[:-5]]}>")
        elif kind.endswith("_close") and kind[:-6] in _INLINE:
            yield Markup(f"</{_INLINE[kind[:-6]]}>")
        elif token.content:
            yield escape(token.content)
