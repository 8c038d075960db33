"""An agent that tries the network: runs inside a sandbox, prints one JSON object, name of the try to what came of it.

    network_agent.py CERTIFICATE-FILE [around]

`around` tries to get past the proxy as well: only a sandbox that closes the network makes that a test.

Standard library only.
"""

import base64
import http.client
import json
import os
import socket
import ssl
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

TRUST = ssl.create_default_context(cafile=sys.argv[1])
FOUND = {}


def attempt(name, action):
    try:
        FOUND[name] = action()
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        FOUND[name] = f"{type(reason).__name__}: {reason}"


def fetch(url, data=None):
    def act():
        with urllib.request.urlopen(urllib.request.Request(url, data=data), context=TRUST, timeout=20) as answer:
            body = answer.read()
        return body.decode() if len(body) < 100 else f"{len(body)} bytes"

    return act


def direct(address, port):
    def act():
        socket.create_connection((address, port), timeout=2).close()
        return "reached"

    return act


def fronted():
    """An allowed host for the proxy, another one in the greeting."""
    proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
    with socket.create_connection((proxy.hostname, proxy.port), timeout=10) as plain:
        credentials = base64.b64encode(f"aces:{proxy.password}".encode()).decode()
        plain.sendall(
            f"CONNECT files.example.org:443 HTTP/1.1\r\nProxy-Authorization: Basic {credentials}\r\n\r\n".encode()
        )
        assert plain.recv(4096).startswith(b"HTTP/1.1 200")
        with TRUST.wrap_socket(plain, server_hostname="evil.example.net"):
            return "greeted"


def git():
    done = subprocess.run(
        ["git", "-c", f"http.sslCAInfo={sys.argv[1]}", "ls-remote", "https://files.example.org/repository"],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stderr.strip().splitlines()[-1] if done.returncode else done.stdout


FOUND["variables"] = sorted(name for name in os.environ if "proxy" in name.lower())
if "HTTPS_PROXY" in os.environ:
    attempt("allowed", fetch("https://files.example.org/"))
    attempt("upload", fetch("https://files.example.org/", data=b"x" * 2000))
    attempt("git", git)
    attempt("another host", fetch("https://evil.example.net/"))
    attempt("below it", fetch("https://x.files.example.org/"))
    attempt("another port", fetch("https://files.example.org:8443/"))
    attempt("an address", fetch("https://93.184.215.14/"))
    attempt("metadata", fetch("https://169.254.169.254/"))
    attempt("a name that points inwards", fetch("https://inward.example.org/"))
    attempt("fronted", fronted)
if "around" in sys.argv:
    FOUND["interfaces"] = sorted(path.name for path in Path("/sys/class/net").iterdir())
    attempt("around the proxy, by name", fetch("http://files.example.org/"))
    for address in ("1.1.1.1", "172.17.0.1", "169.254.169.254"):
        attempt(f"around the proxy, {address}", direct(address, 443))
if "HTTPS_PROXY" in os.environ:
    attempt("too much", fetch("https://files.example.org/?n=900000"))
    attempt("allowed, after that", fetch("https://files.example.org/"))
sys.stdout.write(json.dumps(FOUND) + "\n")
