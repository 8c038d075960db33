"""Our own files: written whole or not at all, with fixed modes, never through a link.

The checkout belongs to whoever opened the change request, so `aces-results` may already be there as a link to
somewhere else. Every component below the folder that the caller trusts is opened without following links.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from aces_ci.core.errors import DeliveryError, UsageError

READABLE = 0o644
"""Reports: the next step of the job runs as another user and must be able to upload them."""
PRIVATE = 0o600
"""What only this user needs again, e.g. state to resume from."""
LOCK = ".aces-lock"
"""Empty, and never written to: what it is on the disk names the folder."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC


def _same(data: bytes) -> bytes:
    return data


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that we write into. `redact` sees all bytes on their way in.

    `trusted` exists and its own path may hold links; every part of `below` may not. All parts are made as
    needed.
    """

    trusted: Path
    below: PurePosixPath
    redact: Callable[[bytes], bytes] = _same

    @classmethod
    def at(cls, output: str | Path, *, cwd: Path, redact: Callable[[bytes], bytes] = _same) -> Folder:
        """`output` as the user named it: all of it is walked without links when it lies below `cwd`."""
        # Lexically: `..` is taken as it is written, before any link could give it another meaning.
        path = Path(os.path.normpath(cwd / output))
        if path.is_relative_to(cwd) and path != cwd:
            return cls(cwd, PurePosixPath(path.relative_to(cwd).as_posix()), redact)
        return cls(path.parent, PurePosixPath(path.name), redact)

    @property
    def path(self) -> Path:
        """Where it is, for messages and for readers."""
        return self.trusted / self.below

    def claim(self) -> None:
        """Make the folder where there is none yet, with a `.gitignore` that hides from git what it will hold.

        A folder that was there before may hold work of the user's own: it is left as it is.

        Raises:
            DeliveryError, UsageError: as `write`.
        """
        if not os.path.lexists(self.path):
            self.write(".gitignore", "*\n")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Claim the folder and keep it to this process; the system lets it go when the process is killed.

        Two starts in one folder would run, and pay, the same trials twice, and begin each other's evidence anew.

        Raises:
            UsageError: another process has it.
            DeliveryError, UsageError: as `write`.
        """
        self.claim()
        with self.opened(LOCK) as (folder, leaf):
            try:
                handle = os.open(leaf, os.O_RDWR | os.O_CREAT | _FILE, PRIVATE, dir_fd=folder)
            except OSError as error:
                raise self.refused(LOCK, error) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            if error.errno != errno.EWOULDBLOCK:
                raise self.refused(LOCK, error) from None
            raise UsageError(
                f"another aces-ci runs in {self.path}",
                code="output_busy",
                path=str(self.path),
                why="two starts in one folder would pay for the same runs twice",
                do="wait for it, or choose another folder with --output",
            ) from None
        try:
            yield
        finally:
            os.close(handle)

    @property
    def key(self) -> str:
        """Twelve hex digits, the same for every start in a folder that is `held`, and others for a copy of it."""
        seen = (self.path / LOCK).lstat()
        return hashlib.sha256(f"{seen.st_ino} {seen.st_mtime_ns}".encode()).hexdigest()[:12]

    def write(self, name: str, data: bytes | str, *, mode: int = READABLE) -> Path:
        """Replace `name` (may hold slashes) by `data` in one step; a crash leaves the old or the new file.

        Raises:
            DeliveryError: the disk or the folder refused.
            UsageError: a part of the path is a link or a file.
        """
        content = self.redact(data.encode() if isinstance(data, str) else data)
        with self.opened(name) as (folder, leaf):
            # A short leaf of its own: the name itself may be as long as the file system allows.
            temporary = f".aces-{secrets.token_hex(8)}"
            try:
                self._create(folder, temporary, content, mode)
                os.rename(temporary, leaf, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
            except OSError as error:
                with _quiet():
                    os.unlink(temporary, dir_fd=folder)
                raise self.refused(name, error) from None
        return self.path / name

    def append(self, name: str, data: bytes | str, *, mode: int = READABLE, durable: bool = True) -> None:
        """Add whole lines. A torn last line of a killed writer is cut off first.

        On disk when this returns, where it is `durable`; else the system has them, and only its own fall loses them.

        Raises:
            DeliveryError, UsageError: as `write`.
        """
        content = self.redact(data.encode() if isinstance(data, str) else data)
        with self.opened(name) as (folder, leaf):
            try:
                handle = os.open(leaf, os.O_RDWR | os.O_CREAT | _FILE, mode, dir_fd=folder)
            except OSError as error:
                raise self.refused(name, error) from None
            try:
                os.fchmod(handle, mode)
                # Two writers that found the same end would write over each other.
                fcntl.flock(handle, fcntl.LOCK_EX)
                os.lseek(handle, _whole_lines(handle), os.SEEK_SET)
                os.ftruncate(handle, os.lseek(handle, 0, os.SEEK_CUR))
                write_all(handle, content)
                if durable:
                    os.fsync(handle)
            except OSError as error:
                raise self.refused(name, error) from None
            finally:
                os.close(handle)

    def read(self, name: str, *, limit: int) -> bytes | None:
        """The bytes of a regular file, or None where there is none.

        Raises:
            UsageError: it is a link, no regular file, or longer than `limit`.
        """
        try:
            with self.opened(name) as (folder, leaf):
                return read_bounded(leaf, limit=limit, folder=folder, shown=str(self.path / name))
        except FileNotFoundError:
            return None

    @contextmanager
    def opened(self, name: str) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder that `name` lies in, made as needed, and the last part of the name.

        Raises:
            DeliveryError, UsageError: as `write`.
        """
        relative = PurePosixPath(name)
        if relative.is_absolute() or ".." in (*relative.parts, *self.below.parts) or not relative.name:
            raise ValueError(f"not a name below a folder: {name!r}")
        handle = os.open(self.trusted, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in (*self.below.parts, *relative.parent.parts):
                try:
                    with _quiet(errno.EEXIST):
                        os.mkdir(part, 0o755, dir_fd=handle)
                    inner = os.open(part, _FOLDER, dir_fd=handle)
                except OSError as error:
                    raise self.refused(name, error) from None
                os.close(handle)
                handle = inner
            yield handle, relative.name
        finally:
            os.close(handle)

    @staticmethod
    def _create(folder: int, name: str, content: bytes, mode: int) -> None:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, mode, dir_fd=folder)
        try:
            os.fchmod(handle, mode)
            write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)

    def refused(self, name: str, error: OSError) -> UsageError | DeliveryError:
        """What to raise where the system did not let us write."""
        at = str(self.path / name)
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return UsageError(
                f"cannot write {name}: a part of its path is a link or a file",
                code="output_link",
                at=at,
                path=at,
                why="a link in the checkout could send our files anywhere",
                do="remove it, or choose another folder with --output",
            )
        return DeliveryError(
            f"cannot write {name}: {os.strerror(error.errno or 0)}",
            code="output_failed",
            at=at,
            path=at,
            do="make room there, or choose another folder with --output",
        )


def read_bounded(path: str | Path, *, limit: int, folder: int | None = None, shown: str | None = None) -> bytes:
    """The bytes of a regular file of at most `limit` bytes, counted as they are read.

    Raises:
        FileNotFoundError: there is none.
        UsageError: a link, not a regular file, too long, or unreadable.
    """
    at = shown or str(path)

    def refused(why: str) -> UsageError:
        return UsageError(
            f"cannot read {at}: {why}",
            code="input_file",
            path=at,
            why=f"only plain files of at most {limit} bytes are read",
            do="put a plain file there, or a shorter one",
        )

    try:
        # Without O_NONBLOCK a fifo would wait for its writer for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | _FILE, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise refused("it is a link" if error.errno == errno.ELOOP else os.strerror(error.errno or 0)) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise refused("it is not a regular file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise refused(f"it is longer than {limit} bytes")
    return data


def _whole_lines(handle: int) -> int:
    """The length of the file up to its last newline."""
    end = os.lseek(handle, 0, os.SEEK_END)
    while end:
        start = max(0, end - 65536)
        os.lseek(handle, start, os.SEEK_SET)
        newline = os.read(handle, end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def write_all(handle: int, data: bytes) -> None:
    """All of `data` to a descriptor. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


@contextmanager
def _quiet(*codes: int) -> Iterator[None]:
    """Let an OSError pass (any, or only with one of `codes`)."""
    try:
        yield
    except OSError as error:
        if codes and error.errno not in codes:
            raise
