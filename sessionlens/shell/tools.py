"""The clients' own tools: what a call of ``bash``, ``edit``, ``write``, ``apply_patch`` … does.

Names and arguments as the clients log them: opencode (bash, edit, write, patch, apply_patch, multiedit, read, list,
glob, grep, webfetch), Claude Code (Bash, Edit, Write, MultiEdit, NotebookEdit, Read), Codex (exec_command, shell,
local_shell, apply_patch, write_stdin), Gemini CLI (run_shell_command, replace, write_file), Copilot CLI (bash,
str_replace_editor, create, edit), Cline and Roo (execute_command, write_to_file, replace_in_file, apply_diff),
SWE-agent (str_replace_based_edit_tool, execute_bash), Cursor (run_terminal_cmd, edit_file, search_replace).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.environments import OF_SERVER
from sessionlens.shell import servers
from sessionlens.shell.command import Command, Effect
from sessionlens.shell.effects import WRITTEN
from sessionlens.targets import EnvironmentSettings, Target, environment

SHELL: frozenset[str] = frozenset(
    {
        "bash", "shell", "execcommand", "localshell", "localshellcall", "containerexec", "runshellcommand",
        "executecommand", "runterminalcmd", "runterminalcommand", "runinterminal", "terminal", "runcommand",
        "executebash", "shellcommand", "exec", "unifiedexec", "cmd", "powershell", "execute", "sh", "zsh", "runbash",
        "bashtool", "developershell", "developer__shell", "runcommands", "shelltool", "runcmd", "command",
        "executeshell", "runshell", "launchprocess", "interactiveshell", "writebash", "ranterminalcommand",
    }
)  # fmt: skip
"""Shell tools by their names, lower case, without separators."""
_LINE_KEYS = (
    "command",
    "cmd",
    "commandline",
    "command_line",
    "CommandLine",
    "script",
    "code",
    "input",
    "commands",
    "bash_command",
)
_FILE_KEYS = (
    "filePath", "file_path", "path", "filepath", "target_file", "TargetFile", "notebook_path", "absolute_path",
    "filename", "file", "AbsolutePath", "relative_path", "uri", "target",
)  # fmt: skip
_TEXT_KEYS = (
    "content", "newString", "new_string", "file_text", "new_str", "text", "contents", "replacement", "code_edit",
    "CodeContent", "insert_text", "new_source", "diff", "ReplacementContent", "replace", "file_content",
)  # fmt: skip
_EDITS = frozenset(
    {
        "edit", "write", "multiedit", "notebookedit", "writefile", "writetofile", "replace", "replaceinfile",
        "applydiff", "insertcontent", "searchandreplace", "searchreplace", "editfile", "createfile", "create",
        "strreplaceeditor", "strreplacebasededittool", "strreplace", "insert", "insertedit", "inserteditintofile",
        "replacestringinfile", "multireplacestringinfile", "editnotebook", "editnotebookfile", "undoedit", "reapply",
        "newfile", "savefile", "writetextfile", "editblock", "edittool", "update", "overwrite", "appendfile",
        "replacefilecontent", "fsedit", "fswrite", "patchfile", "editexistingfile", "createnewfile", "append",
        "singlefindandreplace", "viewdiff", "savetofile", "morphedit", "fileedit", "filewrite", "notebookwrite",
    }
)  # fmt: skip
_PATCHES = frozenset({"applypatch", "patch", "applyunifieddiff", "udiff", "applypatchtool"})
_READS = frozenset(
    {
        "read", "readfile", "view", "viewfile", "readmanyfiles", "open", "openfile", "cat", "notebookread", "fsread",
        "readnotebook", "readnotebookcell", "viewimage", "readtextfile", "viewcodeitem", "readcurrentlyopenfile",
        "readimage", "readfiles", "readmultiplefiles",
    }
)  # fmt: skip
_LOOKS = frozenset(
    {
        "list", "ls", "glob", "grep", "search", "listdirectory", "listfiles", "searchfiles", "filesearch",
        "grepsearch", "codebasesearch", "listdir", "findfiles", "searchfilecontent", "semanticsearch", "codesearch",
        "find", "findfile", "searchdir", "searchfile", "listcodedefinitionnames", "globfilesearch", "viewdirectory",
        "lspdiagnostics", "lsphover", "listcodeusages", "findbyname", "grepsearchfiles", "codebaseretrieval",
    }
)  # fmt: skip
_DELETES = frozenset({"delete", "deletefile", "removefile", "fsdelete"})
_FETCHES = frozenset(
    {
        "webfetch",
        "fetch",
        "fetchurl",
        "fetchwebpage",
        "readurl",
        "webread",
        "httprequest",
        "readurlcontent",
        "urlfetch",
    }
)
_POLLS = frozenset(
    {
        "writestdin",
        "bashoutput",
        "readbash",
        "taskoutput",
        "getterminaloutput",
        "readterminal",
        "readprocess",
        "pollprocess",
        "commandstatus",
    }
)
_STOPS = frozenset({"killshell", "killbash", "stopbash", "killprocess", "killterminal", "taskstop"})
_KNOWN = _EDITS | _PATCHES | _READS | _LOOKS | _DELETES | _FETCHES | _POLLS | _STOPS
"""Tools that run no command lines, whatever their names seem to say."""


@lru_cache(maxsize=1024)
def plain_name(tool: str) -> str:
    """A tool's name without server prefix, separators and capitals: ``functions.exec_command`` is execcommand."""
    name = re.split(r"(?:^|[^_])__|\.|:|/", tool)[-1] if not tool.startswith("__") else tool
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_patch_word(words: list[Any]) -> bool:
    return len(words) >= 2 and words[0] in {"apply_patch", "applypatch"} and isinstance(words[1], str)


def _is_shell(tool: str) -> bool:
    return plain_name(tool) in SHELL or (plain_name(tool) not in _KNOWN and servers.runs_lines(tool))


def command_line(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """The command line of a call when the tool is a shell tool; an argument list is joined as a shell would read it."""
    if not _is_shell(tool):
        return None
    for key in _LINE_KEYS if plain_name(tool) in SHELL else _LINE_KEYS[:5]:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value:
            return _joined(value)
    action = arguments.get("action")
    if isinstance(action, Mapping):
        value = action.get("command")
        if isinstance(value, list):
            return _joined(value)
        if isinstance(value, str):
            return value
    arguments_list = arguments.get("args")
    if isinstance(arguments_list, list) and arguments_list:
        return _joined(arguments_list)
    return None


def _joined(words: list[Any]) -> str:
    texts = [w if isinstance(w, str) else json.dumps(w) for w in words]
    if (
        len(texts) == 3
        and texts[0].rsplit("/", 1)[-1] in {"bash", "sh", "zsh"}
        and re.fullmatch(r"-\w*c", texts[1])
    ):
        return texts[2]
    return " ".join(_quoted(w) for w in texts)


def _quoted(word: str) -> str:
    if word and re.fullmatch(r"[\w./:=@%+,~^-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def read_call(
    tool: str,
    arguments: Mapping[str, Any],
    *,
    settings: EnvironmentSettings,
    directory: str | None = None,
    files: tuple[tuple[str, str], ...] = (),
) -> tuple[Command, ...]:
    """What a call does; empty when the tool is unknown or has no effect on the world."""
    name = plain_name(tool)
    if _is_shell(tool):
        patch = _patch_in_shell(arguments)
        if patch is not None:
            return tuple(_patched(tool, patch, settings, directory))
        line = command_line(tool, arguments)
        if line is None:
            # A tool of a database may be called like one that runs lines: ``mcp__db__execute``.
            asked = _statement(tool, arguments)
            return _of_database(tool, asked, arguments, settings, directory) if asked else ()
        from sessionlens.shell import read

        folder = next(
            (
                arguments[k]
                for k in ("workdir", "cwd", "working_directory", "dir_path", "directory", "Cwd")
                if isinstance(arguments.get(k), str)
            ),
            directory,
        )
        host = servers.host_of(arguments)
        if host is not None:
            line = f"ssh {_quoted(host)} {_quoted(line)}"
        commands = read(line, settings=settings, directory=folder, files=files)
        if any(
            arguments.get(k) is True
            for k in ("run_in_background", "is_background", "isBackground", "background", "detach")
        ):
            commands = tuple(msgspec.structs.replace(c, detached=True) for c in commands)
        return commands
    if name in _PATCHES:
        text = _first_text(
            arguments, ("patchText", "patch", "input", "patch_text", "diff", "content", "text")
        )
        return tuple(_patched(tool, text, settings, directory)) if text else ()
    if name in {"strreplacebasededittool", "strreplaceeditor"} and arguments.get("command") == "view":
        name = "view"
    if name in _EDITS:
        return tuple(_edited(tool, arguments, settings, directory))
    if name in _DELETES:
        return tuple(
            _made(tool, "delete", path, None, settings=settings, directory=directory)
            for path in _paths(arguments)
        )
    if name in _READS:
        return tuple(
            _made(tool, "read", path, None, settings=settings, directory=directory)
            for path in _paths(arguments)
        )
    if name in _LOOKS:
        pattern = _first_text(arguments, ("pattern", "query", "regex", "glob"))
        paths = _paths(arguments) or [""]
        words = (tool, pattern) if pattern else (tool,)
        return (
            _made(
                tool,
                "read",
                paths[0],
                None,
                settings=settings,
                directory=directory,
                words=words,
                strong=False,
            ),
        )
    if name in _FETCHES:
        url = _first_text(arguments, ("url", "uri", "Url", "prompt"))
        if url:
            from sessionlens.shell.effects import _local

            target = Target(kind="url", name=url, host=_local(url) or None)
            return (
                _finish(
                    Command(words=(tool, url), effect="check", check_strength="exercise", target=target),
                    settings,
                    directory,
                ),
            )
        return ()
    if name in _POLLS:
        return (_session(tool, arguments, "check", settings, directory),)
    if name in _STOPS:
        return (_session(tool, arguments, "stop", settings, directory),)
    told = servers.acts(tool, arguments) if re.search(r"[_.:/-]|[a-z][A-Z]", tool) else None
    statement = _statement(tool, arguments)
    if statement and told is None:
        return _of_database(tool, statement, arguments, settings, directory)
    if statement and told is not None:
        told = msgspec.structs.replace(told, words=(tool, statement[:4_000]))
    return () if told is None else (_of_server(_finish(told, settings, directory)),)


def _session(
    tool: str,
    arguments: Mapping[str, Any],
    effect: Effect,
    settings: EnvironmentSettings,
    directory: str | None,
) -> Command:
    """A poll or a stop of a process that the client keeps: named by the client's own number for it."""
    number = next(
        (
            str(arguments[k])
            for k in (
                "session_id",
                "sessionId",
                "bash_id",
                "shell_id",
                "shellId",
                "task_id",
                "taskId",
                "id",
                "terminal_id",
                "CommandId",
            )
            if k in arguments
        ),
        "",
    )
    typed = _first_text(arguments, ("chars", "input", "text"))
    if effect == "check" and typed and re.search(r"\x03|\x04", typed):
        effect = "stop"
    if effect == "check" and typed.strip():
        effect = "none"
    return _finish(
        Command(
            words=(tool, number) if number else (tool,),
            effect=effect,
            check_strength="state" if effect == "check" else None,
            target=Target(kind="process", name=number),
            confidence="medium",
        ),
        settings,
        directory,
    )


def _first_text(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _paths(arguments: Mapping[str, Any]) -> list[str]:
    for key in _FILE_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return [value.removeprefix("file://")]
    for key in ("paths", "files", "file_paths", "filePaths"):
        value = arguments.get(key)
        if isinstance(value, list):
            found = [
                v if isinstance(v, str) else v.get("path", "") if isinstance(v, Mapping) else ""
                for v in value
            ]
            return [p for p in found if isinstance(p, str) and p][:64]
    return []


def _edited(
    tool: str, arguments: Mapping[str, Any], settings: EnvironmentSettings, directory: str | None
) -> Iterator[Command]:
    paths = _paths(arguments)
    text = _first_text(arguments, _TEXT_KEYS)
    several = arguments.get("edits") or arguments.get("replacements") or arguments.get("operations")
    if isinstance(several, list):
        parts = []
        for edit in several[:200]:
            if isinstance(edit, Mapping):
                parts.append(_first_text(edit, _TEXT_KEYS))
                for path in _paths(edit):
                    if path not in paths:
                        paths.append(path)
        text = text or "\n".join(p for p in parts if p)
    if not paths and text.lstrip().startswith(("*** Begin Patch", "--- ", "diff --git")):
        yield from _patched(tool, text, settings, directory)
        return
    for path in paths:
        yield _made(tool, "edit", path, text or None, settings=settings, directory=directory)


_ON_A_MACHINE = frozenset(
    {"service", "process", "container", "compose", "host", "database", "cron", "queue", "package"}
)


_OF_SQL = lazy(r"sql|query|database|postgres|sqlite|bigquery|snowflake|migration|duckdb|clickhouse")
_DATABASES = frozenset(
    {
        "db",
        "pg",
        "psql",
        "mariadb",
        "oracle",
        "redshift",
        "supabase",
        "neon",
        "cockroach",
        "planetscale",
        "warehouse",
    }
)
_IS_SQL = lazy(
    r"\s{0,200}(?:(?:--[^\n]{0,400}\n|/\*(?:[^*]|\*(?!/)){0,400}\*/)\s{0,200}){0,10}(?:select\b[^;]{0,2000}?(?:\bfrom\b|\(|\b\d)|insert\s+into\b|update\s+\S{1,200}\s+set\b|delete\s+from\b"
    r"|(?:drop|create|alter)\s+(?:or\s+replace\s+|temp(?:orary)?\s+|unique\s+|materialized\s+)?(?:table|database|schema|view|index|column|user|role|function|trigger|policy|type|extension|sequence)\b|truncate\b|with\s+\w{1,80}\s+as\b|explain\b|begin\b|merge\s+into\b|grant\s|revoke\s)",
    re.IGNORECASE,
)


def _statement(tool: str, arguments: Mapping[str, Any]) -> str:
    """The statement that a tool of a database runs; empty for other tools."""
    text = _first_text(arguments, ("sql", "sql_query", "sqlQuery", "statement", "statements"))
    if not text and (
        _OF_SQL.search(plain_name(tool)) is not None or not _DATABASES.isdisjoint(servers.words_of(tool))
    ):
        text = _first_text(arguments, ("query",))
    return text if text and _IS_SQL.match(text[:20_000]) is not None else ""


_NAMES_DATABASE = (
    "database", "db", "dbname", "database_name", "databaseName", "db_name", "project_id", "projectId", "connection", "connection_name",
    "connectionName", "connection_id", "connectionId", "source", "source_id", "sourceId", "data_source", "dataSource", "datasource",
    "instance", "instance_id", "instanceId", "cluster", "catalog", "dataset", "alias", "profile", "schema", "environment", "env",
)  # fmt: skip
"""Arguments by which servers of databases are told on which one of theirs a statement is to run."""


def _of_database(
    tool: str,
    statement: str,
    arguments: Mapping[str, Any],
    settings: EnvironmentSettings,
    directory: str | None,
) -> tuple[Command, ...]:
    """What a statement does, read as a client of a database would run it; where it does that, the call may say."""
    from sessionlens.shell import read

    place = _first_text(arguments, _NAMES_DATABASE)
    named = f" -d {_quoted(place)}" if place else ""
    line = f"psql{named} -c {_quoted(statement[:20_000])}"
    return tuple(
        _of_server(msgspec.structs.replace(command, words=(tool, statement[:4_000]), span=(0, 0)))
        for command in read(line, settings=settings, directory=directory)
    )


def _of_server(command: Command) -> Command:
    """The command of a tool of another server: where that acts is not known unless the call says it."""
    by_default = command.environment in ("local", "unknown") and command.environment_confidence != "high"
    if command.target.host is None and command.target.kind in _ON_A_MACHINE and by_default:
        return msgspec.structs.replace(
            command,
            environment="unknown",
            environment_reason=OF_SERVER,
            environment_confidence="low",
        )
    return command


def _made(
    tool: str,
    effect: Effect,
    path: str,
    text: str | None,
    *,
    settings: EnvironmentSettings,
    directory: str | None,
    words: tuple[str, ...] | None = None,
    strong: bool = True,
) -> Command:
    return _finish(
        Command(
            words=words or (tool, path),
            effect=effect,
            check_strength="read_back" if effect == "read" and strong else None,
            target=Target(kind="file", name=path) if path else Target(),
            writes=text[:WRITTEN] if text else None,
        ),
        settings,
        directory,
    )


def _finish(command: Command, settings: EnvironmentSettings, directory: str | None) -> Command:
    where, reason, confidence = environment(
        command.target, words=command.words, effect=command.effect, directory=directory, settings=settings
    )
    return msgspec.structs.replace(
        command, environment=where, environment_reason=reason, environment_confidence=confidence
    )


_PATCH_FILE = lazy(r"^\*\*\* (Add|Update|Delete|Move) (?:File|to): ?(.+?)\s*$", re.MULTILINE)
_DIFF_FILE = lazy(r"^(?:---|\+\+\+) (?:[ab]/)?([^\t\n]+?)\s*(?:\t.*)?$", re.MULTILINE)


def patched_files(text: str) -> list[tuple[str, Effect, str]]:
    """Files that a patch touches: (path, edit or delete, its part of the patch). Codex patches and unified diffs."""
    found: list[tuple[str, Effect, str]] = []
    heads = list(_PATCH_FILE.finditer(text))
    if heads:
        for index, head in enumerate(heads[:500]):
            end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
            effect: Effect = "delete" if head[1] == "Delete" else "edit"
            found.append((head[2], effect, text[head.end() : end].removesuffix("*** End Patch").strip("\n")))
        return found
    names = list(_DIFF_FILE.finditer(text))
    index = 0
    while index + 1 < len(names) and len(found) < 500:
        old, new = names[index], names[index + 1]
        if not (old.group().startswith("---") and new.group().startswith("+++")):
            index += 1
            continue
        end = names[index + 2].start() if index + 2 < len(names) else len(text)
        if new[1] == "/dev/null":
            found.append((old[1], "delete", text[new.end() : end]))
        else:
            found.append((new[1], "edit", text[new.end() : end]))
        index += 2
    return found


def _patched(tool: str, text: str, settings: EnvironmentSettings, directory: str | None) -> Iterator[Command]:
    for path, effect, part in patched_files(text):
        yield _made(tool, effect, path, part, settings=settings, directory=directory)


def _patch_in_shell(arguments: Mapping[str, Any]) -> str | None:
    """A patch handed to the shell tool, as Codex does: ``["apply_patch", "*** Begin Patch…"]`` or a here-document."""
    for key in ("command", "cmd"):
        value = arguments.get(key)
        if isinstance(value, list):
            if _is_patch_word(value):
                return str(value[1])
            if len(value) == 3 and isinstance(value[2], str):
                value = value[2]
        if (
            isinstance(value, str)
            and "*** Begin Patch" in value[:2_000]
            and re.match(r"\s*(?:cd \S+ && )?apply_?patch\b", value)
        ):
            start = value.index("*** Begin Patch")
            return value[start:]
    return None
