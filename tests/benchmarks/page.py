"""Measures a page in a real browser: time to load, memory of the renderer, search, frames while scrolling.

    python tests/benchmarks/page.py PAGE [WORD]

``WORD`` is searched for; without one, a word of the last message but one is taken.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent / "report" / "test_html_browser.py"
SCROLL = """
const done = arguments[arguments.length - 1];
const list = document.querySelector('#list') || document.scrollingElement;
const frames = [];
let last = performance.now();
let left = 240;
const step = (now) => {
  frames.push(now - last);
  last = now;
  list.scrollTop += left % 40 === 0 ? list.scrollHeight / 9 : 400;
  left -= 1;
  if (left) requestAnimationFrame(step); else done(frames.slice(1));
};
requestAnimationFrame(step);
"""


def _browser() -> Any:
    spec = importlib.util.spec_from_file_location("browser_of_the_tests", TESTS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _renderer(browser: Any) -> float:
    """Resident megabytes of the renderer that uses most."""
    most = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            command = status.with_name("cmdline").read_bytes()
            if b"--type=renderer" in command and browser.profile.encode() in command:
                line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
                most = max(most, int(line.split()[1]) / 1024)
        except (OSError, StopIteration):
            continue
    return most


def main() -> None:
    """Print the figures."""
    page = Path(sys.argv[1]).resolve()
    module = _browser()
    with tempfile.TemporaryDirectory() as profile:
        browser = module.Browser(profile)
        browser.profile = profile
        try:
            browser.open(page)
            browser.ready()
            times = browser.run(
                "const t = performance.getEntriesByType('navigation')[0];"
                "return [t.domContentLoadedEventEnd, t.loadEventEnd, window.performance.getEntriesByName('ready')[0]?.startTime"
                " || 0, performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0]"
            )
            print(f"page                 {page.stat().st_size / 1e6:.1f} MB")
            print(f"first paint          {times[3]:.0f} ms")
            print(f"loaded               {times[1]:.0f} ms")
            print(f"ready for search     {times[2]:.0f} ms")
            print(f"renderer after load  {_renderer(browser):.0f} MB")
            browser.ask("/timeouts", {"script": 120_000})
            frames = browser.ask("/execute/async", {"script": SCROLL, "args": []})
            print(f"frames, scrolling    median {statistics.median(frames):.0f} ms, 95% under "
                  f"{statistics.quantiles(frames, n=20)[-1]:.0f} ms, longest {max(frames):.0f} ms")  # fmt: skip
            word = sys.argv[2] if len(sys.argv) > 2 else "nowhere-to-be-found"
            start = time.monotonic()
            browser.run(
                "const f = document.querySelector('#find'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))",
                word,
            )
            found = browser.until(
                "const t = document.querySelector('#matches').textContent; return /message/.test(t) && t", 120
            )
            print(f"search               {time.monotonic() - start:.1f} s: {found}")
            start = time.monotonic()
            browser.run("document.querySelector('#next').click()")
            if not found.startswith("no "):
                browser.until("return document.querySelector('.here')?.textContent", 60)
                print(f"going there          {time.monotonic() - start:.2f} s")
            print(f"renderer at the end  {_renderer(browser):.0f} MB")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
