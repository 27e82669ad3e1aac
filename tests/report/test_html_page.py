"""The page as a file: valid, self-contained, linked, equal twice, and harmless whatever the log holds."""

from __future__ import annotations

import base64
import hashlib
import re
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import html5lib
import msgspec
import pytest

from sessionlens.cli import formats
from sessionlens.narrative import tell
from sessionlens.redact import Redactions
from sessionlens.report import html, index, reviews
from sessionlens.report.markup import visible


@pytest.fixture(scope="module")
def pages(made: ModuleType) -> dict[str, str]:
    """A page of each kind."""
    sessions = {
        "incident": made.incident(),
        "quiet": made.quiet(),
        "hostile": made.everywhere(made.HOSTILE),
        "tame": made.everywhere(made.TAME),
        "long": made.long(1100),
    }
    found, judged = {}, {}
    for name, session in sessions.items():
        audit = made.judged(session)
        judged[name] = audit
        found[name] = html.page(tell(audit), audit)
    audit = made.judged(sessions["incident"])
    place = audit.findings[0].at.message_index
    found["message"] = html.page(tell(audit, message=f"#{place}"), audit)
    found["static"] = html.page(tell(audit), audit, static=True)
    lines = [(f"{name} b.audit.html", index.line(tell(audit), audit)) for name, audit in judged.items()]
    found["index"] = index.page(lines, ["broken.json:1: nothing <readable>"])
    return found


NAMES = ("incident", "quiet", "hostile", "tame", "long", "message", "static", "index")


def tree(page: str) -> Any:
    """The page as a browser reads it; an error of the markup is an error here."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(page)


def names(page: str) -> set[str]:
    """Names of all elements."""
    return {re.sub(r"\{.*\}", "", str(node.tag)) for node in tree(page).iter() if isinstance(node.tag, str)}


@pytest.mark.parametrize("name", NAMES)
def test_is_valid(pages: dict[str, str], name: str) -> None:
    assert tree(pages[name]).find("body") is not None


@pytest.mark.parametrize("name", NAMES)
def test_every_local_link_has_its_place(pages: dict[str, str], name: str) -> None:
    root = tree(pages[name])
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    fragments = {node.get("href") for node in root.iter() if (node.get("href") or "").startswith("#")}
    assert not {fragment[1:] for fragment in fragments} - set(ids)
    assert {node.get("data-pack") for node in root.iter() if node.get("data-pack")} <= set(ids)
    for reference in re.findall(r"url\(#([^)]+)\)", pages[name]):
        assert reference in ids


@pytest.mark.parametrize("name", NAMES)
def test_fetches_and_leads_nowhere(pages: dict[str, str], name: str) -> None:
    for node in tree(pages[name]).iter():
        for attribute in ("src", "srcset", "action", "data", "poster", "background", "formaction"):
            assert node.get(attribute) is None
        assert not any(str(key).startswith("on") for key in node.attrib)
        assert node.get("style") is None
        href = node.get("href")
        if href is not None and name != "index":
            assert href.startswith("#")
    assert not re.search(r"@import|url\((?!#)", pages[name].split("</style>")[0])


@pytest.mark.parametrize("name", NAMES)
def test_policy_allows_exactly_what_the_page_holds(pages: dict[str, str], name: str) -> None:
    root = tree(pages[name])
    policy = next(
        node.get("content")
        for node in root.iter("meta")
        if node.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for node in (*root.iter("style"), *(s for s in root.iter("script") if s.get("type") is None)):
        digest = base64.b64encode(hashlib.sha256((node.text or "").encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_hostile_text_makes_no_element(pages: dict[str, str]) -> None:
    assert names(pages["hostile"]) == names(pages["tame"])
    assert "<script>document" not in pages["hostile"]
    assert "javascript:alert" in pages["hostile"]
    assert "onerror=&#34;" in pages["hostile"]


def test_hostile_characters_become_signs(pages: dict[str, str]) -> None:
    page = pages["hostile"]
    page.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe]", page)
    assert "⟨U+202E⟩" in page
    assert "⟨U+D800⟩" in page
    assert "{{ 7*7 }}" in page


def test_equal_bytes_twice(made: ModuleType) -> None:
    def once() -> str:
        audit = made.judged(made.incident())
        return html.page(tell(audit), audit)

    assert once() == once()


def test_first_screen_says_what_happened(pages: dict[str, str]) -> None:
    root = tree(pages["incident"])
    headline = "".join(root.find(".//h1").itertext())
    assert "Two restarts of billing.service on 10.20.0.7 were cut off after 15 s and 20 s" in headline
    values = [node.text for node in root.iter("span") if node.get("class") == "value"]
    assert values[:2] == ["6", "0"]
    assert len(values) == 4


def test_every_message_of_a_short_session_is_plain(made: ModuleType, pages: dict[str, str]) -> None:
    root = tree(pages["incident"])
    anchors = {node.get("id") for node in root.iter("article")}
    assert anchors == {f"m{message.index}" for message in made.incident().messages}
    assert not [node for node in root.iter("script") if node.get("class") == "chunk"]


def test_a_long_session_is_packed_and_small(made: ModuleType, pages: dict[str, str]) -> None:
    root = tree(pages["long"])
    chunks = [node for node in root.iter("script") if node.get("class") == "chunk"]
    assert len(chunks) == 5
    assert "needle in here" not in pages["long"]
    audit = made.judged(made.long(1100))
    static = html.page(tell(audit), audit, static=True)
    assert "needle in here" in static
    assert sum(1 for _ in tree(static).iter("article")) == 1100


def test_long_outputs_are_packed_beside_their_ends(made: ModuleType) -> None:
    import msgspec

    from sessionlens.model import Text

    session = made.quiet()
    big = "\n".join(f"row {number} of a very long listing" for number in range(120_000))
    message = session.messages[1]
    call = msgspec.structs.replace(message.calls[0], output=Text(big))
    messages = (session.messages[0], msgspec.structs.replace(message, parts=(call,)), *session.messages[2:])
    audit = made.judged(msgspec.structs.replace(session, messages=messages))
    page = html.page(tell(audit), audit)
    assert len(page) < len(big) / 2
    assert "row 0 of" in page
    assert "row 119999 of" in page
    assert "row 60000 of" not in page
    assert "row 60000 of" in html.page(tell(audit), audit, static=True)


def test_the_same_long_text_is_packed_once(made: ModuleType) -> None:
    import msgspec

    from sessionlens.model import Text

    session = made.quiet()
    big = "\n".join(f"row {number} of a very long listing" for number in range(40_000))
    call = msgspec.structs.replace(session.messages[1].calls[0], output=Text(big))
    messages = tuple(
        msgspec.structs.replace(message, parts=(call,)) if message.calls else message
        for message in session.messages
    )
    audit = made.judged(msgspec.structs.replace(session, messages=messages))
    root = tree(html.page(tell(audit), audit))
    boxes = [node.get("data-pack") for node in root.iter() if node.get("data-pack")]
    packs = [node.get("id") for node in root.iter("script") if node.get("class") == "pack"]
    assert len(boxes) == 2
    assert packs == boxes[:1]
    assert boxes[0] == boxes[1]


def test_a_missing_field_of_a_template_is_an_error() -> None:
    from jinja2 import UndefinedError

    template = html.environment().from_string("{{ nothing.here }}")
    with pytest.raises(UndefinedError):
        template.render()


def test_every_name_is_escaped() -> None:
    template = html.environment().from_string('<p title="{{ value }}">{{ value }}</p>')
    assert template.render(value="\"<b>'\x00") == '<p title="&#34;&lt;b&gt;&#39;␀">&#34;&lt;b&gt;&#39;␀</p>'


def test_visible_keeps_what_is_fit() -> None:
    fine = "tab\tline\n äöü 中文 👩\u200d💻 می\u200cخواهم"
    assert visible(fine) == fine


def test_the_index_has_the_worst_first_with_words_for_its_pictures(pages: dict[str, str]) -> None:
    page = pages["index"]
    assert page.index("incident%20b.audit.html") < page.index("quiet%20b.audit.html")
    assert "nothing &lt;readable&gt;" in page
    assert 'aria-label="No faults"' in page
    marked = re.search(r'aria-label="Faults at message ([^"]+)"', page)
    assert marked is not None
    assert page.count('class="spark"') == 5
    assert 'class="fault high"' in page or 'class="fault critical"' in page


def test_verdicts_of_a_review_stand_in_the_page(made: ModuleType) -> None:
    audit = made.judged(made.incident())
    first, second, *_ = audit.findings
    given = {
        first.fingerprint: reviews.Review(
            fingerprint=first.fingerprint, verdict="dismiss", note="a <b>drill</b>"
        ),
        second.fingerprint: reviews.Review(fingerprint=second.fingerprint, verdict="confirm"),
        "unknown": reviews.Review(fingerprint="unknown", verdict="confirm"),
    }
    page = html.page(tell(audit), audit, reviews=given)
    assert "<b>Dismissed in review</b>: a &lt;b&gt;drill&lt;/b&gt;" in page
    assert "<b>Confirmed in review</b>" in page
    assert page.count(" in review</b>") == 2


def test_everything_that_travels_deflated_is_shown_to_the_scan(made: ModuleType) -> None:
    audit = made.judged(made.long(1100))
    seen: list[str] = []
    out = StringIO()
    html.render(tell(audit), audit, out, seen=seen.append)
    assert "message number 1099," in "".join(seen)
    assert "message number 0," in "".join(seen)


def test_chunks_that_somebody_has_made_give_the_same_page(made: ModuleType) -> None:
    audit = made.judged(made.long(1100))
    chunks = list(html.chunks(audit.session, leaks=lambda text: ["a-kind"] if "number 1099," in text else []))
    assert len(chunks) == html.chunked(audit.session)
    assert [chunk.leaks for chunk in chunks] == [[]] * (len(chunks) - 1) + [["a-kind"]]
    pages = []
    for known in (0, 2, len(chunks)):
        out = StringIO()
        html.render(
            tell(audit),
            audit,
            out,
            made=lambda number, known=known: chunks[number] if number < known else None,
        )
        pages.append(out.getvalue())
    assert pages[0] == pages[1] == pages[2] == html.page(tell(audit), audit)


def test_a_long_page_is_written_as_it_is_made(made: ModuleType) -> None:
    audit = made.judged(made.long(1100))
    written: list[str] = []
    taken: list[int] = []

    class Stream(StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    def chunk(number: int) -> html.Chunk:
        taken.append(sum("chunk-" in text for text in written))
        return html.Chunk(packed=f"chunk-{number}", rows=[])

    html.render(tell(audit), audit, Stream(), made=chunk)
    assert taken == [0, 1, 2, 3, 4]


def test_a_secret_in_a_chunk_that_somebody_has_made_stops_the_page(made: ModuleType, tmp_path: Path) -> None:
    audit = msgspec.structs.replace(made.judged(made.long(1100)), redactions=Redactions())
    chunk = html.Chunk(packed="", rows=[], leaks=["github-token"])
    with pytest.raises(formats.Leaked, match="github-token"):
        formats.render(audit, ["html"], tmp_path / "page", made=lambda _: chunk)
