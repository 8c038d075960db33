"""Many files of ours at once: the disk is waited for once, not once a file; and whole trees, taken away."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
from collections.abc import Mapping
from itertools import groupby
from pathlib import PurePosixPath

from aces_ci.shell.files import PRIVATE, Folder, write_all

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new(folder: Folder, files: Mapping[str, bytes]) -> None:
    """Write files (names may hold slashes) where none is yet, for this user only; all on disk when this returns.

    One after the other as they come: whoever is killed on the way leaves the first ones, the last perhaps in part. What
    says that they count has to be written afterwards, and `discard` clears the place for another start.

    Raises:
        DeliveryError: the disk or the folder refused, or there is something of that name already.
        UsageError: a part of the path is a link or a file.
    """
    for _, group in groupby(files, key=lambda name: PurePosixPath(name).parent):
        names = list(group)
        with folder.opened(names[0]) as (place, _leaf):
            for name in names:
                try:
                    _create(place, PurePosixPath(name).name, folder.redact(files[name]))
                except OSError as error:
                    raise folder.refused(name, error) from None
    if files:
        name = next(iter(files))
        with folder.opened(name) as (place, _leaf):
            try:
                _on_disk(place)
            except OSError as error:
                raise folder.refused(name, error) from None


def discard(folder: Folder, name: str) -> None:
    """Take away whatever is called that, with all that is below it; nothing there is as good. Links are not followed.

    Raises:
        DeliveryError, UsageError: as `write_new`.
    """
    with folder.opened(name) as (place, leaf):
        try:
            if stat.S_ISDIR(os.lstat(leaf, dir_fd=place).st_mode):
                shutil.rmtree(leaf, dir_fd=place)
            else:
                os.unlink(leaf, dir_fd=place)
        except FileNotFoundError:
            return
        except OSError as error:
            raise folder.refused(name, error) from None


def _create(place: int, leaf: str, content: bytes) -> None:
    handle = os.open(leaf, _NEW, PRIVATE, dir_fd=place)
    try:
        os.fchmod(handle, PRIVATE)
        write_all(handle, content)
    finally:
        os.close(handle)


def _on_disk(place: int) -> None:
    """Wait for everything that was written on the file system of this folder; for all of them where C knows no less."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:
        os.sync()
    elif call(place) != 0:
        raise OSError(ctypes.get_errno(), "syncfs")
