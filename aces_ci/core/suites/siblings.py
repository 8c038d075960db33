"""The files of a skill by path; what dialects ask of them is answered without looking through all of them."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence


class Siblings(Mapping[str, bytes]):
    """Skill-relative paths to bytes. Text is decoded once, and files of one content share it."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._names = sorted(files)
        self._texts: dict[bytes, str] = {}
        self._inside: dict[str, list[str]] = {}
        for name in self._names:
            self._inside.setdefault(name.rpartition("/")[0], []).append(name)

    def __getitem__(self, path: str) -> bytes:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def inside(self, folder: str) -> Sequence[str]:
        """Files right in a folder ("": the skill's own), sorted."""
        return self._inside.get(folder, ())

    def below(self, folder: str) -> Sequence[str]:
        """Files at any depth below a folder, sorted; "" or "." is the skill itself."""
        if folder in ("", "."):
            return self._names
        # "0" is the character behind "/": what lies between the two begins with the folder's name and a slash.
        return self._names[bisect_left(self._names, f"{folder}/") : bisect_left(self._names, f"{folder}0")]

    def text(self, path: str) -> str | None:
        """A file as text; None where it is missing, no UTF-8, or holds a NUL."""
        raw = self._files.get(path)
        if raw is None or b"\0" in raw:
            return None
        digest = hashlib.sha256(raw).digest()
        if digest not in self._texts:
            try:
                self._texts[digest] = raw.decode("utf-8-sig")
            except UnicodeDecodeError:
                return None
        return self._texts[digest]
