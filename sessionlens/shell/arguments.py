"""Options and operands of one command, told apart by what its table row says takes a value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


class Arguments:
    """Options and operands of one command, in their order."""

    __slots__ = ("at", "operands", "options", "rest")

    def __init__(self) -> None:
        self.options: dict[str, list[str]] = {}
        """Each option with its values; a flag has an empty list."""
        self.operands: list[str] = []
        """Words that are neither option nor value of one."""
        self.at: list[int] = []
        """Index of each operand in the words."""
        self.rest: int = -1
        """Index of the first word after ``--``; -1 where there is none."""

    def value(self, names: Collection[str]) -> str | None:
        """Last value of the first of these options that has one."""
        for name in names:
            found = self.options.get(name)
            if found:
                return found[-1]
        return None

    def has(self, name: str) -> bool:
        """Whether the option stands there; ``--a=b`` asks for that value."""
        if name in self.options:
            return True
        option, equals, value = name.partition("=")
        return bool(equals) and value in self.options.get(option, ())


def read_arguments(
    words: Sequence[str],
    values: Collection[str] = (),
    *,
    start: int = 1,
    single: bool = False,
    stop_after: int = -1,
    later: Mapping[str, Collection[str]] | None = None,
    glued: Collection[str] = (),
) -> Arguments:
    """Read the words from ``start`` on.

    ``values``: options that take the next word. ``single``: long options have one dash (``-auto-approve``).
    ``stop_after``: options end with that many operands (a wrapper's own command follows).
    ``later``: what takes a value after a first operand that is a sub-command (``-f`` of ``docker logs`` takes none).
    ``glued``: short options whose value, if any, stands right behind the letter (``-pSECRET``, ``-i.bak``).
    """
    result = Arguments()
    options, operands, places = result.options, result.operands, result.at
    index, end = start, len(words)
    while index < end:
        word = words[index]
        if len(word) < 2 or word[0] != "-":
            operands.append(word)
            places.append(index)
            index += 1
            if len(operands) == stop_after:
                break
            if later and len(operands) == 1:
                values = later.get(word, values)
            continue
        if word == "--":
            result.rest = index + 1
            for place in range(index + 1, end):
                operands.append(words[place])
                places.append(place)
            break
        index += 1
        if word[1] == "-" or single:
            name, equals, value = word.partition("=")
            held = options.setdefault(name, [])
            if equals:
                held.append(value)
            elif name in values and index < end:
                held.append(words[index])
                index += 1
            continue
        if word in values:
            held = options.setdefault(word, [])
            if index < end:
                held.append(words[index])
                index += 1
            continue
        for letter_at, letter in enumerate(word[1:], 2):
            name = "-" + letter
            held = options.setdefault(name, [])
            if name in glued:
                if word[letter_at:]:
                    held.append(word[letter_at:])
                break
            if name in values:
                behind = word[letter_at:]
                if behind:
                    held.append(behind.removeprefix("="))
                elif index < end:
                    held.append(words[index])
                    index += 1
                break
    return result
