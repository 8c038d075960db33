"""What a call's arguments say of files and commands, in the names and shapes that each program gives its tools."""

from __future__ import annotations

from typing import Any

import pytest

from aces_ci.core.trace.actions import Action, actions
from aces_ci.core.trace.tools import Deed
from tests.traces import snippets

PATCH = """*** Begin Patch
*** Add File: notes/a.md
+hello
*** Update File: src/b.py
*** Move to: src/c.py
@@
-old
+new
*** Delete File: /etc/motd
*** End Patch
"""
UNIFIED = "--- a/src/b.py\n+++ b/src/b.py\n@@ -1 +1 @@\n-old\n+new\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"

PATCHED = ["write notes/a.md", "write src/b.py", "delete src/b.py", "write src/c.py", "delete /etc/motd"]
PATCHED_BELOW = [each if "/etc" in each else each.replace(" ", " /w/") for each in PATCHED]
EDITS = [{"old_string": "x", "new_string": "y"}, {"old_string": "v", "new_string": "w"}]


def action(tool: str, args: dict[str, Any], harness: str = "claude-code") -> Action:
    (found,) = actions(snippets.trajectory(harness, [{"tool": tool, "args": args, "out": "ok"}]))
    return found


FILES = [
    ("claude-code", "Read", {"file_path": "/w/a.txt"}, ["read /w/a.txt"]),
    ("claude-code", "Write", {"file_path": "/w/a.txt", "content": "x"}, ["write /w/a.txt"]),
    ("claude-code", "Edit", {"file_path": "a.txt", "old_string": "x", "new_string": "y"}, ["write a.txt"]),
    (
        "claude-code",
        "MultiEdit",
        {"file_path": "a.txt", "edits": EDITS},
        ["write a.txt"],
    ),
    ("claude-code", "NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "1"}, ["write n.ipynb"]),
    ("claude-code", "Grep", {"pattern": "KEY", "path": "/root/.aws/credentials"}, ["read /root/.aws/credentials"]),
    ("claude-code", "Grep", {"pattern": "KEY", "path": "conf", "glob": ".env*"}, ["read conf/.env"]),
    ("claude-code", "Glob", {"pattern": "**/*.py", "path": "src"}, []),
    ("codex", "apply_patch", {"input": PATCH}, PATCHED),
    ("codex", "view_image", {"path": "a.png"}, ["read a.png"]),
    ("codex", "exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF", "workdir": "/w"}, PATCHED_BELOW),
    ("codex", "shell", {"command": ["apply_patch", PATCH]}, PATCHED),
    ("codex-exec", "exec", {"input": f"text(await tools.apply_patch({PATCH!r}));"}, PATCHED),
    ("opencode", "read", {"filePath": "a.txt"}, ["read a.txt"]),
    ("opencode", "edit", {"filePath": "a.txt", "oldString": "x", "newString": "y"}, ["write a.txt"]),
    ("opencode", "apply_patch", {"patchText": PATCH}, PATCHED),
    ("opencode", "patch", {"patchText": UNIFIED}, ["write src/b.py", "delete gone.txt"]),
    ("opencode", "grep", {"pattern": "x", "path": "src", "include": "*.py"}, ["read src/*.py"]),
    ("gemini-cli", "read_many_files", {"paths": ["a.txt", "b/c.txt"]}, ["read a.txt", "read b/c.txt"]),
    ("gemini-cli", "read_many_files", {"include": ["docs/*.md"], "exclude": ["x"]}, ["read docs/*.md"]),
    ("gemini-cli", "replace", {"file_path": "a.txt", "old_string": "x", "new_string": "y"}, ["write a.txt"]),
    ("gemini-cli", "search_file_content", {"pattern": "x", "dir_path": "/root/.ssh"}, ["read /root/.ssh"]),
    ("gemini-cli", "list_directory", {"dir_path": "src"}, []),
    ("qwen-code", "grep_search", {"pattern": "x", "path": ".env"}, ["read .env"]),
    ("qwen-code", "edit", {"file_path": "a.txt", "old_string": "x", "new_string": "y"}, ["write a.txt"]),
    ("cursor", "editToolCall", {"path": "a.txt"}, ["write a.txt"]),
    ("cursor", "deleteToolCall", {"path": "a.txt"}, ["delete a.txt"]),
    ("cursor", "grepToolCall", {"pattern": "x", "path": "src"}, ["read src"]),
    ("terminus-2", "bash_command", {"keystrokes": "cat a.txt > b.txt\n"}, ["write b.txt", "read a.txt"]),
    ("mcp", "mcp__filesystem__read_multiple_files", {"paths": ["a", "b"]}, ["read a", "read b"]),
    ("mcp", "mcp__filesystem__move_file", {"source": "a", "destination": "b"}, ["read a", "write b", "delete a"]),
    ("mcp", "mcp__filesystem__edit_file", {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}, ["write a"]),
    ("openhands", "str_replace_editor", {"command": "view", "path": "a"}, ["read a"]),
    ("openhands", "str_replace_editor", {"command": "create", "path": "a", "file_text": "x"}, ["write a"]),
    ("shell", "Bash", {"command": "cd /etc && cat os-release > /tmp/x"}, ["write /tmp/x", "read /etc/os-release"]),
    ("shell", "Bash", {"command": "set -a; . ./.env; set +a"}, ["read ./.env"]),
    ("shell", "Bash", {"command": "mv a b"}, ["read a", "write b", "delete a"]),
    ("shell", "Bash", {"command": "rm -rf x y"}, ["delete x", "delete y"]),
    ("shell", "Bash", {"command": "truncate -s 0 a"}, ["write a"]),
    ("shell", "Bash", {"command": "sed -i s/a/b/ f.txt"}, ["write f.txt"]),
    ("shell", "Bash", {"command": "grep -r 'curl | sh' src 2>&1"}, ["read src"]),
    ("shell", "Bash", {"command": "curl -fsSLo /tmp/x https://example.org/x"}, ["write /tmp/x"]),
    ("shell", "Bash", {"command": "python3 -c \"open('o','w').write(open('i').read())\""}, ["write o", "read i"]),
    ("shell", "Bash", {"command": "node -e \"fs.writeFileSync('o', fs.readFileSync('i'))\""}, ["read i", "write o"]),
    ("shell", "Bash", {"command": "echo a b c"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("harness", "tool", "args", "want"), FILES)
def test_the_files_that_a_call_touches_are_known(
    harness: str, tool: str, args: dict[str, Any], want: list[str]
) -> None:
    known = harness if harness in snippets.HARNESSES else "claude-code"
    found = action(tool, args, known)
    assert sorted(f"{touch.how} {touch.place}" for touch in found.touches) == sorted(want)


SCRIPTS = [
    ("Bash", {"command": "ls"}, "ls"),
    ("shell", {"command": ["bash", "-lc", "cat a && ls"]}, "bash -lc 'cat a && ls'"),
    ("shell", {"command": ["rm -rf x"]}, "rm -rf x"),
    ("shell", {"command": ["cd /", "rm -rf *"]}, None),
    ("local_shell", {"command": ["ls", "-l"]}, "ls -l"),
    ("run_commands", {"command": "ls"}, None),
    ("execute_command", {"command": "rm", "args": ["-rf", "/"]}, "rm -rf /"),
    ("terminal", {"commands": ["cd /", "ls"]}, "cd /\nls"),
    ("terminal", {"commands": [{"keystrokes": "ls\n"}, {"keystrokes": "pwd\n"}]}, "ls\n\npwd\n"),
    ("write_stdin", {"session_id": 1, "chars": "rm -rf /\n"}, "rm -rf /\n"),
    ("write_stdin", {"session_id": 1, "chars": "\x03"}, None),
    ("write_stdin", {"session_id": 1, "chars": ""}, None),
    ("exec", {"command": "ls"}, "ls"),
    ("functions.exec_command", {"cmd": "ls"}, "ls"),
    ("mcp__shell__run_command", {"command": "ls"}, "ls"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "args", "want"), [row for row in SCRIPTS if row[2] is not None])
def test_the_script_of_a_call_is_read_from_any_shape_of_its_arguments(
    tool: str, args: dict[str, Any], want: str
) -> None:
    assert action(tool, args).script == want


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_stdin", {"session_id": 1, "chars": "import shutil; shutil.rmtree('/')\n"}),
        ("execute_ipython_cell", {"code": "import shutil\nshutil.rmtree('/')"}),
        ("mcp__ide__execute_code", {"code": "import shutil\nshutil.rmtree('/')"}),
    ],
)
def test_code_that_is_typed_or_run_by_a_tool_is_read_as_python(tool: str, args: dict[str, Any]) -> None:
    found = action(tool, args)
    assert found.deed is Deed.SHELL
    assert [(str(touch.how), touch.path) for touch in found.touches] == [("delete", "/")]


def test_a_shell_call_starts_in_the_folder_that_it_asks_for() -> None:
    found = action("exec_command", {"cmd": "cat x; cd ..; cat y", "workdir": "/srv/app"})
    assert [touch.place for touch in found.touches] == ["/srv/app/x", "/srv/y"]


def test_what_is_written_is_kept_for_a_later_run() -> None:
    wholes = [
        action("Write", {"file_path": "a.sh", "content": "ls"}),
        action("Bash", {"command": "cat > a.sh <<'E'\nls\nE"}),
        action("Bash", {"command": "echo ls > a.sh"}),
        action("Bash", {"command": "echo ls | tee a.sh"}),
    ]
    assert [(found.touches[0].text or "").strip() for found in wholes] == ["ls"] * 4
