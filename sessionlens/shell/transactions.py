"""Whether the statements of a database client were taken back by a ROLLBACK."""

from __future__ import annotations

import re

from sessionlens.cache import lazy
from sessionlens.shell.command import Command

_QUOTED = lazy(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$", re.DOTALL)
_BEGIN = lazy(r"(?:BEGIN|START\s+TRANSACTION)\b(?!\s*(?:TRY|CATCH))|SET\s+AUTOCOMMIT\s*=\s*0", re.IGNORECASE)
_BACK = lazy(r"(?:ROLLBACK|ABORT)\b(?!.*\bTO\b)", re.IGNORECASE)
_KEPT = lazy(r"(?:COMMIT|END)\b", re.IGNORECASE)
_CHANGES = lazy(
    r"(?:WITH\b.*\b)?(?:INSERT|UPDATE|DELETE|MERGE|REPLACE|TRUNCATE|ALTER|CREATE|DROP|GRANT|REVOKE|COPY|CALL|DO|LOAD|EXEC)\b",
    re.IGNORECASE | re.DOTALL,
)
_COMMITS_ITSELF = lazy(
    r"(?:TRUNCATE|ALTER|CREATE|DROP|GRANT|REVOKE|RENAME|ANALYZE|OPTIMIZE|LOCK)\b", re.IGNORECASE
)
"""Statements that commit what came before them in MySQL and Oracle."""
_AUTO = frozenset({"mysql", "mariadb", "sqlplus", "sql"})


def rolled_back(command: Command, output: str) -> bool:
    """Whether everything that a client's statements change was taken back within them.

    True for ``BEGIN; DELETE …; ROLLBACK``, and where PostgreSQL answered a COMMIT with ROLLBACK because a
    statement had failed. In MySQL and Oracle a change of schema commits by itself.
    """
    if command.target.kind != "database" or not command.words:
        return False
    written = (*command.words[1:60], command.writes or "")
    text = ";".join(word[:20_000] for word in written if " " in word or word.isalpha())
    if not re.search(r"rollback|abort|commit", text, re.IGNORECASE):
        return False
    program = command.program
    refused = program in ("psql", "pgcli") and re.search(r"^ROLLBACK$", output, re.MULTILINE) is not None
    inside = changed = False
    taken_back = False
    for statement in re.split(r";|\\g\b", _QUOTED.sub(" ", text)):
        words = statement.strip()
        if _BEGIN.match(words):
            inside, changed = True, False
        elif _BACK.match(words):
            taken_back = taken_back or (inside and changed)
            inside = changed = False
        elif _KEPT.match(words):
            if inside and changed and not refused:
                return False
            taken_back = taken_back or (inside and changed)
            inside = changed = False
        elif _CHANGES.match(words):
            if not inside or (program in _AUTO and _COMMITS_ITSELF.match(words)):
                return False
            changed = True
    # What a session leaves open when it ends is taken back, too.
    return taken_back and (not inside or changed)
