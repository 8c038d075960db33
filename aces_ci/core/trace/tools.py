"""What the tools of agent programs are called, and what each of them does."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping
from enum import StrEnum

from aces_ci.core.scripts.programs.python_calls import tree


class Deed(StrEnum):
    """What a call does to the world."""

    SHELL = "shell"
    READ = "read"
    WRITE = "write"
    LIST = "list"
    """Looks for files, or in them."""
    SKILL = "skill"
    """Loads a skill by its name."""
    PLAN = "plan"
    """Keeps a list, asks for tools, says that it is done: neither productive nor waste."""
    OTHER = "other"


_NAMES: Mapping[Deed, str] = {
    Deed.SHELL: "bash shell exec_command local_shell shell_command run_shell_command bash_command run_command"
    " run_terminal_cmd execute_bash terminal execute_command powershell pwsh unified_exec write_stdin run_in_terminal"
    " execute_shell_command run_bash run_bash_command send_input send_keys send_to_terminal write_to_terminal"
    " shell_input terminal_input process_write",
    Deed.READ: "read read_file view view_file open_file read_many_files notebookread view_image zoom_image"
    " read_text_file read_media_file read_multiple_files read_files batch_read open_files",
    Deed.WRITE: "write write_file create_file edit edit_file replace multiedit notebookedit notebook_edit"
    " apply_patch str_replace insert patch delete delete_file append_file search_replace move_file rename_file"
    " move rename copy_file write_to_file replace_in_file create_new_file write_text_file apply_diff"
    " search_and_replace edit_notebook_file insert_edit_into_file remove_file delete_path multi_edit",
    Deed.LIST: "glob grep ls list list_directory list_dir find find_files grep_search search_file_content"
    " file_search codebase_search search search_files rg directory_tree list_files find_by_name grep_files",
    Deed.SKILL: "skill activate_skill load_skill use_skill",
    Deed.PLAN: "todowrite todoread todo_write update_plan taskcreate taskupdate tasklist taskget task_create"
    " toolsearch tool_search exitplanmode mark_task_complete write_todos attempt_completion finish think",
}
_DEEDS = {name: deed for deed, names in _NAMES.items() for name in names.split()}
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "editor", "text_editor"})
_PYTHON = frozenset(
    {"python", "ipython", "run_python", "execute_python", "python_exec", "execute_ipython_cell", "run_ipython",
     "code_interpreter", "jupyter_execute", "execute_notebook_cell", "run_cell", "execute_code", "run_code"}
)  # fmt: skip
"""Tools that run Python, or the language that an argument names."""
_TYPED = frozenset({"chars", "keystrokes", "input", "keys"})
_PATHS = (
    "file_path",
    "path",
    "filePath",
    "filename",
    "file",
    "absolute_path",
    "target_file",
    "notebook_path",
)
_SCRIPTS = ("command", "cmd", "keystrokes", "script", "code", "commandLine", "CommandLine", "chars", "input", "keys")
_REST = ("args", "arguments", "argv")
"""Where the other words of a command stand that is given by its program alone."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|<(?:Enter|Return|CR)>|\b(?:Enter|C-m)$")
_LANGUAGES = {"python": "python3", "py": "python3", "python3": "python3", "javascript": "node", "js": "node"}


def plain(name: str) -> str:
    """A tool's own name: without the server it comes from (`mcp__fs__read`, `functions.shell`), folded."""
    short = name.rsplit("__", 1)[-1].rsplit(".", 1)[-1].rsplit("/", 1)[-1]
    return short.removesuffix("ToolCall").lower().replace("-", "_")


def deed_of(name: str, arguments: Mapping[str, object]) -> Deed:
    """What a tool does; an unknown one is OTHER. Cursor's `readToolCall` and MCP's `mcp__fs__read` are
    read.
    """
    own = plain(name)
    if own in _EDITORS or own.startswith("str_replace_based"):
        return Deed.READ if arguments.get("command") == "view" else Deed.WRITE
    if own in _PYTHON and isinstance(arguments.get("code") or arguments.get("script"), str):
        return Deed.SHELL
    if own == "exec" and isinstance(arguments.get("command"), (str, list)):
        return Deed.SHELL
    return _DEEDS.get(own, Deed.OTHER)


def path_in(arguments: Mapping[str, object]) -> str | None:
    """The file that a read or write names, or None."""
    return next((value for key in _PATHS if isinstance(value := arguments.get(key), str) and value), None)


def script_in(name: str, arguments: Mapping[str, object]) -> str | None:
    """The shell text that a call runs or types; of a tool that runs Python, that of `python3` reading it."""
    key, text = next(((key, text) for key in _SCRIPTS if (text := _script(arguments.get(key)))), ("", ""))
    rest = next((value for name in _REST if (value := _words(arguments.get(name)))), [])
    if not text:
        listed = arguments.get("commands")
        parts = [_script(each.get("keystrokes") or each.get("command")) if isinstance(each, dict) else _script(each)
                 for each in listed] if isinstance(listed, list) else []  # fmt: skip
        return "\n".join(part for part in parts if part) or None
    if rest and key in {"command", "cmd"}:
        return shlex.join([*shlex.split(text, posix=True), *rest]) if "'" not in text and '"' not in text else text
    if key in _TYPED and plain(name) != "bash_command":
        text = _CONTROL.sub("", text)
        return _read_by("python3", text) if _is_python(text) else text
    if plain(name) in _PYTHON:
        return _read_by(_LANGUAGES.get(str(arguments.get("language", "python")).lower(), "sh"), text)
    return text


def _script(value: object) -> str:
    """A text, or a list of words as one: `["bash", "-lc", "ls"]`, but `["rm -rf x"]` and whole lines as they are."""
    if isinstance(value, str):
        return value
    words = _words(value)
    if words and all(any(blank in word.strip() for blank in " \n") for word in words):
        return "\n".join(words)
    return shlex.join(words) if words else ""


def _words(value: object) -> list[str]:
    listed = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return [str(word) for word in value] if listed and isinstance(value, list) else []


def _is_python(text: str) -> bool:
    """Whether what is typed can only be meant for an interpreter of Python."""
    module = tree(text.strip())
    return module is not None and any(
        isinstance(node, (ast.Call, ast.Import, ast.ImportFrom)) for node in ast.walk(module)
    )


def _read_by(program: str, text: str) -> str:
    return f"{program} <<'{_END}'\n{text}\n{_END}\n"


_END = "END_OF_CODE"


def skill_in(arguments: Mapping[str, object]) -> str | None:
    """The name of the skill that is loaded; `plugin:name` and `/name` are the name."""
    for key in ("skill", "name", "skill_name", "command"):
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip().split()[0].lstrip("/").rsplit(":", 1)[-1]
    return None


def terminal(name: str, arguments: Mapping[str, object]) -> str | None:
    """The terminal that a call types into, where it stays open from call to call: Terminus-2's, Codex's sessions."""
    own = plain(name)
    if own == "bash_command" and "keystrokes" in arguments:
        return own
    return f"{own} {arguments.get('session_id')}" if own == "write_stdin" else None


def folder_in(arguments: Mapping[str, object]) -> str | None:
    """The working directory that a shell call asks for."""
    keys = ("workdir", "cwd", "dir_path", "directory", "working_directory")
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), None)
