"""What the tools of agent programs are called, and what each of them does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


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
    " run_terminal_cmd execute_bash terminal execute_command powershell pwsh unified_exec write_stdin",
    Deed.READ: "read read_file view view_file open_file read_many_files notebookread view_image zoom_image",
    Deed.WRITE: "write write_file create_file edit edit_file replace multiedit notebookedit notebook_edit"
    " apply_patch str_replace insert patch delete delete_file append_file search_replace",
    Deed.LIST: "glob grep ls list list_directory list_dir find find_files grep_search search_file_content"
    " file_search codebase_search search search_files rg",
    Deed.SKILL: "skill activate_skill load_skill use_skill",
    Deed.PLAN: "todowrite todoread todo_write update_plan taskcreate taskupdate tasklist taskget task_create"
    " toolsearch tool_search exitplanmode mark_task_complete write_todos attempt_completion finish think",
}
_DEEDS = {name: deed for deed, names in _NAMES.items() for name in names.split()}
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "editor", "text_editor"})
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
_SCRIPTS = ("command", "cmd", "keystrokes", "script", "code", "commandLine", "CommandLine")


def deed_of(name: str, arguments: Mapping[str, object]) -> Deed:
    """What a tool does; an unknown one is OTHER. Cursor's `readToolCall` and MCP's `mcp__fs__read` are
    read.
    """
    plain = name.rsplit("__", 1)[-1].removesuffix("ToolCall").lower().replace("-", "_")
    if plain in _EDITORS or plain.startswith("str_replace_based"):
        return Deed.READ if arguments.get("command") == "view" else Deed.WRITE
    return _DEEDS.get(plain, Deed.OTHER)


def path_in(arguments: Mapping[str, object]) -> str | None:
    """The file that a read or write names, or None."""
    return next((value for key in _PATHS if isinstance(value := arguments.get(key), str) and value), None)


def script_in(arguments: Mapping[str, object]) -> str | list[str] | None:
    """The shell text, or the words, that a shell call runs."""
    for key in _SCRIPTS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return [str(word) for word in value]
    return None


def skill_in(arguments: Mapping[str, object]) -> str | None:
    """The name of the skill that is loaded; `plugin:name` and `/name` are the name."""
    for key in ("skill", "name", "skill_name", "command"):
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip().split()[0].lstrip("/").rsplit(":", 1)[-1]
    return None


def folder_in(arguments: Mapping[str, object]) -> str | None:
    """The working directory that a shell call asks for."""
    keys = ("workdir", "cwd", "dir_path", "directory", "working_directory")
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), None)
