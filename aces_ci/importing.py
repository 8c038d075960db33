"""Results of other tools among what `aces-ci report` is given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Imported
from aces_ci.shell.evidence_file import NAME as EVIDENCE
from aces_ci.shell.files import read_bounded

LIMIT = 64_000_000
MOST = 5_000
"""Files of one folder that are looked at."""


def split(places: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """(our evidence, other tools' files and folders)."""
    ours: list[Path] = []
    theirs: list[Path] = []
    for place in places:
        is_ours = place.suffix != ".json" if not place.is_dir() else _holds_evidence(place)
        (ours if is_ours else theirs).append(place)
    return ours, theirs


def imported(places: Sequence[Path]) -> list[Imported]:
    """Every figure of every file that some importer claims; each once.

    Raises:
        UsageError: a named file is of no format that is known, a folder holds none, or a file is no JSON.
    """
    found: dict[str, Imported] = {}
    for place in places:
        figures = list(_figures(place))
        if not figures:
            known = ", ".join(importer.name for importer in compose.importers())
            raise UsageError(
                f"nothing to import at {place}",
                code="nothing_to_import",
                path=str(place),
                why=f"results of {known} are read",
                do="give the file or folder that the tool wrote",
            )
        found.update({figure.id: figure for figure in figures})
    return list(found.values())


def _figures(place: Path) -> Iterator[Imported]:
    files = sorted(place.rglob("*.json"))[:MOST] if place.is_dir() else [place]
    for path in files:
        shown = path.relative_to(place).as_posix() if place.is_dir() else path.as_posix()
        if path.is_symlink() and place.is_dir():
            continue
        try:
            data = json.loads(read_bounded(path, limit=LIMIT).decode("utf-8-sig"))
        except FileNotFoundError:
            raise UsageError(f"there is no {path}", code="no_file", path=str(path), do="correct the path") from None
        except (ValueError, RecursionError) as error:
            if place.is_dir():
                continue
            raise UsageError(
                f"{path} is not JSON: {error}", code="not_json", path=str(path), do="give a whole file"
            ) from None
        for importer in compose.importers():
            if importer.claims(data):
                yield from importer.read(data, shown)
                break


def _holds_evidence(place: Path) -> bool:
    return (place / EVIDENCE).exists() or any(place.glob(f"*/{EVIDENCE}"))
