"""One file out of a zip that somebody else packed: sizes are counted as bytes come, names are matched, not
used."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib

from aces_ci.core.errors import UsageError

ENTRIES = 20
"""An honest artifact has one file, or the dozen of an output folder."""
RATIO = 200
"""Packed JSON of ours is about 12 to 1."""
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What the artifact service writes. Others take as much memory as their header asks for."""
_ENTRY = b"PK\x01\x02"
"""How each entry of a zip's directory begins (APPNOTE.TXT 4.3.12)."""


def one_file(data: bytes, name: str, *, limit: int) -> bytes:
    """The content of the entry `name`, at the top or below one folder, of at most `limit` bytes.

    Raises:
        UsageError: no zip, too many entries, a link, a doubled or a missing name, another
            packing, encryption, a bomb.
    """
    # Before the directory is read: an object for each entry made 240 MB of a few. The count in the end record is the
    # packer's word, while no reader finds more entries than there are such signatures.
    count = data.count(_ENTRY)
    if count > ENTRIES:
        raise _refused("zip_entries", f"it has {count} entries, more than {ENTRIES}")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, UnicodeDecodeError):
        raise _refused("zip_broken", "it is no zip archive") from None
    with archive:
        entries = archive.infolist()
        for entry in entries:
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise _refused("zip_link", "it holds a link")
            if _leaves(entry.filename):
                raise _refused("zip_path", "an entry's name leads out of the archive")
        found = [entry for entry in entries if entry.filename.rpartition("/")[2] == name]
        if len(found) != 1:
            raise _refused("zip_names", f"it holds {len(found)} files called {name}, not one")
        if found[0].compress_type not in METHODS:
            raise _refused("zip_method", "its file is packed by another method than deflate")
        return _content(archive, found[0], len(data), limit)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, packed: int, limit: int) -> bytes:
    if entry.flag_bits & 1:
        raise _refused("zip_encrypted", "its file is encrypted")
    kept = bytearray()
    try:
        with archive.open(entry) as file:
            # The header's size is the packer's word; only what comes out is counted.
            while chunk := file.read(65536):
                kept += chunk
                if len(kept) > limit:
                    raise _refused("zip_size", f"its file is longer than {limit} bytes")
                if len(kept) > RATIO * packed:
                    raise _refused("zip_bomb", f"its file is more than {RATIO} times as long as the archive")
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError):
        raise _refused("zip_broken", "its file cannot be unpacked") from None
    return bytes(kept)


def _leaves(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in name or "\0" in name


def _refused(code: str, why: str) -> UsageError:
    return UsageError(
        "the artifact was refused",
        code=code,
        why=why,
        do="let the main job upload aces-results/report.json as it was written",
    )
