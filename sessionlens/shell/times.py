"""Times that lines of logs carry, and whether a log shows anything written since a change.

A log whose newest line is older than a change says nothing of what came of it (CONTRACT §1 *check*: log written
since). Judging that needs two clocks: the log's, often without zone or year, and the session's.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sessionlens.cache import lazy

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan ene gen sty янв", "feb fév fev lut фев", "mar mär mrt mars мар", "apr avr abr kwi апр",
            "may mai mei mag maj мая май", "jun juin giu cze июн", "jul juil lug lip июл", "aug août ago sie авг",
            "sep set wrz сен", "oct okt out ott paź окт", "nov lis ноя", "dec dez dic déc gru дек",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
"""Abbreviations of months as journalctl and syslog write them in several locales."""

_CLOCK = r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?"
_SHAPES = tuple(
    lazy(pattern)
    for pattern in (
        # 2026-01-05T07:00:00.000Z, 2026/01/05 07:00:00
        rf"(?<!\d)(?P<year>20\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T ]{_CLOCK}{_ZONE}",
        # 05/Jan/2026:07:00:00 +0000, 05-Jan-2026 07:00:00
        rf"(?<!\d)(?P<day>\d\d)[/-](?P<name>\w{{3,4}})[/-](?P<year>20\d\d)[: ]{_CLOCK}{_ZONE}",
        # Mon Jan  5 07:00:00 2026, Mon Jan  5 07:00:00 UTC 2026
        rf"\b(?P<name>\w{{3,4}})\.? {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}(?: (?P<zone>[A-Z]{{3,4}}))? (?P<year>20\d\d)\b",
        # Jan  5 07:00:00 (syslog, journalctl), 5. Jan 07:00:00
        rf"(?:^|[\s\[|])(?P<name>\w{{3,4}})\.? {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}",
        rf"(?:^|[\s\[|])(?P<day>\d{{1,2}})\.? (?P<name>\w{{3,4}})\.? {_CLOCK}",
        # klog: I0105 07:00:00.123456; loguru and vLLM: INFO 01-05 07:00:00
        rf"(?:^|\s)[IWEFD](?P<month>\d\d)(?P<day>\d\d) {_CLOCK}",
        rf"\b(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL) (?P<month>\d\d)-(?P<day>\d\d) {_CLOCK}",
        # {"ts":1767603600.123} (zap), {"time":1767603600123} (pino)
        r"\"(?:ts|time|timestamp)\":\s?\"?(?P<epoch>1\d{9})(?:\d{3}\b|\.\d|\b)",
    )
)
_LINES_READ = 40


class _Stamp:
    """A time as a line carries it: without a zone, and maybe without a year."""

    def __init__(self, found: re.Match[str]) -> None:
        parts = found.groupdict()
        self.zone: timedelta | None = None
        self.year: int | None = None
        if parts.get("epoch"):
            moment = datetime.fromtimestamp(int(parts["epoch"]), UTC)
            self.zone, self.year = timedelta(), moment.year
            self.rest = (moment.month, moment.day, moment.hour, moment.minute, moment.second)
            return
        month = int(parts["month"]) if parts.get("month") else _MONTHS[parts["name"].lower().rstrip(".")]
        self.year = int(parts["year"]) if parts.get("year") else None
        self.rest = (month, int(parts["day"]), int(parts["hour"]), int(parts["minute"]), int(parts["second"]))
        zone = parts.get("zone")
        if zone in ("Z", "UTC", "GMT"):
            self.zone = timedelta()
        elif zone and zone[0] in "+-":
            sign = -1 if zone[0] == "-" else 1
            self.zone = sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        datetime(self.year or 2024, *self.rest)

    def moment(self, near: datetime) -> datetime:
        """As a moment, read as UTC where no zone is given; the year without which it is the nearest one."""
        if self.year is not None:
            return datetime(self.year, *self.rest, tzinfo=UTC) - (self.zone or timedelta())
        moments = []
        for year in (near.year - 1, near.year, near.year + 1):
            try:
                moments.append(datetime(year, *self.rest, tzinfo=UTC))
            except ValueError:
                # 29 February
                continue
        return min(moments, key=lambda moment: abs(moment - near)) if moments else near


_STAMPED_WITHIN = 48
"""Characters of a line within which its time begins; a date further on is what the line speaks of."""


def _stamp(line: str) -> tuple[str, _Stamp] | None:
    for shape in _SHAPES:
        found = shape.search(line)
        if found is not None and (found.start() < _STAMPED_WITHIN or found.groupdict().get("epoch")):
            try:
                return found.group().strip(" \t[|"), _Stamp(found)
            except (KeyError, ValueError):
                continue
    return None


def newest_time(text: str) -> str:
    """The newest time that the lines of a log carry, as written there; empty where they carry none.

    Reads the first and the last lines: logs are in order of time, one way or the other.
    """
    lines = [line[:400] for line in text.split("\n") if line.strip()]
    if len(lines) > 2 * _LINES_READ:
        lines = lines[:_LINES_READ] + lines[-_LINES_READ:]
    best: tuple[tuple[int, ...], str] | None = None
    stamped = 0
    for line in lines:
        found = _stamp(line)
        if found is not None:
            stamped += 1
            written, stamp = found
            rank = (stamp.year or 0, *stamp.rest)
            if best is None or rank >= best[0]:
                best = (rank, written)
    # A date here and there is no time of a log; lines of a trace carry none.
    return best[1] if best is not None and stamped * 4 >= len(lines) else ""


_UP = lazy(
    r"\bup\s+(?P<all>(?:(?P<weeks>\d{1,5})\s+weeks?,?\s*)?(?:(?P<days>\d{1,6})\s+days?,?\s*)?(?:(?P<hours>\d{1,3})\s+hours?,?\s*)?"
    r"(?:(?P<clock>\d{1,2}:\d\d)(?!:)|(?P<minutes>\d{1,4})\s*min(?:ute)?s?)?(?:(?P<seconds>\d{1,4})\s*sec(?:ond)?s?)?)",
)
_PROC_UP = lazy(r"^\s*(\d{1,10})\.\d\d \d{1,12}\.\d\d\s*$")
_SINCE = lazy(r"(?:^|\bsystem boot\s+)\s*(20\d\d-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?)\s*$", re.MULTILINE)


def up_for(text: str) -> tuple[int | None, str]:
    """For how many seconds, or since when, a machine says that it is up: ``uptime``, ``who -b``, ``/proc/uptime``."""
    head = text[:2000]
    if (proc := _PROC_UP.match(head)) is not None:
        return int(proc[1]), ""
    if (found := _UP.search(head)) is not None and found["all"].strip():
        hours, _, minutes = (found["clock"] or "0:0").partition(":")
        weeks, days, more_hours, more = (
            int(found[name] or 0) for name in ("weeks", "days", "hours", "minutes")
        )
        whole = ((weeks * 7 + days) * 24 + more_hours + int(hours)) * 3600 + (int(minutes) + more) * 60
        return whole + int(found["seconds"] or 0), ""
    since = _SINCE.search(head)
    return None, since[1] if since is not None else ""


_AGO = lazy(r"\bActive: active \([^)\n]{1,40}\) since [^;\n]{1,80}; (?P<age>[^;\n]{2,60}?) ago\b")
_UP_STATUS = lazy(
    r"(?<![\w-])Up (?P<age>(?:About an?|Less than a|\d{1,6}) (?:second|minute|hour|day|week|month|year)s?)\b"
)
_AGES = lazy(r"(?<![\w.-])(?P<age>(?:\d{1,6}[ydhms]){1,3})(?![\w.-])")
_PART = lazy(
    r"(About an?|Less than a|\d{1,6})\s?(years?|y|months?|weeks?|w|days?|d|hours?|h|minutes?|min|m|seconds?|s)(?![a-z])"
)
_SECONDS = {"y": 31_557_600, "mo": 2_629_800, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}


def youngest(words: tuple[str, ...], text: str) -> int | None:
    """For how many seconds the youngest of what a status or a list shows is up; ``None`` where it does not say."""
    head = text[:20_000]
    if "AGE" in head.split("\n", 1)[0].split():
        rows = [line for line in head.split("\n")[1:] if line.strip()]
        ages = [found[-1]["age"] for line in rows if (found := list(_AGES.finditer(line[:400])))]
        if len(ages) != len(rows):
            return None
    else:
        shape = _AGO if "status" in words[1:4] else _UP_STATUS
        ages = [found["age"] for found in shape.finditer(head)]
    return min(map(_age, ages)) if ages else None


def _age(written: str) -> int:
    whole = 0
    for number, unit in _PART.findall(written):
        count = int(number) if number.isdecimal() else 0 if number.startswith("Less") else 1
        whole += count * _SECONDS["mo" if unit.startswith("mo") else unit[0]]
    return whole


_SLACK = timedelta(seconds=90)
"""How far two clocks may differ."""
_ZONES = tuple(timedelta(minutes=30 * step) for step in range(-24, 29))
"""Differences of a log's clock from UTC, from -12 to +14 hours."""


def written_since(newest: str, changed_ms: int, checked_ms: int) -> bool:
    """Whether the newest line of a log may have been written after a change; both in ms since 1970, UTC.

    ``newest`` is what :func:`newest_time` found; ``checked_ms`` is when the log was looked at. Without a zone
    the line counts as new when any zone puts it between change and look: ``False`` is said only where it is
    sure.
    """
    found = _stamp(newest)
    if found is None:
        return True
    changed, checked = (
        datetime.fromtimestamp(ms / 1000, UTC) for ms in (changed_ms, max(changed_ms, checked_ms))
    )
    moment = found[1].moment(checked)
    if found[1].zone is not None:
        return moment >= changed - _SLACK
    return (
        any(changed - _SLACK <= moment - zone <= checked + _SLACK for zone in _ZONES)
        or moment > checked + _SLACK
    )
