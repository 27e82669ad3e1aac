"""What is fuzzed, and what must hold whatever the bytes are. Nothing here needs atheris.

A target takes bytes and returns; it raises when something that must hold does not. What the tool may refuse, it
refuses with the one error of its kind, which names the file.
"""

from __future__ import annotations

import functools
import importlib
import io
import json
import os
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import html5lib
import jsonschema
import lxml.etree
import msgspec
from markdown_it import MarkdownIt

import sessionlens.config
import sessionlens.curate.labels
import sessionlens.declared.rules
import sessionlens.gate
import sessionlens.measure
import sessionlens.report.reviews
from sessionlens import engine, language, loader, narrative, readers, redact, shell
from sessionlens.graph import export
from sessionlens.model import Origin, Session, Text, content
from sessionlens.readers import READERS, ReadError
from sessionlens.report import github, junit, markdown, review, sarif, transcript_xml
from sessionlens.report import html as page
from sessionlens.report import json as json_form
from sessionlens.report import text as plain
from sessionlens.safe import terminal
from sessionlens.shell import outcome
from sessionlens.shell.command import Effect

# Beside this file, wherever it was started from.
from sessions import session  # isort: skip

LANGUAGES = tuple(
    sorted(
        file.stem
        for file in (Path(language.__file__).parent / "lexicon").glob("*.toml")
        if len(file.stem) == 2
    )
)
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
READ = tuple(name for name, _ in READERS)
"""Readers by number: new ones come at the end of the corpora's numbers only if they do so in the list."""
_DB = FIXTURES / "opencode_db/1.14.41/opencode.db"


_GONE = "[the log no longer holds this text"


def holds(condition: object, what: str) -> None:
    """Raise when it does not; an ``assert`` would be taken out by ``python -O``."""
    if not condition:
        raise AssertionError(what)


@functools.cache
def folder() -> Path:
    """A folder of this process for what readers want as a file."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    made = tempfile.TemporaryDirectory(prefix="sessionlens-fuzz-", dir=base)
    folder.kept = made  # type: ignore[attr-defined]
    # Archives are unpacked there too, and their folders live as long as the process.
    tempfile.tempdir = str(Path(made.name) / "unpacked")
    os.mkdir(tempfile.tempdir)
    return Path(made.name)


def tidy() -> None:
    """Remove what archives were unpacked to."""
    for one in (folder() / "unpacked").iterdir():
        shutil.rmtree(one, ignore_errors=True)


# ------------------------------------------------------------------------------------------------- reading


def _texts(value: Any) -> Iterator[tuple[Text, Origin]]:
    """Every text of a session with the place of what it stands in."""
    stack: list[tuple[Any, Origin]] = [(value, Origin())]
    while stack:
        one, origin = stack.pop()
        if isinstance(one, Text):
            yield one, origin
        elif isinstance(one, msgspec.Struct):
            origin = getattr(one, "origin", origin)
            stack.extend((getattr(one, name), origin) for name in one.__struct_fields__)
        elif isinstance(one, tuple):
            stack.extend((item, origin) for item in one)


def _origins(value: Any) -> Iterator[Origin]:
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, Origin):
            yield one
        elif isinstance(one, msgspec.Struct):
            stack.extend(getattr(one, name) for name in one.__struct_fields__)
        elif isinstance(one, tuple):
            stack.extend(one)


def _sound(sessions: list[Session], data: bytes | None) -> None:
    """Sessions as rules may rely on them."""
    holds(sessions, "neither a session nor an error")
    lines = None if data is None else data.count(b"\n") + 1
    for top in sessions:
        for one in top.family():
            holds(one.id, "a session without an id")
            for index, message in enumerate(one.messages):
                holds(message.index == index, f"message {index} has the index {message.index}")
                holds(message.role in ("user", "assistant", "system", "unknown"), f"role {message.role!r}")
                for call in message.calls:
                    holds(call.name is not None, "a call without a name")
                    call.arguments()
                for number in (message.time, message.ended, message.tokens_in, message.tokens_out):
                    holds(number is None or type(number) is int, f"{number!r} is no integer")
            for text, _ in _texts(one):
                if text.long and text.whole().startswith(_GONE):
                    # A damaged store whose rows no index and no look from either end reaches: it is told.
                    continue
                holds(len(text.whole()) == text.length, "a text that is longer or shorter than it says")
                holds(not text.long or text.whole().startswith(text.head), "a long text with another head")
                text.blank()
            if lines is not None and data is not None:
                for origin in _origins(one):
                    holds(origin.line is None or 1 <= origin.line <= lines, f"line {origin.line} of {lines}")
                    if origin.offset is not None:
                        end = origin.offset + (origin.length or 0)
                        holds(0 <= origin.offset <= end <= len(data), f"bytes to {end} of {len(data)}")


def _refused(error: ReadError, names: tuple[str, ...]) -> None:
    told = str(error)
    holds("\n" not in told and error.reason.strip(), f"no clear line: {told!r}")
    holds(any(name in told for name in names), f"names no file: {told[:200]!r}")
    holds(str(folder()) not in told, f"tells a whole path: {told[:200]!r}")


def _reads(path: Path, name: str | None, data: bytes | None, *, again: bool) -> list[Session]:
    """The sessions of a file, checked; none when it was refused in the right way."""
    try:
        found = readers.scan(path, reader=name).sessions
    except ReadError as error:
        _refused(error, (path.name,))
        return []
    _sound(found, data)
    if again:
        twice = readers.scan(path, reader=name).sessions
        holds([content(one) for one in found] == [content(one) for one in twice], "read twice, not the same")
        _round_trip(found)
    return found


def _round_trip(found: list[Session]) -> None:
    """What ``convert --no-redact`` writes is read as the same."""
    stream = io.StringIO(newline="")
    transcript_xml.write(found, stream)
    path = folder() / "trip.xml"
    path.write_text(stream.getvalue(), encoding="utf-8", newline="")
    back = readers.scan(path, reader="transcript-xml").sessions
    one, other = [content(s) for s in found], [content(s) for s in back]
    holds(one == other, f"another session after XML: {_difference(one, other)}")


def _difference(one: Any, other: Any, at: str = "") -> str:
    if type(one) is not type(other):
        return f"{at}: {one!r:.80} / {other!r:.80}"
    if isinstance(one, dict):
        for key in one:
            if one[key] != other.get(key):
                return _difference(one[key], other.get(key), f"{at}.{key}")
    if isinstance(one, list):
        for number, (left, right) in enumerate(zip(one, other, strict=False)):
            if left != right:
                return _difference(left, right, f"{at}[{number}]")
        return f"{at}: {len(one)} / {len(other)}"
    return f"{at}: {one!r:.80} / {other!r:.80}"


def read_log(data: bytes) -> None:
    """The first byte picks a reader, or recognition; the rest is the log."""
    if not data:
        return
    chosen, log = data[0] % (len(READ) + 4), data[1:]
    path = folder() / "log"
    path.write_bytes(log)
    name = READ[chosen] if chosen < len(READ) else None
    source = readers.open_source(path)
    # What was decoded, unpacked or repaired has no places in these bytes.
    plain_bytes = source.encoding == "utf-8" and not log.startswith(
        (b"PK", b"\x1f\x8b", b"\x28\xb5", b"SQLite")
    )
    _reads(
        path,
        name,
        log if plain_bytes and b"ustar" not in log[:512] else None,
        again=zlib.crc32(data) % 4 == 0,
    )


def read_store(data: bytes) -> None:
    """Stores: rows put into the tables of opencode, a real store with some bytes changed, or a tree of files."""
    if not data:
        return
    mode, rest = data[0] % 4, data[1:]
    if mode == 3:
        _read_tree(rest)
        return
    path = folder() / "opencode.db"
    path.unlink(missing_ok=True)
    if mode == 0:
        path.write_bytes(b"SQLite format 3\0" + rest)
    elif mode == 1:
        path.write_bytes(_damaged(_DB.read_bytes(), rest))
    else:
        _filled(path, rest)
    _reads(path, None if mode == 1 else "opencode-db", None, again=mode == 2 and len(rest) % 4 == 0)


def _damaged(store: bytes, changes: bytes) -> bytes:
    """A store with a byte changed for every five of ``changes``: where, and to what."""
    found = bytearray(store)
    for at in range(0, len(changes) - 4, 5):
        found[int.from_bytes(changes[at : at + 4], "little") % len(found)] = changes[at + 4]
    return bytes(found)


@functools.cache
def _tables() -> dict[str, list[str]]:
    """The tables of the store that this reader has to know, with their columns."""
    with sqlite3.connect(f"file:{_DB}?mode=ro&immutable=1", uri=True) as db:
        return {
            table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for table in ("session", "message", "part")
        }


def _filled(path: Path, rows: bytes) -> None:
    """A new store: each line is a row, its first byte says into which table, tabs stand between the values."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA journal_mode=MEMORY")
    for table, columns in _tables().items():
        db.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    for line in rows.split(b"\n")[:60]:
        if not line:
            continue
        table = ("session", "message", "part")[line[0] % 3]
        columns = _tables()[table]
        values: list[Any] = []
        for value in line[1:].split(b"\t")[: len(columns)]:
            if re.fullmatch(rb"-?\d{1,18}", value):
                values.append(int(value))
            else:
                values.append(value if value.startswith(b"\xff") else value.decode("utf-8", "replace"))
        values += [None] * (len(columns) - len(values))
        db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)
    db.close()


_TREE = ("storage/session/p/ses_a.json", "storage/message/ses_a/msg_{}.json", "storage/part/msg_{}/prt_{}.json",
         "storage/session/info/ses_a.json", "storage/session/message/ses_a/msg_{}.json",
         "storage/session/part/ses_a/msg_{}/prt_{}.json", "storage/project/p.json")  # fmt: skip


def _read_tree(data: bytes) -> None:
    """Pieces between zeros are files; their first byte says which."""
    with tempfile.TemporaryDirectory(dir=str(folder())) as top:
        for number, piece in enumerate(data.split(b"\0")[:30]):
            if piece:
                name = _TREE[piece[0] % len(_TREE)].format(piece[0] // 64, number)
                path = Path(top, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(piece[1:])
        tree = Path(top) / "storage"
        tree.mkdir(exist_ok=True)
        try:
            found = readers.scan(tree).sessions
        except ReadError as error:
            _refused(error, ("storage",))
            return
        _sound(found, None)


# --------------------------------------------------------------------------------------- shell and language

_EFFECTS = frozenset(get_args(Effect))


def read_command(data: bytes) -> None:
    """A command line, and behind a zero what it printed; the first byte is its exit code and state."""
    if not data:
        return
    head, _, tail = data[1:].partition(b"\0")
    line, printed = head.decode("utf-8", "replace"), tail.decode("utf-8", "replace")
    commands = shell.read(line, directory="/home/dev/project" if data[0] & 1 else None)
    for one in commands:
        holds(one.effect in _EFFECTS, f"effect {one.effect}")
        begin, end = one.span
        holds(0 <= begin <= end <= len(line), f"span {one.span} of {len(line)}")
        holds(all(isinstance(word, str) for word in one.words), "words that are none")
        holds(one.target.kind, "a target without a kind")
        holds(
            one.environment in ("production", "staging", "development", "local", "unknown"), one.environment
        )
        _whole_json(json.dumps(shell.explain(one)))
    found = outcome.judge(
        commands,
        printed,
        exit=(None, 0, 1, 124, 255, -9, 2, 130)[data[0] // 2 % 8],
        status=("completed", "error", "running", "pending")[data[0] // 16 % 4],
        cut_off=data[0] >= 224,
        interrupted=data[0] in range(192, 208),
        error=printed[:200] if data[0] in range(64, 80) else None,
    )
    holds(len(found) == len(commands), f"{len(found)} outcomes of {len(commands)} commands")
    for result in found:
        holds(len(result.quote) <= 200, "a long quote")
        holds(len(result.rows) <= 200 and len(result.content) <= 8_000, "too much of the output")


def read_prose(data: bytes) -> None:
    """A message; the first byte says whose."""
    if not data:
        return
    text = data[1:].decode("utf-8", "replace")
    role = "user" if data[0] & 1 else "assistant"
    told = (None, None, *LANGUAGES)[data[0] // 2 % (len(LANGUAGES) + 2)]
    found = language.read(text, role, told)  # type: ignore[arg-type]
    holds(found.sentences, "no sentence")
    before = 0
    for sentence in found.sentences:
        begin, end = sentence.span
        holds(
            before <= begin <= end <= len(text), f"sentence at {sentence.span} after {before} of {len(text)}"
        )
        holds(text[begin:end] == sentence.text, "a sentence that does not stand where it says")
        before = end
        for act in sentence.acts:
            shown = act.span[0] < act.span[1] or not text.strip()
            holds(
                shown and begin <= act.span[0] <= act.span[1] <= end, f"act at {act.span} in {sentence.span}"
            )
    # A word that several languages share has no language as a whole, and may have one as a sentence.
    open_gate = told or found.language is None or language.may_act(text)
    holds(open_gate or not found.acts(), "the gate is shut and there are acts")


# ------------------------------------------------------------------------------------- judging and writing


@functools.cache
def _rules() -> loader.Selection:
    return loader.select(loader.classes())


@functools.cache
def _few() -> loader.Selection:
    return loader.select(
        loader.classes(),
        only=(
            "empty-message-after-timeout",
            "unacknowledged-long-running-restart",
            "unverified-production-edit",
        ),
    )


def _judged(one: Session, selection: loader.Selection, *, clean: bool) -> engine.Audit:
    redactions = None
    if clean:
        one, redactions = redact.redact(one)
    return engine.audit(
        one, rules=selection.rules, unreported=selection.unreported, redactions=redactions, source="log"
    )


def judge(data: bytes) -> None:
    """A small session: redacted, judged by every rule, told."""
    one = session(data)
    audit = _judged(one, _rules(), clean=len(data) % 2 == 0)
    holds(not audit.rule_errors, f"{audit.rule_errors}")
    sizes = {kept.id: len(kept.messages) for kept in audit.session.family()}
    for finding in audit.findings:
        for spot in (finding.at, *finding.because):
            holds(0 <= spot.message_index < sizes[spot.session], "a place that is not there")
    for row in audit.graph.ledger:
        holds(
            row.closed_at is None or row.closed_at >= row.opened.at if hasattr(row, "opened") else True,
            "closed before",
        )
    told = narrative.tell(audit, message="#0" if one.messages and len(data) % 5 == 0 else None)
    holds(told.headline is not None, "no headline")
    if zlib.crc32(data) % 8 == 0:
        again = _judged(one, _rules(), clean=len(data) % 2 == 0)
        holds(json_form.render(audit) == json_form.render(again), "judged twice, not the same")


@functools.cache
def _schema() -> Any:
    return jsonschema.Draft202012Validator(json_form.schema())


def _unknown(value: str) -> Any:
    raise AssertionError(f"{value} is no JSON")


def _whole_json(text: str) -> Any:
    return json.loads(text, parse_constant=_unknown)


def write(data: bytes) -> None:
    """A small session in every form."""
    one = session(data)
    audit = _judged(one, _few(), clean=len(data) % 2 == 1)
    told = narrative.tell(audit)
    document = _whole_json(json_form.render(audit).decode("utf-8"))
    if zlib.crc32(data) % 8 == 0:
        for wrong in _schema().iter_errors(document):
            raise AssertionError(f"JSON: {wrong.message[:200]}")
    _whole_json(sarif.render(audit).decode("utf-8"))
    lxml.etree.fromstring(junit.render(audit))
    for form in ("graphml", "svg", "json", "dot"):
        drawn = _stream(
            lambda stream, form=form: export.write(audit.graph, form, stream, findings=audit.findings)
        )
        if form in ("graphml", "svg"):
            root = lxml.etree.fromstring(drawn.encode("utf-8"))
            holds(not list(root.iter("{*}script")), "a script in a picture")
        elif form == "json":
            _whole_json(drawn)
    for writer in (plain, markdown, review):
        said = _stream(lambda stream, writer=writer: writer.render(told, audit, stream))
        # A word joiner of our own keeps addresses from becoming links.
        shown = said.replace(":\u2060//", "://")
        holds(terminal(shown) == shown, f"{writer.__name__}: raw control characters")
        if writer is not plain:
            _no_markup(said)
    said = _stream(lambda stream: github.render(audit, stream))
    holds(all(not line or line.startswith("::") for line in said.split("\n")), "a line that is no annotation")
    if zlib.crc32(data) % 4 == 0:
        _no_script(_stream(lambda stream: page.render(told, audit, stream, static=len(data) % 3 == 0)))
    _round_trip([one])


def _stream(render: Callable[[io.StringIO], object]) -> str:
    stream = io.StringIO(newline="")
    render(stream)
    # As the command line writes it.
    return stream.getvalue().encode("utf-8", "replace").decode("utf-8")


_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def _no_markup(said: str) -> None:
    for token in _MARKDOWN.parse(said):
        for part in (token, *(token.children or ())):
            holds(
                part.type not in ("html_block", "html_inline", "image"),
                f"Markdown holds {part.type}: {part.content:.80}",
            )
            href = str(part.attrGet("href") or "")
            holds(not href.lower().startswith(("javascript", "data", "vbscript")), f"a link to {href:.40}")


@functools.cache
def _own_scripts() -> frozenset[str]:
    """The scripts of an empty page: there may be no other."""
    audit = _judged(session(b""), _few(), clean=False)
    root = html5lib.parse(
        _stream(lambda s: page.render(narrative.tell(audit), audit, s)), namespaceHTMLElements=False
    )
    return frozenset((node.text or "").strip() for node in root.iter("script") if node.get("type") is None)


_FORBIDDEN = frozenset(
    ("img", "iframe", "object", "embed", "form", "link", "base", "video", "audio", "foreignObject")
)


def _no_script(written: str) -> None:
    root = html5lib.parse(written, namespaceHTMLElements=False)
    for node in root.iter():
        if not isinstance(node.tag, str):
            continue
        holds(node.tag not in _FORBIDDEN, f"the page holds <{node.tag}>")
        if node.tag == "script" and node.get("type") is None:
            holds((node.text or "").strip() in _own_scripts(), "a script that is not ours")
        for name, value in node.attrib.items():
            holds(not str(name).lower().startswith("on"), f"an event attribute {name}")
            if str(name).lower().endswith(("href", "src", "action")):
                holds(str(value).startswith("#"), f"{name} leads to {value!r:.60}")


# ----------------------------------------------------------------------------------- files that people write


def read_declared(data: bytes) -> None:
    """A rule file, a configuration, labels, a review, a baseline; the first byte says which."""
    if not data:
        return
    kind, body = data[0] % 6, data[1:]
    path = (
        folder()
        / ("given.rule.toml", "given.toml", "given.json", "given.jsonl", "given.json", "given.json")[kind]
    )
    path.write_bytes(body)
    try:
        if kind == 0:
            rule = sessionlens.declared.rules.load(path, path.name)
            loader.check_contract(rule, path.name)
            made = rule()
            audit = engine.audit(session(b"\x08\x05\x02\x01\x10\x00\x90\x01" * 4), rules=(made,))
            holds(not audit.rule_errors, f"{audit.rule_errors}")
        elif kind == 1:
            sessionlens.config.load(path)
        elif kind == 2:
            found = sessionlens.report.reviews.read(path)
            back = sessionlens.report.reviews.decode(sessionlens.report.reviews.encode(found))
            holds(back == found, "a review that changes by writing")
        elif kind == 3:
            sessionlens.measure.read_labels(path)
        elif kind == 4:
            labels = sessionlens.curate.labels.read((f"ann={path}",))
            sessionlens.curate.labels.agreement(labels)
        else:
            sessionlens.gate.read_baseline(path)
    except (
        sessionlens.declared.rules.DeclarationError,
        sessionlens.config.ConfigError,
        sessionlens.report.reviews.ReviewError,
        sessionlens.measure.LabelError,
        sessionlens.gate.BaselineError,
        loader.LoadError,
    ) as error:
        holds("given" in str(error), f"names no file: {error}")
        # A configuration is named as the command line named it.
        holds(kind == 1 or str(folder()) not in str(error), f"tells a whole path: {error}")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "readers": read_log,
    "stores": read_store,
    "shell": read_command,
    "language": read_prose,
    "judge": judge,
    "writers": write,
    "declared": read_declared,
}
"""By name, in the order they are run."""


def _only(number: int) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        read_log(bytes((number,)) + data)

    return read


READER_TARGETS = {f"reader:{name}": _only(number) for number, name in enumerate(READ)}
"""One target a reader, for a search that stays with it; the corpus is that of ``readers``."""


def load_all() -> None:
    """Import every reader, so that all of them are watched and none is loaded on the clock."""
    for _, place in READERS:
        importlib.import_module(place.partition(":")[0])
    for code in LANGUAGES:
        for role in ("assistant", "user"):
            language.read("x.", role, code)  # type: ignore[arg-type]
    shell.read("ssh a 'systemctl restart b'")
    _judged(session(b"\x08\x05\x02\x01\x10\x00\x90\x01" * 6), _rules(), clean=True)
    write(b"\x08\x05\x02\x01\x10\x00\x90\x01" * 6)
