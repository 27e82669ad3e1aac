"""The page in a real browser: no error, no request, search, filters, deep links, reviewing, and without script."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sessionlens.narrative import tell
from sessionlens.report import html, index, reviews

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="no chromium with its driver on this machine"
)
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


def axe() -> Path | None:
    """The script of axe-core: what ``SESSIONLENS_AXE`` names, else the one that the development tools bring."""
    named = os.environ.get("SESSIONLENS_AXE")
    if named:
        return Path(named)
    package = importlib.util.find_spec("axe_core_python")
    found = Path(package.origin).with_name("axe.min.js") if package and package.origin else None
    return found if found and found.exists() else None


class Browser:
    """A browser, spoken to by its driver's protocol."""

    def __init__(self, profile: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            [str(DRIVER), f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(100):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/status", timeout=1)
                break
            time.sleep(0.1)
        options = {
            "binary": BROWSER,
            "args": [*FLAGS, f"--user-data-dir={profile}"],
            "perfLoggingPrefs": {"enableNetwork": True},
        }
        always = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        self.session = answer["sessionId"]

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, data=data)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """One command of the session."""
        return self._ask("POST", f"/session/{self.session}{path}", body)

    def open(self, place: Path, fragment: str = "") -> None:
        """Open a file and wait until its script is done."""
        self.ask("/url", {"url": "about:blank"})
        self.ask("/url", {"url": place.as_uri() + fragment})

    def ready(self) -> None:
        """Wait until the page's script has started."""
        self.until("return document.documentElement.dataset.ready === 'yes'")

    def run(self, script: str, *args: Any) -> Any:
        """Run a script and return what it returns."""
        return self.ask("/execute/sync", {"script": script, "args": list(args)})

    def until(self, script: str, seconds: float = 20) -> Any:
        """Run a script until it returns something true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def keys(self, keys: str) -> None:
        """Press keys."""
        steps = [
            step
            for key in keys
            for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})
        ]
        self.ask("/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def cdp(self, command: str, **params: Any) -> Any:
        """A command of the browser's own protocol."""
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": params})

    def document(self) -> tuple[int, str]:
        """The number of the page's root and its text, without a script; asked again while the document is being replaced."""
        end = time.monotonic() + 20
        while True:
            try:
                root = self.cdp("DOM.getDocument", depth=1)["root"]["nodeId"]
                return root, str(self.cdp("DOM.getOuterHTML", nodeId=root)["outerHTML"])
            except urllib.error.HTTPError:
                # Between both calls the numbers of the nodes may change.
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def complaints(self) -> list[str]:
        """What stands in the console since the last call."""
        return [entry["message"] for entry in self.ask("/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Addresses asked for since the last call, the files of the test left out."""
        found = []
        for entry in self.ask("/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return [url for url in found if not url.startswith(("file:", "about:", "data:text/html"))]

    def close(self) -> None:
        """End browser and driver."""
        with contextlib.suppress(OSError):
            self._ask("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        one = Browser(profile)
        try:
            yield one
        finally:
            one.close()


@pytest.fixture(scope="module")
def place(made: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages on disk."""
    folder = tmp_path_factory.mktemp("pages")
    sessions = {
        "incident": made.incident(),
        "hostile": made.everywhere(made.HOSTILE),
        "bomb": made.everywhere(made.BOMB),
        "long": made.long(6000),
        "quiet": made.quiet(),
        "many": made.many(12),
        "read_again": made.read_again(),
    }
    found, lines = {}, []
    for name, session in sessions.items():
        audit = made.judged(session)
        found[name] = folder / f"{name}.html"
        with found[name].open("w", encoding="utf-8") as stream:
            html.render(tell(audit), audit, stream)
        lines.append((found[name].name, index.line(tell(audit), audit)))
    found["index"] = folder / "index.html"
    found["index"].write_text(index.page(lines, ["broken.xml: nothing in it"]), encoding="utf-8")
    return found


@pytest.mark.parametrize("name", ["incident", "quiet", "many", "hostile", "bomb", "long", "index"])
def test_no_error_and_no_request(browser: Browser, place: dict[str, Path], name: str) -> None:
    browser.requests()
    browser.complaints()
    browser.open(place[name])
    if name != "index":
        browser.ready()
    assert browser.complaints() == []
    assert browser.requests() == []


@pytest.mark.parametrize("name", ["hostile", "bomb"])
def test_hostile_text_runs_nothing(browser: Browser, place: dict[str, Path], name: str) -> None:
    browser.open(place[name])
    browser.ready()
    assert "owned" not in browser.run("return document.title.split('·')[1]")
    assert (
        browser.run("return document.querySelectorAll('img, iframe, object, [onerror], [onload]').length")
        == 0
    )
    assert browser.run("return [...document.links].every((a) => a.getAttribute('href').startsWith('#'))")


@pytest.mark.parametrize(
    ("width", "name"),
    [
        (390, "incident"),
        (1024, "incident"),
        (1440, "incident"),
        (390, "hostile"),
        (390, "bomb"),
        (390, "long"),
        (390, "many"),
        (390, "index"),
    ],
)
def test_nothing_is_wider_than_the_window(
    browser: Browser, place: dict[str, Path], width: int, name: str
) -> None:
    browser.cdp(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
    )
    try:
        browser.open(place[name])
        if name != "index":
            browser.ready()
        assert browser.run("return document.documentElement.scrollWidth") <= width
    finally:
        browser.cdp("Emulation.clearDeviceMetricsOverride")


def test_the_index_tells_all_of_a_session_on_a_phone(browser: Browser, place: dict[str, Path]) -> None:
    browser.cdp("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=True)
    try:
        browser.open(place["index"])
        rights = browser.run(
            "return [...document.querySelectorAll('.index tbody td')].map(cell => {"
            " const box = cell.getBoundingClientRect(); return [box.height > 0, box.right] })"
        )
        assert len(rights) == 5 * (len(place) - 1)
        assert all(seen and right <= 390 for seen, right in rights)
    finally:
        browser.cdp("Emulation.clearDeviceMetricsOverride")


def test_search_finds_a_word_far_down(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["long"])
    browser.ready()
    browser.run(
        "const f = document.querySelector('#find'); f.value = 'NEEDLE'; f.dispatchEvent(new Event('input'))"
    )
    browser.until("return document.querySelector('#matches').textContent === '1 message'")
    browser.run("document.querySelector('#next').click()")
    shown = "return [...document.querySelectorAll('#list .here')].map((n) => n.textContent).join('')"
    assert "needle in here" in browser.until(shown)


def test_the_list_holds_few_nodes_wherever_it_stands(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["long"])
    browser.ready()
    for part in (0, 0.5, 1):
        browser.run(
            "const l = document.querySelector('#list'); l.scrollTop = l.scrollHeight * arguments[0]", part
        )
        first = browser.until("return document.querySelector('#list .message')?.textContent")
        assert first
        time.sleep(0.2)
        assert 3 <= browser.run("return document.querySelectorAll('#list .message').length") < 80
    assert "5,999" in browser.run("return document.querySelector('#list').textContent") or browser.run(
        "return [...document.querySelectorAll('#list .permalink')].some((a) => a.hash === '#m5999')"
    )


def test_a_deep_link_lands(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["long"], "#m4321")
    browser.ready()
    assert "message number 4321," in browser.until(
        "return document.querySelector('#list .here')?.textContent"
    )
    browser.open(place["incident"], "#m8")
    browser.ready()
    top = browser.until("return document.querySelector('#m8').getBoundingClientRect().top + 1")
    assert -5 < top < 900


def test_a_packed_text_is_whole_once_it_is_opened(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["read_again"])
    browser.ready()
    assert browser.run("return document.querySelectorAll('.packed').length") == 2
    browser.run("document.querySelectorAll('.packed')[1].closest('details').open = true")
    browser.until("return document.querySelectorAll('.packed')[1].dataset.whole")
    shown = browser.until(
        "const p = document.querySelectorAll('.packed')[1]; return !p.querySelector('.left-out') && p.querySelector('pre').textContent"
    )
    assert shown.strip() == made_again(1).strip()
    browser.run(
        "const f = document.querySelector('#find'); f.value = 'row 15000 '; f.dispatchEvent(new Event('input'))"
    )
    browser.until("return document.querySelector('#matches').textContent === '2 messages'")


def made_again(number: int) -> str:
    """What the second file read gave, as the fixture makes it."""
    return "\n".join([f"read {number}", *(f"row {row} of a long file" for row in range(20_000))])


def test_filters_leave_what_they_name(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["incident"])
    browser.ready()
    browser.run("document.querySelector('[data-tag=cut]').click()")
    shown = browser.run(
        "return [...document.querySelectorAll('#messages .message:not([hidden])')].map((n) => n.id)"
    )
    assert shown == ["m7", "m11"]
    browser.run("document.querySelector('[data-tag=person]').click()")
    assert browser.run("return document.querySelectorAll('#messages .message:not([hidden])').length") == 6
    browser.open(place["long"])
    browser.ready()
    browser.run("document.querySelector('[data-tag=person]').click()")
    assert browser.run("return document.querySelector('#matches').textContent") == "300 of 6000"


def test_reviewing_by_keyboard_is_kept(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["incident"])
    browser.ready()
    browser.run("localStorage.clear()")
    browser.open(place["incident"])
    browser.ready()
    browser.keys("jjc")
    browser.keys("kd")
    pressed = "return [...document.querySelectorAll('.finding')].map((n) => n.querySelector('[aria-pressed=true]')?.textContent || '')"
    assert browser.run(pressed)[:3] == ["Dismiss", "Confirm", ""]
    browser.open(place["incident"])
    browser.ready()
    assert browser.run(pressed)[:3] == ["Dismiss", "Confirm", ""]
    browser.keys("/")
    assert browser.run("return document.activeElement.id") == "find"


@pytest.mark.parametrize("name", ["incident", "long"])
def test_without_script_all_that_matters_is_there(
    browser: Browser, place: dict[str, Path], name: str
) -> None:
    browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(place[name])
        found, page = browser.document()
        assert 'data-ready="yes"' not in page
        assert "<h1" in page
        wanted = ("#headline", ".numbers", "#limits")
        wanted += (
            ("#ledger table", ".picture .plot", ".chapter", "#messages .message")
            if name == "incident"
            else ()
        )
        for selector in wanted:
            node = browser.cdp("DOM.querySelector", nodeId=found, selector=selector)["nodeId"]
            assert node, selector
            browser.cdp("DOM.getBoxModel", nodeId=node)
        tools = browser.cdp("DOM.querySelector", nodeId=found, selector=".tools")["nodeId"]
        assert "hidden" in browser.cdp("DOM.getAttributes", nodeId=tools)["attributes"]
    finally:
        browser.cdp("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(browser: Browser, place: dict[str, Path], scheme: str) -> None:
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    try:
        browser.open(place["incident"])
        browser.ready()
        weak = browser.run(
            """
            const light = (c) => { const v = c.map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
              return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
            const rgb = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
            const ground = (node) => { for (let at = node; at; at = at.parentElement) { const c = rgb(getComputedStyle(at).backgroundColor);
              if (c.length && (c.length < 4 || c[3] > 0)) return c.slice(0, 3); } return [255, 255, 255]; };
            const found = [];
            for (const node of document.querySelectorAll('body *')) {
              if (![...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
              if (node.closest('svg, script, style, .sr, .skip, [hidden]') || !node.getClientRects().length) continue;
              const a = light(rgb(getComputedStyle(node).color).slice(0, 3)), b = light(ground(node));
              const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              if (ratio < 4.5) found.push(`${node.className || node.tagName} ${ratio.toFixed(2)} ${node.textContent.slice(0, 30)}`);
            }
            return found;
            """
        )
        assert weak == []
    finally:
        browser.cdp("Emulation.setEmulatedMedia", features=[])


def test_landmarks_names_and_headings(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["incident"])
    browser.ready()
    assert browser.run("return document.querySelectorAll('main, h1').length") == 2
    levels = browser.run(
        "return [...document.querySelectorAll('h1, h2, h3')].map((n) => Number(n.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    nameless = browser.run(
        "return [...document.querySelectorAll('button, input, a[href], nav, svg[role]')].filter((n) => "
        "!(n.textContent.trim() || n.getAttribute('aria-label') || n.labels?.length)).map((n) => n.outerHTML.slice(0, 120))"
    )
    assert nameless == []


@pytest.mark.parametrize("name", ["incident", "quiet", "many", "hostile", "long", "index"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_serious(
    browser: Browser, place: dict[str, Path], name: str, scheme: str, width: int
) -> None:
    script = axe()
    if script is None:
        pytest.skip(
            "axe-core is not there: install the development tools, or name axe.min.js by SESSIONLENS_AXE"
        )
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.cdp(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
    )
    try:
        browser.open(place[name])
        if name != "index":
            browser.ready()
        browser.run(script.read_text("utf-8"))
        browser.run(
            "window.found = null; axe.run(document, {resultTypes: ['violations'], iframes: false})"
            ".then((all) => { window.found = all; }, (error) => { window.found = {error: String(error)}; });"
        )
        found = browser.until("return window.found", 60)
        assert "error" not in found
        assert len(found["passes"]) > 5
        serious = [
            (one["id"], [node["html"][:160] for node in one["nodes"]][:3])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical", "moderate")
        ]
        assert serious == []
    finally:
        browser.cdp("Emulation.clearDeviceMetricsOverride")
        browser.cdp("Emulation.setEmulatedMedia", features=[])


@pytest.mark.parametrize("name", ["many", "long"])
def test_paper_gets_every_chapter_and_the_messages_spoken_of(
    browser: Browser, place: dict[str, Path], name: str
) -> None:
    browser.open(place[name])
    browser.ready()
    closed = "return [...document.querySelectorAll('.chapter .folded .said')].filter((n) => n.checkVisibility()).length"
    assert browser.run(closed) == 0
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    try:
        hidden = browser.run(
            "return [...document.querySelectorAll('.chapter h3, .chapter .said')].filter((n) => n.offsetHeight < 5"
            " || !n.checkVisibility()).length"
        )
        assert hidden == 0
        assert browser.run(
            "return [...document.querySelectorAll('.tools, .review-bar, #list')].every((n) => !n.offsetHeight)"
        )
        spoken = browser.run(
            "return document.querySelectorAll('#excerpt .message, #messages .message').length"
        )
        shown = browser.run(
            "return [...document.querySelectorAll('#excerpt .message, #messages .message')].filter((n) => n.offsetHeight).length"
        )
        assert shown == spoken > 0
    finally:
        browser.cdp("Emulation.setEmulatedMedia", media="")


def test_a_note_corrects_and_what_is_saved_is_read_back(browser: Browser, place: dict[str, Path]) -> None:
    browser.open(place["incident"])
    browser.ready()
    browser.run("localStorage.clear()")
    browser.open(place["incident"])
    browser.ready()
    browser.keys("jnit was staging\ue007")
    browser.keys("jc")
    assert browser.run("return document.querySelector('.note-shown').textContent") == "it was staging"
    assert "Your review: 2 of " in browser.run("return document.querySelector('.review-bar').textContent")
    browser.run(
        "const old = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((t) => { window.saved = t; });"
        " return old.call(URL, blob); }; document.querySelector('#save-review').click();"
    )
    read = reviews.decode(browser.until("return window.saved").encode())
    assert [one.verdict for one in read.verdicts] == ["correct", "confirm"]
    assert read.verdicts[0].note == "it was staging"
    assert all(one.rule and one.fingerprint for one in read.verdicts)
    assert read.session == browser.run("return document.body.dataset.session")
    browser.keys("?")
    assert browser.run("return document.querySelector('#keys').open")
    browser.keys("\ue00c")
    assert not browser.run("return document.querySelector('#keys').open")
