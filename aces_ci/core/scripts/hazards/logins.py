"""What is put into a file that says who may log in or become root, and whether it can be mistaken."""

from __future__ import annotations

import re2

from aces_ci.core.scripts.shell.command import Command, Within

NARROW = "What it lets in is not written out here, or is one command only."
ELSEWHERE = "It happens on another machine, or in a container."
_WITHOUT_PASSWORD = re2.compile(
    r"(?i)NOPASSWD\s*:\s*(?:SETENV\s*:\s*)?(?:ALL\b|(?:[^\n]*,)?\s*(?:/[\w.-]+)+/(?:(?:ba|z|da|k|c)?sh|su|sudo|tee|cp|mv|"
    r"install|chmod|chown|dd|rm|sed|awk|find|vim?|nano|env|python[\d.]*|perl|ruby|node|pip3?|npm|apt(?:-get)?|dpkg|yum|"
    r"dnf|docker|mount|crontab|useradd|usermod|visudo|passwd|systemctl)\s*(?:,|\"|'|\\|\n|$))"
)
"""Everything, or a program that does anything it is told."""
_KEY = re2.compile(r"\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\w+|sk-ssh-\S+)\s+AAAA[A-Za-z0-9+/]{6,}(?:[=\s'\"\\]|$)")
_STANDS_FOR = re2.compile(r"(?i)\byour|example|placeholder|user@host|<[a-z]")
_ROOT = re2.compile(r"(?m)\b[\w-]+:[^:\n]*:0+:\d*:")
_FETCHED = re2.compile(r"https?://[^\s'\"${<]+(?:[\s'\"|)]|$)")


def login_doubt(target: str, text: str, command: Command) -> str:
    """Why the change may be the user's own; "" where a stranger's key, or rights without a password, stand there."""
    if command.within & {Within.REMOTE, Within.CONTAINER}:
        return ELSEWHERE
    if target.endswith("authorized_keys"):
        written = _KEY.search(text) is not None and _STANDS_FOR.search(text) is None
        sure = written or _FETCHED.search(text) is not None
    elif target.endswith(("passwd", "shadow")):
        sure = _ROOT.search(text) is not None
    else:
        sure = _WITHOUT_PASSWORD.search(text) is not None or _FETCHED.search(text) is not None
    return "" if sure else NARROW
