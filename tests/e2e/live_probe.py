"""Runs inside a sandbox and tries to get out; prints one JSON object: name to errno name, or to what it got.

Standard library only. What each answer must be is in `test_live_sandbox.py`.
"""

import ctypes
import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
FOUND = {}


def attempt(name, action):
    try:
        FOUND[name] = action()
    except OSError as error:
        FOUND[name] = errno.errorcode.get(error.errno, str(error))
    except ValueError:
        FOUND[name] = "refused"


def call(number, *arguments):
    def act():
        if LIBC.syscall(number, *arguments) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return "allowed"

    return act


def connect(host, port):
    def act():
        socket.create_connection((host, port), timeout=2).close()
        return "reached"

    return act


def family(*which):
    def act():
        socket.socket(*which).close()
        return "allowed"

    return act


def write(path):
    def act():
        Path(path).write_text("x")
        return "written"

    return act


for host in ("1.1.1.1", "172.17.0.1", "169.254.169.254", "10.0.0.1"):
    attempt(f"tcp {host}", connect(host, 80))


def _sparse():
    Path("/workspace/sparse").touch()
    os.truncate("/workspace/sparse", 200 << 30)
    return "made"


def _resolved():
    try:
        socket.getaddrinfo("example.com", 80)
    except socket.gaierror:
        return False
    return True


attempt("dns", lambda: "resolved" if _resolved() else "failed")
for name, which in {
    "AF_VSOCK": (40, socket.SOCK_STREAM),
    "AF_ALG": (38, socket.SOCK_SEQPACKET),
    "AF_CAN": (29, 3, 1),
    "AF_RDS": (21, 5),
    "AF_PACKET": (17, socket.SOCK_DGRAM),
    "AF_TIPC": (30, 1),
    "AF_XDP": (44, 3),
    "AF_NETLINK kobject": (16, 3, 15),
    "raw": (2, 3, 1),
    "ping": (2, 2, 1),
}.items():
    attempt(name, family(*which))
for name, arguments in {
    "io_uring_setup": (425, 1, ctypes.create_string_buffer(256)),
    "unshare user": (272, 0x10000000),
    "unshare net": (272, 0x40000000),
    "keyctl": (250, 0, -3, 0),
    "add_key": (248, b"user", b"k", b"v", 1, -3),
    "bpf": (321, 0, 0, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "userfaultfd": (323, 0),
    "mount": (165, b"none", b"/mnt", b"tmpfs", 0, 0),
    "modify_ldt": (154, 0, 0, 0),
    "ptrace": (101, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
}.items():
    attempt(name, call(*arguments))


def datagram(family_, host):
    def act():
        with socket.socket(family_, socket.SOCK_DGRAM) as talker:
            talker.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            talker.sendto(b"x", (host, 9))
        return "sent"

    return act


def abstract():
    """A socket of the host's in the abstract name space; any name does where the name space is our own."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect("\0/tmp/.X11-unix/X0")
    return "reached"


def readable(path):
    def act():
        with Path(path).open("rb") as file:
            return "readable" if file.read(1) else "empty"

    return act


def opened(path):
    def act():
        os.close(os.open(path, os.O_WRONLY))
        return "writable"

    return act


def x32():
    """The same calls by their 32-bit pointers' numbers: a filter that forgets them is no filter."""
    child = os.fork()
    if child == 0:
        LIBC.syscall(0x40000000 + 41, 40, 1, 0)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"


attempt("udp 255.255.255.255", datagram(socket.AF_INET, "255.255.255.255"))
attempt("udp 172.17.255.255", datagram(socket.AF_INET, "172.17.255.255"))
attempt("udp fe80::1", datagram(socket.AF_INET6, "fe80::1"))
attempt("abstract socket", abstract)
for path in ("/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/timer_list", "/dev/mem", "/dev/kmsg"):
    attempt(f"read {path}", readable(path))
for path in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/sys/kernel/uevent_helper"):
    attempt(f"open {path}", opened(path))
attempt("x32", x32)
attempt("unlink the socket", Path("/run/gw/gw.sock").unlink)
attempt("write beside the socket", write("/run/gw/x"))
attempt("chmod the socket", lambda: Path("/run/gw/gw.sock").chmod(0o777))
attempt("write the root", write("/etc/x"))
attempt("write /opt", write("/opt/aces/relay.py"))
attempt("setuid", lambda: os.setuid(0))
attempt("sparse file", _sparse)
attempt("raise the file limit", lambda: __import__("resource").setrlimit(1, (1 << 40, 1 << 40)))
FOUND["interfaces"] = sorted(path.name for path in Path("/sys/class/net").iterdir())
FOUND["docker sockets"] = [
    path for path in ("/var/run/docker.sock", "/run/containerd/containerd.sock") if Path(path).exists()
]
FOUND["setuid files"] = subprocess.run(
    ["find", "/", "-xdev", "-perm", "/6000", "-type", "f"], capture_output=True, text=True
).stdout.split()
FOUND["uid"] = os.getuid()
FOUND["environment"] = sorted(os.environ)
FOUND["hostname"] = socket.gethostname()
status = Path("/proc/self/status").read_text()
FOUND["capabilities"] = [
    row.split()[1] for row in status.splitlines() if row.startswith(("CapEff", "CapBnd", "CapPrm"))
]
FOUND["no new privileges"] = "NoNewPrivs:\t1" in status
sys.stdout.write(json.dumps(FOUND) + "\n")
