"""One shard of a data set, rendered: rows decided on, in every table and form, scanned once more before they leave.

Pure: a task holds all that is needed, and the same task gives the same bytes in any process.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from sessionlens.curate import chat, segments, twins, where
from sessionlens.curate.against import breaks
from sessionlens.curate.extract import Body, Head
from sessionlens.curate.fit import Donor, Known, fitted, strings
from sessionlens.curate.labels import most
from sessionlens.curate.place import at as place_at
from sessionlens.curate.plan import Choice, Twin, donor_key, label
from sessionlens.curate.rows import (
    TABLES,
    ChangeRow,
    ChatMessage,
    FindingRow,
    MaskedMessage,
    OperationRow,
    PairRow,
    SessionRow,
    StepRow,
    ToolRow,
    parts,
    types_of,
)
from sessionlens.curate.tokens import APPROXIMATE, counter
from sessionlens.curate.windows import Wanted
from sessionlens.report.json import encode

FORMS = ("openai", "anthropic", "sharegpt", "sft", "completion")
"""Chat forms."""
CONFIDENCES = ("low", "medium", "high")
PROMPT = 24
"""Messages of the prompt in the form ``completion``, at most; the first is what the person asked."""


_CODES = ("fault", "fault_span", "signal", "")
"""Why findings mask a step, the gravest first."""


def _code(finding: FindingRow, place: int) -> str:
    if finding.kind != "fault":
        return "signal"
    return "fault" if place == finding.step else "fault_span"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One shard to render."""

    split: str
    """Its split."""
    number: int
    """Its number in the split."""
    choices: tuple[Choice, ...]
    """What goes in."""
    frames: tuple[tuple[bytes, bytes], ...] = ()
    """Head and body of each, packed; empty where ``pieces`` say where they lie."""
    output: str | None = None
    """Where the data set lies, when it is read and written there; ``None`` where frames come along and files go back."""
    pieces: tuple[tuple[str, segments.Span, segments.Span], ...] = ()
    """Segment, head and body of each."""
    twins: dict[str, tuple[bytes, bytes]] = {}
    """Head and body of the sessions that :attr:`Choice.twins` name, by :func:`twin_key`; empty with ``twin_pieces``."""
    twin_pieces: dict[str, tuple[str, segments.Span, segments.Span]] = {}
    """Segment, head and body of each."""
    donors: dict[str, tuple[Donor, ...]]
    """Real answers by :func:`sessionlens.curate.plan.donor_key`."""
    licences: dict[str, str | None]
    """Licence of a donor's session."""
    formats: tuple[str, ...] = ("jsonl", "parquet")
    """``jsonl``, ``parquet``."""
    forms: tuple[str, ...] = ("sft",)
    """Chat forms."""
    filters: tuple[where.Where, ...] = ()
    """Filters of steps and pairs."""
    mask_from: str = "low"
    """Least confidence of a fault that masks."""
    max_tokens: int | None = None
    """Longest row of a chat form; longer sessions are cut between turns."""
    tokenizer: str = APPROXIMATE
    """How tokens are counted."""
    scan: bool = True
    """Whether the result is searched for secrets."""


def twin_key(one: Twin) -> str:
    """What stands for a session in a task."""
    return f"{one.unit}/{one.number}"


class Leak(msgspec.Struct, frozen=True, kw_only=True):
    """A secret that was found in what was rendered; never the secret itself."""

    file: str
    """In which file."""
    row: int
    """In which row, from 1."""
    kind: str
    """What kind."""


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """One shard."""

    files: dict[str, bytes]
    """Content by name; empty where it was written."""
    digests: dict[str, str]
    """SHA-256 of each file by name."""
    rows: dict[str, int]
    """Rows by table or form."""
    tallies: dict[str, dict[str, int]]
    """What the card tells: numbers by value, by what is counted."""
    leaks: tuple[Leak, ...]
    """Secrets left; then nothing may be written."""


def ready(_nothing: None) -> None:
    """Load what rendering needs besides reading: a process can do so while it has nothing else to do."""
    import importlib

    with suppress(ImportError):
        importlib.import_module("pyarrow.parquet")
        # With its first values it loads pandas, where that is installed.
        importlib.import_module("pyarrow").array([0])


def render(task: Task) -> Rendered:
    """Render a shard, and write it where the task says where; nothing of one that holds secrets."""
    there = place_at(task.output) if task.output is not None else None
    frames: Iterable[tuple[bytes, bytes]] = task.frames
    if there is not None:
        frames = ((there.piece(name, *head), there.piece(name, *body)) for name, head, body in task.pieces)

    def twin(one: Twin) -> tuple[Head, Body]:
        key = twin_key(one)
        if there is None:
            head_frame, body_frame = task.twins[key]
        else:
            name, head, body = task.twin_pieces[key]
            head_frame, body_frame = there.piece(name, *head), there.piece(name, *body)
        return segments.head(head_frame), segments.body(body_frame)

    tables: dict[str, list[msgspec.Struct]] = {name: [] for name in TABLES}
    forms: dict[str, list[dict[str, Any]]] = {name: [] for name in task.forms}
    tallies: dict[str, Counter[str]] = {}
    for choice, (head_frame, body_frame) in zip(task.choices, frames, strict=True):
        family = _Family(task, choice, segments.head(head_frame), segments.body(body_frame), twin)
        family.add(tables, forms, tallies)
    files: dict[str, bytes] = {}
    leaks: list[Leak] = []
    counted: dict[str, int] = {}
    stem = f"{task.split}-{task.number:05d}"
    # One table after the other, and each let go of when it is written: they hold the same long texts.
    for table in TABLES:
        rows = tables.pop(table)
        counted[table] = len(rows)
        leaks += _write(task, f"data/{table}/{stem}", rows, partial(parquet, TABLES[table]), files)
    for form in task.forms:
        made = forms.pop(form)
        counted[f"chat/{form}"] = len(made)
        leaks += _write(task, f"chat/{form}/{stem}", made, partial(form_parquet, form), files)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    if there is not None:
        for name, data in files.items() if not leaks else ():
            there.put(name, data)
        files = {}
    return Rendered(
        files=files,
        digests=digests,
        rows=counted,
        tallies={what: dict(sorted(found.items())) for what, found in sorted(tallies.items())},
        leaks=tuple(leaks),
    )


def _write(
    task: Task,
    stem: str,
    rows: Sequence[Any],
    pack: Callable[[Sequence[Any]], bytes],
    files: dict[str, bytes],
) -> list[Leak]:
    """Put rows into ``files`` in each format; returns the secrets that they hold.

    Without rows there is no file: the loader of `datasets` finds no columns in an empty one and stops.
    """
    if not rows:
        return []
    lines = [encode(row, indent=0) for row in rows]
    leaks = list(_scan(stem, lines)) if task.scan else []
    if "jsonl" in task.formats:
        files[f"{stem}.jsonl"] = b"".join(lines)
    del lines
    if "parquet" in task.formats:
        files[f"{stem}.parquet"] = pack(rows)
    return leaks


_TOGETHER = 500_000
"""Characters that are searched in one go: the scanner has a cost for each call."""


def _scan(file: str, lines: Sequence[bytes]) -> Iterator[Leak]:
    """Secrets that finished lines still hold, read back as whoever loads them reads them."""
    from sessionlens.redact import rescan

    group: list[tuple[int, str]] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        text = "\n".join(strings(msgspec.json.decode(line)))
        group.append((number, text))
        size += len(text)
        if size < _TOGETHER and number < len(lines):
            continue
        if rescan("\n\n".join(one for _, one in group)):
            for place, one in group:
                for kind in rescan(one):
                    yield Leak(file=file, row=place, kind=kind)
        group, size = [], 0


class _Family:
    """One session with its children, as decided."""

    def __init__(
        self,
        task: Task,
        choice: Choice,
        head: Head,
        body: Body,
        twins_: Callable[[Twin], tuple[Head, Body]],
    ) -> None:
        self.task, self.choice, self.head, self.body = task, choice, head, body
        self.twins = twins_
        self.count = counter(task.tokenizer)
        self.out = set(choice.left_out)
        first = head.sessions[0]
        self.located = {
            "licence": choice.origin.licence,
            "origin": choice.origin.origin,
            "repository": choice.origin.repository or first.repository,
        }
        self.verdicts = {
            fingerprint: most(one.verdict for one in rows) for fingerprint, rows in choice.reviews.items()
        }

    def _named(self, row: Any, **more: Any) -> Any:
        """A row with its split, and with the names of this data set for sessions."""
        names = self.choice.names
        changes: dict[str, Any] = {"split": self.choice.split, **more}
        for field in ("session", "family", "parent"):
            value = getattr(row, field, None)
            if value in names:
                changes[field] = names[value]
        return msgspec.structs.replace(row, **changes)

    def add(
        self,
        tables: dict[str, list[msgspec.Struct]],
        forms: dict[str, list[dict[str, Any]]],
        tallies: dict[str, Counter[str]],
    ) -> None:
        """Put its rows where they belong."""

        def tally(what: str, value: Any, number: int = 1) -> None:
            tallies.setdefault(what, Counter())["" if value is None else str(value)] += number

        findings = [self._finding(row) for row in self.head.findings if row.session not in self.out]
        steps = self._steps(findings)
        by_session: dict[str, list[StepRow]] = {}
        for step in steps:
            by_session.setdefault(step.session, []).append(step)
        for row in self.head.sessions:
            if row.session in self.out:
                tally("sessions left out", "filtered")
                continue
            own = by_session.get(row.session, [])
            uses = Counter(step.use for step in own)
            made = self._named(
                row,
                **self.located,
                steps_kept=uses["keep"],
                steps_masked=uses["mask"],
                steps_dropped=uses["drop"],
            )
            tables["sessions"].append(made)
            self._tally_session(made, own, tally)
            for form, rows in forms.items():
                rows.extend(self._form(form, made, own))
        tables["steps"] += [self._named(step) for step in steps]
        tables["findings"] += [self._named(row) for row in findings]
        others: dict[str, Sequence[OperationRow | ChangeRow | ToolRow]] = {
            "operations": self.head.operations,
            "changes": self.head.changes,
            "tools": self.head.tools,
        }
        for name, more in others.items():
            tables[name] += [self._named(one) for one in more if one.session not in self.out]
        kept = set(self.choice.episodes)
        for episode in self.body.episodes:
            if episode.episode not in kept:
                continue
            verdict = self.verdicts.get(episode.fingerprint or "")
            tables["episodes"].append(
                self._named(
                    episode,
                    **self.located,
                    verdict=verdict,
                    label=label(episode.kind, episode.rule, verdict),
                )
            )
            tally("episodes by label", label(episode.kind, episode.rule, verdict))
            tally("episodes by confidence", episode.confidence)
        chosen = set(self.choice.pairs)
        found = (self._pair(wanted, tally) for wanted in self.body.pairs if wanted.row.pair in chosen)
        pairs = [pair for pair in found if pair is not None]
        for pair in self._passing("pairs", pairs):
            tables["pairs"].append(pair)
            tally("pairs by rule", pair.rule)
            tally("pairs by origin of the answer", pair.chosen_from)

    def _tally_session(self, row: SessionRow, steps: Sequence[StepRow], tally: Any) -> None:
        tally("sessions by format", row.format)
        tally("sessions by licence", row.licence)
        tally("sessions by language", row.language)
        tally("sessions by client", row.client)
        tally("sessions by worst fault", row.severity)
        tally("messages", "all", row.messages)
        for step in steps:
            tally("steps by use", step.use)
            tally("tokens by use", step.use, step.tokens)
            for reason in step.reasons:
                tally("steps by reason", reason)
            if step.cut:
                tally("shortened", "results of calls")
                tally("shortened", "characters left out", step.cut)

    # -- steps ----------------------------------------------------------------------------------------

    def _finding(self, row: FindingRow) -> FindingRow:
        return msgspec.structs.replace(
            row,
            reviews=self.choice.reviews.get(row.fingerprint, ()),
            verdict=self.verdicts.get(row.fingerprint),
        )

    def _steps(self, findings: Sequence[FindingRow]) -> list[StepRow]:
        """Steps with what training does with them."""
        least = CONFIDENCES.index(self.task.mask_from)
        at_fault: dict[tuple[str, int], str] = {}
        for finding in findings:
            if finding.verdict == "dismiss":
                continue
            if CONFIDENCES.index(finding.confidence) < least and finding.verdict != "confirm":
                continue
            for place in finding.masks:
                code = _code(finding, place)
                if _CODES.index(code) < _CODES.index(at_fault.get((finding.session, place), _CODES[-1])):
                    at_fault[finding.session, place] = code
        copied = {session: set(places) for session, places in self.choice.copied.items()}
        steps = [step for step in self.body.steps if step.session not in self.out]
        passes = self._holding("steps", steps)
        found = []
        for step, ok in zip(steps, passes, strict=True):
            reasons = list(step.reasons)
            marked = at_fault.get((step.session, step.step))
            if marked is not None and step.role == "assistant":
                reasons.append(marked)
            if step.step in copied.get(step.session, ()) and step.role == "assistant":
                reasons.append("duplicate")
            if not ok and step.role == "assistant":
                reasons.append("filtered")
            too_long = self.task.max_tokens is not None and step.tokens > self.task.max_tokens
            if too_long:
                reasons.append("overlong")
            use = step.use if step.use == "drop" or not reasons else ("drop" if too_long else "mask")
            found.append(msgspec.structs.replace(step, use=use, reasons=tuple(dict.fromkeys(reasons))))
        return found

    def _holding(self, table: str, rows: Sequence[Any]) -> list[bool]:
        passes = [True] * len(rows)
        for one in self.task.filters:
            if one.table == table:
                passes = [a and b for a, b in zip(passes, where.holds(one, rows), strict=True)]
        return passes

    def _passing(self, table: str, rows: Sequence[Any]) -> list[Any]:
        return [row for row, ok in zip(rows, self._holding(table, rows), strict=True) if ok]

    # -- pairs ----------------------------------------------------------------------------------------

    def _pair(self, wanted: Wanted, tally: Any) -> PairRow | None:
        """A pair with a real answer where one fits, else with its draft; ``None`` where there is neither.

        The answer to the very same request is tried after one that was found for this operation, before any draft.
        """
        row = wanted.row
        finding = next((e.fingerprint for e in self.body.episodes if e.episode == row.episode), None)
        if row.session in self.out:
            return None
        if self.verdicts.get(finding or "") == "dismiss":
            return None
        if row.chosen and breaks(row.prompt, row.chosen[0]):
            # Its own later step, or its draft: another answer is looked for.
            row = msgspec.structs.replace(row, chosen=(), drafted=True, chosen_from="drafted", facts=())
        if row.chosen_from == "corpus":
            row = msgspec.structs.replace(row, chosen_licence=self.choice.origin.licence)
            if row.chosen_session in self.choice.names:
                row = msgspec.structs.replace(row, chosen_session=self.choice.names[row.chosen_session])
            return self._named(row, **self.located)  # type: ignore[no-any-return]
        found = self._answer(wanted)
        if found is not None:
            donor, message, adapted = found
            row = msgspec.structs.replace(
                row,
                chosen=(message,),
                drafted=False,
                chosen_from="adapted" if adapted else "corpus",
                chosen_session=donor.session,
                chosen_step=donor.step,
                chosen_licence=self.task.licences.get(donor.session),
                facts=(),
                tools=chat.tools((*row.prompt, message, *row.rejected)),
                tokens=self.count(chat.text_of((*row.prompt, message, *row.rejected))),
            )
        else:
            row = self._twin_answer(wanted)
        if not row.chosen:
            tally(
                "pairs without an answer",
                "another language" if row.language not in (None, "en") else row.rule,
            )
            return None
        made: PairRow = self._named(row, **self.located)
        return made

    def _answer(self, wanted: Wanted) -> tuple[Donor, ChatMessage, bool] | None:
        """A real answer that fits: one that fits word for word before one whose names are replaced."""
        row = wanted.row
        known = Known(row.prompt)
        adapted: tuple[Donor, ChatMessage, bool] | None = None
        for donor in self.task.donors.get(donor_key(self.choice.split, row.situation, row.language), ()):
            if donor.session == row.session and any(donor.message == message for message in row.prompt):
                continue
            fit = fitted(donor, wanted.asked, known)
            if fit is None or fit[0] == row.rejected[0] or breaks(row.prompt, fit[0]):
                continue
            if not fit[1]:
                return donor, fit[0], False
            adapted = adapted or (donor, fit[0], True)
        return adapted

    def _twin_answer(self, wanted: Wanted) -> PairRow:
        """The pair with what the assistant did in another session that went the same way up to there."""
        row = wanted.row
        own = {step.step: step for step in self.body.steps if step.session == row.session}
        for twin in self.choice.twins:
            head, body = self.twins(twin)
            found = twins.answer(
                row, own, self.head.findings, head, body, question=wanted.question, end=wanted.end
            )
            if found is None:
                continue
            chosen = found.messages[0]
            return msgspec.structs.replace(
                row,
                chosen=(chosen,),
                drafted=False,
                chosen_from="corpus",
                chosen_session=twin.names.get(found.session, found.session),
                chosen_step=found.step,
                chosen_licence=twin.licence,
                facts=(),
                tools=chat.tools((*row.prompt, chosen, *row.rejected)),
                tokens=self.count(chat.text_of((*row.prompt, chosen, *row.rejected))),
            )
        return row

    # -- chat forms -----------------------------------------------------------------------------------

    def _form(self, form: str, session: SessionRow, steps: Sequence[StepRow]) -> Iterator[dict[str, Any]]:
        """The rows of a session in a chat form."""
        usable = [step for step in steps if step.use != "drop"]
        about = {
            "session": session.session,
            "family": session.family,
            "repository": session.repository,
            "licence": session.licence,
            "origin": session.origin,
        }
        if form == "completion":
            yield from self._completions(about, usable)
            return
        for number, piece in enumerate(self._pieces(usable)):
            if not any(step.use == "keep" for step, _ in piece) and form == "sft":
                continue
            messages = [
                (message, again or step.use != "keep", step)
                for step, again in piece
                for message in step.messages
            ]
            if not messages:
                continue
            plain = [message for message, _, _ in messages]
            row: dict[str, Any]
            if form == "openai":
                row = {"messages": plain, "tools": chat.tools(plain)}
            elif form == "anthropic":
                row = chat.anthropic(plain)
            elif form == "sharegpt":
                row = {"conversations": chat.sharegpt(plain), "tools": chat.tools(plain)}
            else:
                masked = [
                    MaskedMessage(
                        loss=message.role == "assistant" and not hidden,
                        **{name: getattr(message, name) for name in message.__struct_fields__},
                    )
                    for message, hidden, _ in messages
                ]
                row = {"messages": masked, "tools": chat.tools(plain)}
            tokens = sum(self.count(chat.text_of((message,))) for message in plain)
            yield {**row, **about, "part": number, "tokens": tokens}

    def _pieces(self, steps: Sequence[StepRow]) -> Iterator[list[tuple[StepRow, bool]]]:
        """A session whole, or cut between turns into pieces that are not too long.

        Where one turn alone is too long it is cut between steps, and what the person asked is repeated, marked.
        """
        most_tokens = self.task.max_tokens
        if most_tokens is None:
            yield [(step, False) for step in steps]
            return
        piece: list[tuple[StepRow, bool]] = []
        size = 0
        asked: StepRow | None = None
        for turn in _turns(steps):
            whole = sum(step.tokens for step in turn)
            if piece and size + whole > most_tokens:
                yield piece
                piece, size = [], 0
            for step in turn:
                if piece and size + step.tokens > most_tokens:
                    yield piece
                    piece, size = [], 0
                    if asked is not None and step is not asked and asked.tokens + step.tokens <= most_tokens:
                        piece, size = [(asked, True)], asked.tokens
                piece.append((step, False))
                size += step.tokens
                asked = step if step.human else asked
        if piece:
            yield piece

    def _completions(self, about: dict[str, Any], steps: Sequence[StepRow]) -> Iterator[dict[str, Any]]:
        """One row for each kept step: everything before it as prompt, itself as completion."""
        asked = 0
        for at, step in enumerate(steps):
            if step.human:
                asked = at
            if step.use != "keep" or at == 0:
                continue
            begin = max(asked + 1, at - PROMPT + 1)
            before = [steps[asked], *steps[begin:at]] if asked < at else []
            budget = self.task.max_tokens
            if budget is not None:
                while len(before) > 1 and sum(one.tokens for one in before) + step.tokens > budget:
                    del before[1]
                if sum(one.tokens for one in before) + step.tokens > budget:
                    continue
            prompt = [message for one in before for message in one.messages]
            completion = [step.messages[0]]
            if not prompt:
                continue
            yield {
                "prompt": prompt,
                "completion": completion,
                "tools": chat.tools((*prompt, *completion)),
                **about,
                "step": step.step,
                "tokens": sum(one.tokens for one in before) + self.count(chat.text_of(completion)),
            }


def _turns(steps: Sequence[StepRow]) -> Iterator[list[StepRow]]:
    turn: list[StepRow] = []
    for step in steps:
        if step.human and turn:
            yield turn
            turn = []
        turn.append(step)
    if turn:
        yield turn


# ---------------------------------------------------------------------------------------------------- parquet


def arrow(row: type[msgspec.Struct]) -> Any:
    """The Arrow schema of a table."""
    import pyarrow as pa

    return pa.schema([pa.field(name, _arrow_type(hint)) for name, hint in types_of(row).items()])


def _arrow_type(hint: Any) -> Any:
    import pyarrow as pa

    inner, several, _ = parts(hint)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        made = pa.struct([pa.field(name, _arrow_type(h)) for name, h in types_of(inner).items()])
    else:
        made = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}[inner]
    return pa.list_(made) if several else made


def parquet(row: type[msgspec.Struct], rows: Sequence[Any]) -> bytes:
    """Rows of a table as Parquet."""
    return _parquet(arrow(row), rows, lambda one: msgspec.to_builtins(_sound(one)))


def _sound(row: Any) -> Any:
    """The same row, half characters replaced as in JSON."""
    try:
        msgspec.json.encode(row)
    except UnicodeEncodeError:
        return msgspec.json.decode(encode(row, indent=0))
    return row


_GROUP = 4_000_000
"""Characters of the rows that are made into one group of a Parquet file: they stand in memory several times."""


def _parquet(schema: Any, rows: Iterable[Any], plain: Callable[[Any], dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    with pq.ParquetWriter(out, schema, compression="zstd", version="2.6") as writer:
        group: list[dict[str, Any]] = []
        size = 0
        empty = True
        for row in rows:
            made = plain(row)
            group.append(made)
            size += len(msgspec.json.encode(made))
            if size > _GROUP or len(group) >= 1_000:
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
                group, size, empty = [], 0, False
        if group or empty:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
    return out.getvalue()


_ABOUT = ("session", "family", "repository", "licence", "origin")


def form_schema(form: str) -> Any:
    """The Arrow schema of a chat form. Content blocks of Anthropic's form are JSON in a string: their arguments
    have no common type.
    """
    import pyarrow as pa

    chat_list = pa.list_(_arrow_type(ChatMessage))
    own: dict[str, list[tuple[str, Any]]] = {
        "openai": [("messages", chat_list), ("tools", pa.string())],
        "anthropic": [("system", pa.string()), ("messages", pa.string())],
        "sharegpt": [
            ("conversations", pa.list_(pa.struct([("from", pa.string()), ("value", pa.string())]))),
            ("tools", pa.string()),
        ],
        "sft": [("messages", pa.list_(_arrow_type(MaskedMessage))), ("tools", pa.string())],
        "completion": [("prompt", chat_list), ("completion", chat_list), ("tools", pa.string())],
    }
    last = ("step", pa.int64()) if form == "completion" else ("part", pa.int64())
    about = [(name, pa.string()) for name in _ABOUT]
    return pa.schema([*own[form], *about, last, ("tokens", pa.int64())])


def form_parquet(form: str, rows: Sequence[dict[str, Any]]) -> bytes:
    """Rows of a chat form as Parquet."""

    def plain(row: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = msgspec.json.decode(encode(row, indent=0))
        if form == "anthropic":
            made["messages"] = json.dumps(made["messages"], ensure_ascii=False)
        return made

    return _parquet(form_schema(form), rows, plain)
