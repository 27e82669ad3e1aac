"""How far a line came, from its result: which commands began, ended, failed (CONTRACT §1 *reached*).

The signs, strongest first: markers that the line itself prints (``echo done`` after ``&&``), the exit code and
what it means for a chain, complaints that name who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Literal

from sessionlens.cache import lazy
from sessionlens.shell.command import CHANGES, STARTS, Command
from sessionlens.shell.result import (
    LOST,
    OMITTED,
    QUOTED,
    find,
    never_up,
    outcome_table,
    possible,
    quote_of,
    row_of,
)
from sessionlens.shell.rounds import blocks, names_it, own_words, rounds, skeleton
from sessionlens.shell.shapes import Shape, lower_case
from sessionlens.shell.unwrap import hosts_of

Known = Literal["yes", "no", "unknown"]
_MOST_LINES = 500


_ECHOES = frozenset({"echo", "printf", "Write-Host", "Write-Output", "print"})
_FILTERS = frozenset({"grep", "egrep", "fgrep", "rg", "tail", "head", "awk", "sed", "sort", "uniq", "wc", "cut", "tr",
                      "jq", "yq", "less", "more", "cat", "tee", "xargs", "column", "nl", "strings", "fold", "fmt",
                      "python", "python3", "tac", "rev", "paste", "json_pp", "sponge", "ts", "perl", "base64"})  # fmt: skip
"""Programs that stand at the end of a pipe."""
_DATA = frozenset({"cat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "journalctl", "dmesg", "awk",
                   "sed", "jq", "yq", "diff", "bat", "zcat", "strings", "read", "view", "find", "ls"})  # fmt: skip
"""Programs whose output is other programs' words, so that complaints in it are data."""


class Line:
    """The line while it is judged."""

    def __init__(
        self, commands: tuple[Command, ...], text: str, exit: int | None, *, ended: bool, lost: bool
    ) -> None:
        self.commands, self.text, self.exit = commands, text, exit
        self.ended, self.lost = ended, lost
        count = len(commands)
        self.marks: list[tuple[int, int] | None] = [None] * count
        self.bounds: list[tuple[int, int]] = [(0, len(text))] * count
        """Where the part of the output that may be a command's begins and ends."""
        self.own: dict[int, str] = {}
        """Of looks at several hosts, the lines that name the command's host, without its name."""
        self.full: dict[str, str] = {}
        """Those lines as they were printed."""
        self.unnamed: set[int] = set()
        """Looks at several hosts whose answers stand in the output, this one's not, or not known which."""
        self.silent: set[int] = set()
        """Of these, looks that printed nothing where the same look printed something on another host."""
        self.answered: frozenset[int] = frozenset()
        """Looks whose like on another host answered."""
        self.rounds = rounds(commands)
        """Commands that are rounds of one command in a loop."""
        self.round_of = {index: group for group in self.rounds for index in group}
        self.words: dict[int, tuple[str, ...]] = {
            index: words
            for group in self.rounds
            for index, words in zip(group, own_words(commands, group), strict=True)
        }
        """The words by which output may name a round."""
        self.accused: set[int] = set()
        """Rounds that complaints name."""
        self.by_exit: set[int] = set()
        """Commands whose success the exit code of the line tells."""
        self.coded: int | None = None
        """The round of a loop that is the last one, where the line ended with an exit code that tells of a failure."""
        self.companies: dict[tuple[object, ...], tuple[int, frozenset[bool | None]]] = {}
        self.settled = 0
        """Commands before this one that are known to be over."""
        self.echoed_codes: dict[int, tuple[int, str]] = {}
        self.success: list[bool | None] = [None] * count
        self.over: list[bool] = [False] * count
        self.reached: list[Known] = ["unknown"] * count
        self.missing: set[int] = set()
        self.told: set[int] = set()
        """Commands whose success or failure the line itself printed."""
        self.complaints: dict[int, tuple[str, str]] = {}
        self.exit_of: int | None = None
        """The command whose failure the exit code tells."""
        self.piped = [index + 1 < count and self.filter(index + 1) for index in range(count)]
        """Commands whose exit code a filter after them hides."""

    def echo(self, index: int) -> bool:
        """Whether a command only prints."""
        words = self.commands[index].words
        return bool(words) and words[0] in _ECHOES and self.commands[index].effect != "edit"

    def filter(self, index: int) -> bool:
        """Whether a command is the receiving end of a pipe, as far as its words tell."""
        if index == 0:
            return False
        command = self.commands[index]
        if (
            not command.words
            or command.effect in CHANGES
            or command.runs_if != self.commands[index - 1].runs_if
        ):
            return False
        program = command.program
        if program not in _FILTERS or self.echo(index):
            return False
        plain = [word for word in command.words[1:] if not word.startswith("-")]
        if program in ("cat", "less", "more", "sort", "uniq", "wc", "tac", "nl", "column", "tee"):
            return not plain
        if program in ("tail", "head"):
            return not any(re.search(r"[/.]", word) for word in plain)
        if program in ("grep", "egrep", "fgrep", "rg", "sed", "awk", "jq", "yq", "cut", "tr"):
            return len(plain) <= (2 if program in ("tr", "cut") else 1) and "-r" not in command.words
        return program in ("xargs", "json_pp", "sponge", "ts") or any(
            w in ("-m", "-c", "-") for w in command.words
        )


def part_of(line: Line, index: int) -> str:
    """The part of the output between the markers around a command, or the lines that name its host."""
    if index in line.own:
        return line.own[index]
    start, stop = line.bounds[index]
    return line.text[start:stop]


def company(line: Line, index: int) -> tuple[int, bool, bool]:
    """The commands of the same row and sort that share a command's part of the output.

    How many there are, itself included, and whether they share its fate; and whether it is the only start, or
    the only check, in that part.
    """
    if not line.companies:
        _find_companies(line)
    kin, sort = _keys(line, index)
    row_mates, part_mates = line.companies[kin], line.companies[sort]
    return row_mates[0], len(row_mates[1]) == 1, part_mates[0] <= 1


def _keys(line: Line, index: int) -> tuple[tuple[object, ...], tuple[object, ...]]:
    command = line.commands[index]
    part = line.bounds[index]
    starts = command.effect in STARTS
    return (part, id(row_of(command.words)), command.effect in CHANGES), (
        part,
        "starts" if starts else "checks",
    )


def _find_companies(line: Line) -> None:
    for index, command in enumerate(line.commands):
        kin, sort = _keys(line, index)
        count, fates = line.companies.get(kin, (0, frozenset()))
        tells = command.effect in STARTS or command.check_strength is not None
        counts = line.reached[index] != "no" and not line.echo(index)
        fate = frozenset({line.success[index]}) if counts else frozenset()
        line.companies[kin] = (count + counts, fates | fate)
        count, fates = line.companies.get(sort, (0, frozenset()))
        line.companies[sort] = (count + (tells and line.reached[index] != "no"), fates)


# -- markers ------------------------------------------------------------------------------------------

_VARIABLE = lazy(r"\$\([^()]*\)|`[^`]*`|\$\{?[\w?!#@*]+\}?|%[sdif]|\\[nt033e]+(?:\[[\d;]*m)?")
_STATUS = lazy(
    r"\$\?|\$\{?(?:rc|RC|ret|exit_?code|EXIT_?CODE|status|STATUS|ec|result|code)\}?\b|\$\{?(?:PIPESTATUS|pipestatus)"
)


def _marker(words: tuple[str, ...]) -> tuple[str, bool]:
    """The longest literal piece that an echo prints within a line, and whether it is all of that line."""
    shown = [word for word in words[1:] if not re.fullmatch(r"-[neE]+", word)]
    if words[0] == "printf":
        shown = shown[:1]
    best, whole = "", False
    for printed in re.split(r"\\n|\n", " ".join(shown)[:2000]):
        for piece in _VARIABLE.split(printed):
            if len(piece.strip()) > len(best):
                best, whole = piece.strip(), piece.strip() == printed.strip()
    return best[:300], whole and len(best) <= 300


def read_markers(line: Line) -> None:
    """Find what the line's own echoes printed, in order."""
    at = 0
    for index, command in enumerate(line.commands):
        if not line.echo(index) or command.quiet:
            continue
        marker, whole = _marker(command.words)
        found: tuple[int, int] | None = None
        if len(marker) >= 2:
            found = _place(line.text, marker, at, whole=whole)
            if found is None and whole and _leaves_line_open(command):
                found = _label(line.text, marker, at)
            if (
                found is not None
                and command.runs_if == "after_failure"
                and found[0] > _next_label(line, index, at)
            ):
                # What stands below the label of the next round was printed there.
                found = None
        if _STATUS.search(" ".join(command.words[1:])[:500]):
            _read_code(line, index, found, at)
        if found is None:
            if len(marker) >= 2 and not _feeds(line, index):
                line.missing.add(index)
            continue
        line.marks[index] = found
        at = found[1]
        line.reached[index] = "yes"
        line.success[index] = True
        line.over[index] = True
        _before_marker(line, index)
    _set_bounds(line)
    _without_label(line)
    _part_by_host(line)
    _part_by_name(line)
    _part_by_round(line)
    _part_by_line(line)
    _compare_hosts(line)
    if line.missing and line.ended and OMITTED.search(line.text) is None:
        for index in sorted(line.missing):
            _without_marker(line, index)


def _label(text: str, marker: str, at: int) -> tuple[int, int] | None:
    """Where a marker that leaves its line open begins a line, or follows the one before it."""
    rest = len(text) - len(text[at:].lstrip(" \t"))
    if text.startswith(marker, rest):
        return rest, rest + len(marker)
    found = re.compile(rf"^[ \t]*{re.escape(marker)}(?![\w.-])", re.MULTILINE).search(text, at)
    return found.span() if found else None


def _next_label(line: Line, index: int, at: int) -> int:
    """Where the next echo that always prints stands; the end of the text where that is not known."""
    for later in range(index + 1, min(index + 6, len(line.commands))):
        command = line.commands[later]
        if line.echo(later) and command.runs_if == "always" and not command.quiet:
            marker, whole = _marker(command.words)
            if len(marker) < 2:
                break
            found = _place(line.text, marker, at, whole=whole)
            if found is None and whole and _leaves_line_open(command):
                found = _label(line.text, marker, at)
            return found[0] if found is not None else len(line.text)
    return len(line.text)


_FED = frozenset({"openssl", "nc", "ncat", "netcat", "socat", "telnet", "gnutls-cli", "smtp", "base64", "bc", "xxd", "mail", "mailx", "sendmail"})  # fmt: skip
"""Programs that mostly read what another prints: ``echo QUIT | openssl s_client``."""


def _feeds(line: Line, index: int) -> bool:
    """Whether an echo prints into a program that reads it, as far as its words tell: then its text is not shown."""
    if index + 1 >= len(line.commands):
        return False
    reader = line.commands[index + 1]
    return reader.program in _FED and reader.runs_if == line.commands[index].runs_if


def _set_bounds(line: Line) -> None:
    start = 0
    for index, mark in enumerate(line.marks):
        line.bounds[index] = (start, len(line.text))
        start = mark[1] if mark else start
    stop = len(line.text)
    for index in range(len(line.marks) - 1, -1, -1):
        line.bounds[index] = (line.bounds[index][0], max(stop, line.bounds[index][0]))
        mark = line.marks[index]
        stop = mark[0] if mark else stop


def _without_label(line: Line) -> None:
    """Give a look whose label was not printed, where those of its like were, no part of the output."""
    labels = [
        index
        for index in range(len(line.commands))
        if line.echo(index) and _leaves_line_open(line.commands[index])
    ]
    if not line.missing or not any(line.marks[index] for index in labels):
        return
    for index in line.missing.intersection(labels):
        if index + 1 < len(line.commands) and line.commands[index + 1].check_strength is not None:
            line.bounds[index + 1] = (len(line.text), len(line.text))


_HEADED = lazy(
    r"^(?:\[\d+\] \S+ \[(?P<verdict>SUCCESS|FAILURE)\] (?P<pssh>[\w.@:-]{1,80})\b"
    r"|(?P<ansible>[\w.-]{1,80}) \| (?P<how>SUCCESS|CHANGED|FAILED|UNREACHABLE)\b|-{5,80}\n(?P<folded>[\w.,\[\]-]{1,400})(?: \(\d+\))?\n-{5,80}$"
    r"|(?:pdsh@[\w.-]{1,80}|clush|dsh): (?P<left>[\w.-]{1,80}): (?=[^\n]{0,80}\bexited with exit code (?P<code>\d{1,3}))"
    r"|(?P<prefix>[\w.-]{1,80}): )[^\n]*",
    re.MULTILINE,
)
"""What programs that run on many hosts put before the output of each."""
_ON_MANY = lazy(r"(?:pssh|parallel-ssh|pdsh|clush|dsh|ansible)\b")


def _part_by_host(line: Line) -> None:
    """Give each command that one program runs on many hosts the part of the output that is headed by its host."""
    hosts: dict[str, list[int]] = {}
    for index, command in enumerate(line.commands):
        around = next(iter(command.via), command.words[0] if command.words else "")
        if command.target.host and _ON_MANY.match(around) is not None:
            hosts.setdefault(command.target.host, []).append(index)
    if len(hosts) < 2:
        return
    places: dict[str, tuple[int, int]] = {}
    last = ""
    for found in _HEADED.finditer(line.text[: 16 * _MOST_LINES * 10]):
        if found["folded"]:
            # Of several hosts with the same output it is printed once, below all their names.
            stop = min(
                (at for end in ("\n-----", "\nclush: ") if (at := line.text.find(end, found.end())) >= 0),
                default=len(line.text),
            )
            for host in hosts_of(found["folded"]):
                places[host] = (found.end(), stop)
                line.own.update(dict.fromkeys(hosts.get(host, ()), line.text[slice(*places[host])]))
            continue
        if found["left"]:
            # What the program itself says of a host at the end is no host's output.
            if last:
                places[last], last = (places[last][0], found.start()), ""
            for index in hosts.get(found["left"], ()):
                line.success[index] = False
                line.told.add(index)
                if found["code"] == "255":
                    line.complaints[index] = ("never", found.group()[:QUOTED])
            continue
        host = (found["pssh"] or found["ansible"] or found["prefix"]).rpartition("@")[2].split(":")[0]
        if host not in hosts:
            continue
        # A prefix is no part of what was printed, a heading may say how it went.
        begin = found.end("prefix") + 2 if found["prefix"] else found.start()
        start, stop = places.get(host, (begin, found.end()))
        if host in places and last != host:
            # Lines of several hosts in turn: no part is any one's.
            return
        if last and last != host:
            places[last] = (places[last][0], found.start())
        places[host], last = (start, max(stop, found.end())), host
        told = found["verdict"] or found["how"]
        for index in hosts[host] if told else ():
            line.success[index] = told in ("SUCCESS", "CHANGED")
            line.told.add(index)
            line.over[index] = True
    if last:
        places[last] = (places[last][0], len(line.text))
    for host, indexes in hosts.items() if places else ():
        for index in indexes:
            # What another host printed is no answer of this one.
            line.bounds[index] = places.get(host, (len(line.text), len(line.text)))
            if host not in places and line.ended and line.commands[index].check_strength is not None:
                line.unnamed.add(index)


_MOST_HOSTS = 200
_AFTER_NAME = r"(?![\w-])(?:\.[\w.-]{1,200})?(?::\d{1,5})?(?:/\S{0,200})?[\"'\])>}*=:|\s-]{0,40}"


def _part_by_name(line: Line) -> None:
    """Give each of several looks at as many hosts the lines that name its host."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, command in enumerate(line.commands):
        if command.check_strength is None or not command.target.host or line.echo(index):
            continue
        if index in line.own:
            continue
        if command.echoed:
            groups.setdefault(("echoed",), []).append(index)
        elif not command.quiet:
            groups.setdefault(line.bounds[index], []).append(index)
    for key, looks in groups.items():
        hosts = list(dict.fromkeys(line.commands[index].target.host or "" for index in looks))
        if not 2 <= len(hosts) <= _MOST_HOSTS:
            continue
        text = line.text if key == ("echoed",) else part_of(line, looks[0])
        before = line.commands[looks[0] - 1] if looks[0] and line.echo(looks[0] - 1) else None
        parts = _lines_by_host(text, hosts, inline=before is not None and _leaves_line_open(before))
        for index in looks if parts else ():
            host = line.commands[index].target.host or ""
            kept = parts.get(host, [])
            line.own[index] = "\n".join(own for own, _ in kept)
            line.full.update((f"{index} {own.strip()}", shown.strip()) for own, shown in kept)
            # Companies are told apart by their bounds: each host is one of its own.
            line.bounds[index] = (len(line.text) + 1 + hosts.index(host), len(line.text))
            if not kept and line.ended:
                line.unnamed.add(index)


def _leaves_line_open(echo: Command) -> bool:
    """Whether what an echo prints is followed on the same line: ``echo -n "$h "``, ``printf '%s ' $h``."""
    words = echo.words
    if words[0] == "printf":
        return len(words) > 1 and not words[1].endswith(("\\n", "\n"))
    return any(re.fullmatch(r"-[eE]*n[eE]*", word) for word in words[1:3]) or words[-1].endswith("\\c")


def _lines_by_host(text: str, hosts: list[str], *, inline: bool) -> dict[str, list[tuple[str, str]]]:
    """The lines of each host, without its name and as they are; empty where that cannot be told.

    Where lines begin with a host's name, such a line and those up to the next one are that host's; otherwise
    each line must name one host.

    :param inline: the names were printed without an end of line, so that one without an answer is followed by the next.
    """
    names = {host: host for host in hosts}
    short = [host.partition(".")[0] for host in hosts]
    for host, name in zip(hosts, short, strict=True):
        if short.count(name) == 1 and not name.isdigit():
            names.setdefault(name, host)
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    label = re.compile(rf"[^\w\n]{{0,8}}(?:https?://)?(?:[\w.-]{{1,40}}@)?({either}){_AFTER_NAME}")
    anywhere = re.compile(rf"(?<![\w.-])({either})(?![\w-])")
    shown = [one for one in text.split("\n") if one.strip()]
    if not shown or len(shown) > _MOST_LINES:
        return {}
    labels = [label.match(one[:1000]) for one in shown]
    found: dict[str, list[tuple[str, str]]] = {}
    if labels[0] is not None:
        current = ""
        for one, named in zip(shown, labels, strict=True):
            rest, own = named, one
            while rest is not None:
                current, own = names[rest[1]], own[rest.end() :]
                found.setdefault(current, [])
                rest = label.match(own[:1000]) if inline and own.strip() else None
                rest = None if rest is None or names[rest[1]] in found else rest
            if named is None and never_up(one[:1000]) is not None:
                # What says of another host that it was not reached is no part of the one before it.
                others = {names[name] for name in anywhere.findall(one[:1000])}
                current = others.pop() if len(others) == 1 else current
            if own.strip() or not inline:
                found.setdefault(current, []).append((own, one))
        return found
    # What says that a host was not reached may begin with its name where no other line does.
    labelled = (one for one, named in zip(shown, labels, strict=True) if named is not None)
    if any(never_up(one[:1000]) is None for one in labelled) or all(_SPOKEN.match(one) for one in shown):
        return {}
    for at, one in enumerate(shown):
        if _RULE.fullmatch(one) is not None or (at + 1 < len(shown) and _RULE.fullmatch(shown[at + 1])):
            # The head of a table.
            continue
        named_here = {names[name] for name in anywhere.findall(one[:1000])}
        if len(named_here) != 1:
            return {}
        found.setdefault(named_here.pop(), []).append((one, one))
    return found


def _compare_hosts(line: Line) -> None:
    """Of the same look at several hosts, where each has its own part of the output, those that printed nothing."""
    if not line.ended:
        return
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, command in enumerate(line.commands):
        host = command.target.host
        if command.check_strength is None or not host or line.echo(index):
            continue
        if not command.quiet or index in line.own:
            alike = tuple(word.replace(host, "{}") for word in command.words)
            groups.setdefault((alike, command.effect), []).append(index)
    for looks in groups.values():
        if len({line.commands[index].target.host for index in looks}) < 2:
            continue
        told = [index for index in looks if part_of(line, index).strip()]
        if not told or len({line.bounds[index] for index in looks}) < 2:
            continue
        line.answered |= frozenset(looks)
        shared = {line.bounds[index] for index in told if index not in line.own}
        for index in set(looks).difference(told):
            if line.bounds[index] not in shared and line.success[index] is not False and _speaks(line, index):
                line.silent.add(index)
    line.silent |= line.unnamed & line.answered
    line.unnamed |= line.silent


def _speaks(line: Line, index: int) -> bool:
    """Whether a look prints something whatever it finds."""
    row = row_of(line.commands[index].words)
    silent = row is not None and row.silent
    return not silent and not line.piped[index] and line.commands[index].program not in _SAYS_NOTHING


_SAYS_NOTHING = frozenset(
    {"test", "[", "[[", "true", "cmp", "diff", "grep", "egrep", "find", "pgrep", "lsof", "ss"}
)
"""Programs that say something by printing nothing."""

_RULE = lazy(r"[-=+|\s]*[-=]{3}[-=+|\s]*")
"""The rule below the head of a table."""
_SPOKEN = lazy(r"(?:ssh|curl|wget|nc|kex_exchange_identification|Warning)\b[^\n]{0,20}[:(]")
"""How programs begin a complaint of their own, which says nothing of the hosts that it does not name."""

_ONE_LINE = (("systemctl", "is-active"), ("systemctl", "is-enabled"), ("systemctl", "is-failed"))
"""Commands that print one line for the one thing that they are asked about."""


def _prints_one_line(command: Command) -> bool:
    words = command.words
    if command.quiet:
        return False
    if words[:2] in _ONE_LINE:
        return len(words) == 3
    if words[:1] == ("Test-NetConnection",):
        return "Quiet" in words
    # ``curl -o /dev/null -w '%{http_code}\n'``: the code alone.
    return words[:1] == ("curl",) and "/dev/null" in words and any("http_code" in word for word in words)


def _part_by_round(line: Line) -> None:
    """Give each round of a loop what it printed, where there is one line, or one block that begins alike, for each."""
    if not line.rounds or not line.ended or OMITTED.search(line.text) is not None:
        return
    shared: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for group in line.rounds:
        bounds = {line.bounds[index] for index in group}
        heard = not (line.echo(group[0]) or line.commands[group[0]].quiet or line.piped[group[0]])
        if len(bounds) == 1 and heard and line.own.keys().isdisjoint(group):
            shared.setdefault(bounds.pop(), []).append(group)
    for (start, stop), groups in shared.items():
        loud = [group for group in groups if not _silent(line.commands[group[0]])] or groups
        found = list(re.finditer(r"[^\n]*\S[^\n]*", line.text[start:stop][: 100 * _MOST_LINES]))
        if len(loud) != 1 or not 1 < len(loud[0]) <= len(found) <= _MOST_LINES:
            continue
        group, shown = loud[0], [one.group() for one in found]
        words = [word for index in group for word in line.words[index]]
        if len(shown) == len(group):
            starts = list(range(len(shown))) if _one_each(line, group, shown, words) else []
        else:
            starts = blocks(shown, len(group), words)
        ends = [*starts[1:], len(shown)]
        for index, first, last in zip(group, starts, ends, strict=False):
            line.bounds[index] = (start + found[first].start(), start + found[last - 1].end())


def _silent(command: Command) -> bool:
    """Whether a command that goes well mostly prints nothing."""
    row = row_of(command.words)
    return command.effect in CHANGES and (row is None or row.silent)


def _one_each(line: Line, group: Sequence[int], shown: Sequence[str], words: Sequence[str]) -> bool:
    """Whether as many lines as there are rounds are one of each: all alike, or each the whole word of one round."""
    named = [[index for index in group if names_it(one[:1000], line.words[index])] for one in shown]
    if any(of and index not in of for of, index in zip(named, group, strict=True)):
        # A line names another round than the one whose turn it would be.
        return False
    command = line.commands[group[0]]
    forms = [skeleton(one[:1000], words) for one in shown]
    whole = all(of or len(one.split()) == 1 for of, one in zip(named, shown, strict=True))
    if (_prints_one_line(command) and whole) or len(set(forms)) == 1:
        return True
    row, common = row_of(command.words), outcome_table().common
    ill = (*common.failed, *common.nothing, *common.never_up)
    well: tuple[str, ...] = ()
    if row is not None:
        ill, well = (*ill, *row.failed, *row.nothing, *row.bad), (*row.completed, *row.good)
    fell = [find(ill, one[:1000]) is not None for one in shown]
    went = [not bad and find(well, one[:1000]) is not None for bad, one in zip(fell, shown, strict=True)]
    if not any(went) or not all(bad or good for bad, good in zip(fell, went, strict=True)):
        return False
    # Two complaints in a row that differ may be of one round.
    return not any(fell[at] and fell[at + 1] and forms[at] != forms[at + 1] for at in range(len(shown) - 1))


def _part_by_line(line: Line) -> None:
    """Give each of several looks in a row, which print one line each, its own line.

    Where there are fewer lines than looks, and none tells of a fault, nobody knows whose is missing.
    """
    index, count = 0, len(line.commands)
    while index < count:
        stop = index
        while (
            stop < count
            and stop not in line.own
            and _prints_one_line(line.commands[stop])
            and line.commands[stop].words[:1] == line.commands[index].words[:1]
            and line.bounds[stop] == line.bounds[index]
        ):
            stop += 1
        if stop - index > 1:
            start = line.bounds[index][0]
            shown = list(re.finditer(r"[^\n]*\S[^\n]*", part_of(line, index)[: 100 * (stop - index)]))
            if len(shown) == stop - index and part_of(line, index)[shown[-1].end() :].strip() == "":
                for position, found in zip(range(index, stop), shown, strict=True):
                    line.bounds[position] = (start + found.start(), start + found.end())
            elif 0 < len(shown) < stop - index and _whose_is_open(line, range(index, stop)):
                line.unnamed.update(range(index, stop))
        index = max(stop, index + 1)


def _whose_is_open(line: Line, looks: range) -> bool:
    """Whether all of several looks ran and what they printed shows no fault."""
    if not line.ended or any(line.commands[index].runs_if != "always" for index in looks):
        return False
    row, text = row_of(line.commands[looks[0]].words), part_of(line, looks[0])
    codes = re.findall(r"(?<![\d.:])([1-5]\d\d|000)(?![\d.:])", text)
    return (row is None or find(row.bad, text) is None) and not any(code[0] in "045" for code in codes)


def _place(text: str, marker: str, at: int, *, whole: bool) -> tuple[int, int] | None:
    """Where a marker stands in the text from a position on; short ones must fill a line."""
    if whole and len(marker) < 8:
        found = re.compile(rf"^[ \t]*{re.escape(marker)}[ \t]*$", re.MULTILINE).search(text, at)
        return found.span() if found else None
    while (start := text.find(marker, at)) >= 0:
        line_start = text.rfind("\n", 0, start) + 1
        if not text.startswith("+", line_start):
            return start, start + len(marker)
        # What ``set -x`` shows is the command, not its output.
        at = start + len(marker)
    return None


def _read_code(line: Line, index: int, found: tuple[int, int] | None, at: int) -> None:
    """The exit code that an echo of ``$?`` printed speaks of the command before it."""
    if found is not None:
        stop = line.text.find("\n", found[1])
        rest = line.text[found[1] : stop if stop >= 0 else None][:40]
        code = re.match(r"\D{0,12}(\d{1,3})\b", rest)
        start = line.text.rfind("\n", 0, found[0]) + 1
        shown = line.text[start : stop if stop >= 0 else None]
    else:
        code = re.compile(r"^[ \t]*(\d{1,3})(?:[ \t]+\d{1,3}){0,9}\s*$", re.MULTILINE).search(line.text, at)
        shown = code.group() if code else ""
    previous = _previous(line, index)
    piece = _PIECE.search(" ".join(line.commands[index].words[1:])[:500])
    if piece is not None and previous is not None:
        # The codes of a pipe: of one of its commands, or of all in order, of which the first is the telling one.
        last, previous = previous, _head(line, previous)
        if piece["at"] is not None:
            previous += int(piece["at"]) - (piece["name"] == "pipestatus")
        if not 0 <= previous <= last:
            return
    if code is None or previous is None:
        return
    value = int(code.group(1))
    if found is None:
        line.marks[index] = code.span(1)
    line.echoed_codes[previous] = (value, shown.strip()[:QUOTED])
    inner = previous
    while value == 124 and inner and line.commands[inner].limit_s is not None:
        # ``timeout 30 bash -c '…'``: the limit was that of all commands inside.
        inner -= 1
        if line.commands[inner].limit_s != line.commands[previous].limit_s:
            break
        line.echoed_codes.setdefault(inner, line.echoed_codes[previous])
    line.success[previous] = value == 0
    line.told.add(previous)
    line.over[previous] = True


_PIECE = lazy(r"(?P<name>PIPESTATUS|pipestatus)(?:\[(?:(?P<at>\d{1,2})|[@*])\])?")
"""The codes of a pipe's commands: bash counts them from 0, zsh from 1."""


def _head(line: Line, index: int) -> int:
    """The first command of the pipe that a command is the end of."""
    while index and line.piped[index - 1]:
        index -= 1
    return index


def _previous(line: Line, index: int) -> int | None:
    """The command whose exit code ``$?`` is; assignments between do not count."""
    for before in range(index - 1, -1, -1):
        words = line.commands[before].words
        if words and not line.echo(before):
            return before
    return None


def _before_marker(line: Line, index: int) -> None:
    """A marker that appeared: what stood before it in its chain ended, and how."""
    command = line.commands[index]
    for before in range(line.settled, index):
        if not line.commands[before].detached:
            line.over[before] = True
    line.settled = index
    before = index - 1
    if before < 0:
        return
    if command.runs_if == "after_success":
        while before >= 0:
            if line.commands[before].runs_if != "after_failure":
                line.reached[before] = "yes"
                if not line.piped[before]:
                    line.success[before] = True
                    line.told.add(before)
            if line.commands[before].runs_if != "after_success":
                break
            before -= 1
    elif command.runs_if == "after_failure":
        chain = _chain(line, index)
        if len(chain) == 1:
            line.success[chain[0]] = False
            line.told.add(chain[0])
            # ``ss | grep 8000 || echo nothing``: what the filter did not find, the head did not show.
            head = chain[0]
            while head and line.piped[head - 1]:
                head -= 1
                line.success[head] = False
                line.told.add(head)


def _chain(line: Line, index: int) -> list[int]:
    """The commands before ``index`` in its and-or list whose failure could have led to it, echoes left out."""
    chain: list[int] = []
    before = index - 1
    while before >= 0:
        if not line.echo(before) and line.commands[before].runs_if != "after_failure":
            chain.append(before)
        if line.commands[before].runs_if == "always":
            break
        before -= 1
    return [position for position in chain if line.success[position] is not True and not line.piped[position]]


def _without_marker(line: Line, index: int) -> None:
    """A marker that did not appear although the line ended."""
    command = line.commands[index]
    if command.runs_if == "always":
        return
    line.reached[index] = "no"
    chain = _chain(line, index)
    if command.runs_if == "after_success" and len(chain) == 1:
        line.success[chain[0]] = False
    elif command.runs_if == "after_failure":
        for position in chain:
            line.success[position] = True if line.success[position] is None else line.success[position]


# -- exit codes ---------------------------------------------------------------------------------------


_SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg", "diff", "pgrep"})


def _whose_code(line: Line, candidates: list[int]) -> list[int]:
    """Of several that may have failed, the one whose code it is.

    Some codes only one program has (``curl`` 7, 22, 28); and where nothing complains, it is the one that fails
    in silence: a test, a search.
    """
    own = []
    for index in candidates:
        row = row_of(line.commands[index].words)
        if row is not None and str(line.exit) in row.exits:
            own.append(index)
    if len(own) == 1:
        return own
    common = outcome_table().common
    if find((*common.nothing, *common.never_up, *common.failed), line.text) is None:
        silent = [
            i for i in candidates if line.commands[i].verdict_by_exit or line.commands[i].program in _SEARCHES
        ]
        complaining = [i for i in candidates if i not in silent and line.commands[i].effect not in CHANGES]
        if len(silent) == 1 and not complaining:
            return silent
    return candidates


_SELDOM_FAIL = (("cd",), ("set",), ("export",), ("sleep",), ("source",), (".",), ("pwd",), ("date",), (":",))


def read_exit(line: Line) -> None:
    """What the exit code of the line means for the commands of its last chain."""
    if not line.ended:
        return
    for index, command in enumerate(line.commands):
        if not command.detached:
            line.over[index] = True
    if line.exit is None:
        return
    last = len(line.commands) - 1
    while last >= 0 and line.commands[last].detached:
        last -= 1
    if last < 0:
        return
    start = last
    while start > 0 and line.commands[start].runs_if != "always":
        start -= 1
    chain = range(start, last + 1)
    alternatives = any(line.commands[index].runs_if == "after_failure" for index in chain)
    if line.exit == 0:
        for index in () if alternatives else chain:
            if line.success[index] is None and not line.piped[index]:
                line.success[index] = True
                line.by_exit.add(index)
        return
    if alternatives:
        if line.success[last] is None and line.commands[last].runs_if != "after_failure":
            line.success[last] = False
        return
    if line.exit == 124 and (limited := [i for i in chain if line.commands[i].limit_s is not None]):
        line.success[limited[-1]] = False
        return
    open_ends = [
        index
        for index in chain
        if line.success[index] is not True and not (line.echo(index) or line.piped[index])
    ]
    if len(open_ends) > 1:
        open_ends = [index for index in open_ends if line.commands[index].words[:1] not in _SELDOM_FAIL]
    if len(open_ends) > 1:
        open_ends = _whose_code(line, open_ends)
    if len(open_ends) == 1:
        line.success[open_ends[0]] = False
        line.exit_of = open_ends[0]
        line.coded = open_ends[0] if open_ends[0] in line.round_of else None


# -- complaints ---------------------------------------------------------------------------------------

_SELF_NAMED = frozenset({"rm", "cp", "mv", "mkdir", "rmdir", "chmod", "chown", "ln", "touch", "tee", "cat", "sed", "ls",
                         "install", "dd", "truncate", "mktemp", "cd", "kill", "tar", "gzip", "sleep"})  # fmt: skip
"""Programs that begin each complaint with their own name, so that others' complaints are none of theirs."""
_SPEAKER = lazy(
    r"^(?:-?(?:ba|z|da|k|fi)?sh|/bin/(?:ba|da|z)?sh|/usr/bin/(?:ba|z)sh|sudo|timeout|env|nohup|xargs|find)?"
    r"(?::\s*)?(?:(?:line|Zeile|ligne|línea|linha|riga|строка|行)\s*\d+:\s*|\d+:\s*)?([\w./@+-]{1,120}):"
)


def read_complaints(line: Line, status: str) -> None:
    """Lines that say something did not work, each given to the command it is about."""
    common = outcome_table().common
    gate = possible((*common.nothing, *common.never_up, *common.wrapper, *common.failed), line.text)
    if not gate:
        return
    if any(_goes_out(command) for command in line.commands) and (found := never_up(line.text)):
        # ssh speaks on its own, before any output of the far side.
        quote = quote_of(line.text, found)
        hosts = {
            command.target.host for command in line.commands if _goes_out(command) and command.target.host
        }
        unreached = _unreached(line.text, hosts) if len(hosts) > 1 else {}
        apart = _unreached_apart(line) if len(hosts) > 1 else {}
        for index, command in enumerate(line.commands):
            if index in apart:
                line.complaints.setdefault(index, ("never", apart[index]))
                line.success[index] = False
                continue
            if unreached or apart:
                # Of several hosts the words name the one that was not reached.
                refused = unreached.get(command.target.host or "")
                if refused is not None and line.marks[index] is None:
                    line.complaints.setdefault(index, ("never", refused))
                    line.success[index] = False
                continue
            remote = command.via and re.match(
                r"(?:\S*/)?(?:ssh|mosh|kubectl|oc|gcloud|aws|sshpass|scp|Invoke-Command)\b", command.via[0]
            )
            if (
                remote
                and line.marks[index] is None
                and (line.exit not in (0, None) or line.text.strip() == quote or line.success[index] is False)
            ):
                line.complaints.setdefault(index, ("never", quote))
                line.success[index] = False
    shown = 0
    lines = line.text.split("\n")
    for number, maybe in _with_pieces(gate, line.text):
        text = lines[number]
        if not text.strip() or not any(shape.pattern.search(text[:1000]) for shape in maybe):
            continue
        if line.lost and LOST.pattern.search(text):
            # The connection's end is no word of the command that went over it.
            continue
        shown += 1
        if shown > 60:
            break
        if find(common.wrapper, text[:1000]) is not None and _refused(line, text):
            continue
        about = _about(line, text)
        if line.rounds:
            about = _of_round(line, text, about)
        if about is None:
            continue
        nothing = find(common.nothing, text[:1000]) or find(common.never_up, text[:1000])
        kind = "nothing" if nothing else "failed"
        if line.success[about] is True and kind == "failed":
            continue
        line.complaints.setdefault(about, (kind, text.strip()[:QUOTED]))


def _of_round(line: Line, text: str, about: int | None) -> int | None:
    """The round of a loop that a complaint is about: the one that it names, or in whose part of the output it stands."""
    groups = [line.round_of[about]] if about in line.round_of else line.rounds if about is None else []
    for group in groups:
        named = [index for index in group if names_it(text[:1000], line.words[index])]
        if len(named) != 1:
            parts = {line.bounds[index] for index in group}
            named = [index for index in group if len(parts) > 1 and text in part_of(line, index)]
        if len(named) == 1:
            line.accused.add(named[0])
            if named[0] in line.by_exit:
                line.success[named[0]] = None
            return named[0]
    return None if groups else about


def part_by_complaint(line: Line) -> None:
    """Take the complaints that name one round of a loop, with what follows them, out of what the other rounds printed."""
    shown = line.text.split("\n")[:_MOST_LINES] if line.rounds else []
    for group in line.rounds:
        bounds = {line.bounds[index] for index in group}
        if len(bounds) > 1 or line.echo(group[0]) or not line.own.keys().isdisjoint(group):
            continue
        row, common = row_of(line.commands[group[0]].words), outcome_table().common
        own = (*row.failed, *row.nothing, *row.bad) if row is not None else ()
        ill = (*common.failed, *common.nothing, *common.never_up, *own)
        if not possible(ill, line.text):
            continue
        rest: list[str] = []
        of: dict[int, list[str]] = {}
        last: int | None = None
        for one in shown:
            if find(ill, one[:1000]) is None:
                last = None
            else:
                named = [index for index in group if names_it(one[:1000], line.words[index])]
                last = named[0] if len(named) == 1 else None if named else last
            (rest if last is None else of.setdefault(last, [])).append(one)
        for index in group if of else ():
            line.own[index] = "\n".join(of.get(index, rest))
        line.accused.update(of)
    line.companies.clear()


def _with_pieces(gate: Sequence[Shape], text: str) -> list[tuple[int, list[Shape]]]:
    """The first lines of a text that hold a piece of what may match in it, in order, each with what may match."""
    lowered = "\n" + lower_case(text)
    found: dict[int, list[Shape]] = {}
    for shape in gate:
        pieces, skip = (("\n" + shape.opening,), 0) if shape.opening else (shape.pieces, 1)
        for piece in pieces:
            number, counted = -1, 0
            at = lowered.find(piece, skip)
            while at >= 0:
                within = at + 1 - skip
                number += lowered.count("\n", counted, within)
                if number >= _MOST_LINES:
                    break
                found.setdefault(number, []).append(shape)
                counted = within
                following = lowered.find("\n", within)
                at = lowered.find(piece, following + skip) if following >= 0 else -1
    return sorted(found.items(), key=itemgetter(0))


def _unreached(text: str, hosts: set[str]) -> dict[str, str]:
    """The hosts that lines of ssh and its like say were not reached, each with its line."""
    found: dict[str, str] = {}
    for shown in text.split("\n")[:_MOST_LINES]:
        if never_up(shown[:1000]) is None:
            continue
        for host in hosts:
            if host and re.search(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", shown[:1000]) is not None:
                found.setdefault(host, shown.strip()[:QUOTED])
    return found


def _goes_out(command: Command) -> bool:
    """Whether a command goes to another host: behind a wrapper, or as one that copies there."""
    return bool(command.via) or command.program in ("scp", "rsync", "sftp", "ssh-copy-id")


def _unreached_apart(line: Line) -> dict[int, str]:
    """Commands on hosts that were not reached, as their own parts of the output say, also where no name stands there."""
    found: dict[int, str] = {}
    hosts: dict[tuple[int, int], set[str]] = {}
    for index, command in enumerate(line.commands):
        if command.target.host and not line.echo(index):
            hosts.setdefault(line.bounds[index], set()).add(command.target.host)
    for index, command in enumerate(line.commands):
        alone = index in line.own or (len(hosts) > 1 and len(hosts.get(line.bounds[index], ())) == 1)
        if _goes_out(command) and command.target.host and alone and not line.echo(index):
            part = part_of(line, index)
            words = never_up(part[:2000])
            if words is not None and len(part.strip().split("\n")) <= _FEW_LINES:
                found[index] = quote_of(part, words)
    return found


_FEW_LINES = 4
"""Lines of a part of an output that may be the complaint of a connection and nothing else."""


_ENTERED = lazy(r"(?:docker|podman|nerdctl|kubectl|oc|docker-compose)\b")


def _refused(line: Line, text: str) -> bool:
    """Give a wrapper's refusal (sudo, docker exec, kubectl exec) to the commands it stands around."""
    program = text.strip().partition(":")[0].lower()
    found = False
    for index, command in enumerate(line.commands):
        if program in ("sudo", "doas", "su", "timeout"):
            around = any(wrapper.split(" ", 1)[0].rsplit("/", 1)[-1] == program for wrapper in command.via)
        else:
            around = any(_ENTERED.match(wrapper) for wrapper in command.via)
        if around and line.marks[index] is None and line.success[index] is not True:
            line.complaints.setdefault(index, ("never", text.strip()[:QUOTED]))
            line.success[index] = False
            found = True
    return found


def _about(line: Line, text: str) -> int | None:
    """The command that a complaint is about, where that can be told."""
    speaker = _SPEAKER.match(text.strip())
    name = speaker.group(1).rsplit("/", 1)[-1] if speaker else ""
    candidates = [
        index
        for index, command in enumerate(line.commands)
        if command.words
        and not line.echo(index)
        and line.reached[index] != "no"
        and line.success[index] is not True
    ]
    named = [index for index in candidates if line.commands[index].program == name]
    if named:
        return named[0] if len(named) == 1 else _by_target(line, named, text)
    working = [
        index for index in candidates if not line.filter(index) and line.commands[index].program not in _DATA
    ]
    by_target = _by_target(line, working, text)
    if by_target is not None:
        return by_target
    failed = [index for index in working if line.success[index] is False]
    if len(failed) == 1:
        return failed[0]
    # A check of logs or a query shows complaints of others: they are what it found, not its own failure.
    own = [index for index in working if line.commands[index].check_strength is None]
    return own[0] if len(own) == 1 and len(working) == 1 else None


def _by_target(line: Line, candidates: list[int], text: str) -> int | None:
    """The one candidate whose target a complaint names.

    Programs that begin each complaint with their own name are not meant by one that begins otherwise, unless
    it is the shell's, which names the file that it could not open for them.
    """
    speaker = _SPEAKER.match(text.strip())
    spoken = speaker.group(1) if speaker else ""
    found = [
        index
        for index in candidates
        if len(name := line.commands[index].target.name) >= 3
        and name in text
        and (line.commands[index].program not in _SELF_NAMED or spoken == name)
    ]
    return found[0] if len(found) == 1 else None


def read_failed_check(line: Line) -> None:
    """The check that stopped a failed chain, where its output says so: ``nginx -t && systemctl reload nginx``."""
    if not line.ended or line.exit in (0, None):
        return
    for index, command in enumerate(line.commands):
        undecided = line.success[index] is None and not line.piped[index] and index not in line.complaints
        leads_on = index + 1 < len(line.commands) and line.commands[index + 1].runs_if == "after_success"
        if not (undecided and leads_on and command.check_strength is not None):
            continue
        row = row_of(command.words)
        if row is not None and not row.last and find(row.bad, part_of(line, index)) is not None:
            line.success[index] = False
            return


def settle_reached(line: Line) -> None:
    """Whether each command began, from what is known of those before it."""
    dead = False
    waiting = False
    for index, command in enumerate(line.commands):
        known = line.reached[index]
        kind = line.complaints.get(index, ("", ""))[0]
        if kind == "never":
            line.reached[index] = "no"
        elif known == "unknown":
            before = _guard(line, index)
            if waiting:
                line.reached[index] = "unknown"
            elif command.runs_if == "always":
                line.reached[index] = (
                    "yes" if index == 0 or line.ended or line.over[index] or not dead else "unknown"
                )
                if not line.ended and index and not _passed(line, index - 1):
                    line.reached[index] = "unknown"
            elif before is None:
                line.reached[index] = "yes" if line.ended else "unknown"
            elif command.runs_if == "after_success":
                line.reached[index] = "yes" if before else "no"
            else:
                line.reached[index] = "no" if before else "yes"
            if line.success[index] is not None:
                line.reached[index] = "yes" if line.reached[index] == "unknown" else line.reached[index]
        dead = dead or line.success[index] is False
        if not line.ended and line.reached[index] == "unknown":
            waiting = True
    if line.ended and line.exit not in (0, None):
        _stop_at_failure(line)


_QUICK = (("cd",), ("set",), ("export",), ("source",), (".",), ("pwd",), ("date",), (":",), ("true",), ("unset",),
          ("umask",), ("ulimit",), ("alias",), ("shopt",), ("trap",), ("whoami",), ("hostname",), ())  # fmt: skip


def _passed(line: Line, index: int) -> bool:
    """Whether a command of a line that did not end was surely over, so that the next one began."""
    command = line.commands[index]
    return (
        line.over[index]
        or line.success[index] is not None
        or command.detached
        or line.echo(index)
        or command.words[:1] in _QUICK
        or line.filter(index)
    )


def _guard(line: Line, index: int) -> bool | None:
    """Whether what a command's running depends on succeeded; ``None`` when unknown."""
    before = index - 1
    while before >= 0:
        if line.piped[before]:
            before -= 1
            continue
        known = line.success[before]
        if line.reached[before] == "no" and line.commands[before].runs_if == "after_success":
            return False
        if known is not None:
            return known
        if line.complaints.get(before):
            return False
        if not line.ended and not _passed(line, before):
            return None
        if not line.echo(before):
            return None
        before -= 1
    return None


def _stop_at_failure(line: Line) -> None:
    """In a line that failed, what follows a failed command in its chain never began."""
    stopped = False
    for index, command in enumerate(line.commands):
        if command.runs_if == "always":
            stopped = False
        elif stopped and command.runs_if == "after_success" and line.marks[index] is None:
            line.reached[index] = "no"
        stopped = stopped or line.success[index] is False or index in line.complaints
