"""Rewrites what is generated below docs/: schemas, the page of all rules, the examples of evaluation formats.

Run: `make docs`. A test compares what stands there with what this would write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from aces_ci import compose  # noqa: E402 - the checkout's own package, not an installed one
from aces_ci.core.suites import case_schema, policy_schema  # noqa: E402
from aces_ci.core.suites.check_args import FORMS  # noqa: E402
from aces_ci.core.suites.run_policy import NOT_APPLICABLE  # noqa: E402
from aces_ci.renderers import json_report  # noqa: E402
from aces_ci.settings.model import Settings  # noqa: E402

FENCES = {"json": "json", "jsonl": "json", "yaml": "yaml", "md": "markdown", "csv": "csv", "toml": "toml", "sh": "sh"}


def generated() -> Mapping[str, str]:
    """Text by path below docs/."""
    page = (ROOT / "docs/evals.md").read_text("utf-8")
    for name, rows in (
        ("checks", checks()),
        ("results", results()),
        ("formats", formats()),
        ("policy", policy()),
    ):
        page = between(page, name, "\n".join(rows))
    return {
        "schemas/report.json": dumped(json_report.schema()),
        "schemas/aces.yml.json": dumped(settings_schema()),
        "schemas/evals.json": dumped(case_schema.schema()),
        "schemas/evals-config.json": dumped(policy_schema.schema()),
        "evals.md": page,
    }


def settings_schema() -> dict[str, Any]:
    """Of aces.yml."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Settings.model_json_schema(mode="validation"),
        "title": "aces.yml",
    }


def checks() -> Iterator[str]:
    """The table of the small form."""
    yield "| check | arguments | counts towards |"
    yield "|:--|:--|:--|"
    for kind, form in FORMS.items():
        needed = " and ".join("/".join(f"`{name}`" for name in names) for names in form.needs)
        optional = ", ".join(f"`{name}`" for name in form.takes if not any(name in names for names in form.needs))
        told = "; ".join(part for part in (needed, optional) if part) or "none"
        yield f"| `{kind.value}` | {told} | {form.role.value} |"


def formats() -> Iterator[str]:
    """One example a dialect, from the samples that the tests read."""
    yield from checked("format", ((dialect.name, dialect.checked) for dialect in compose.dialects()))
    yield ""
    for dialect in compose.dialects():
        verified = " (unverified)" if dialect.checked.startswith("*unverified*") else ""
        said = (type(dialect).__doc__ or "").splitlines()[0]
        yield f"### {dialect.name}{verified}\n\n{said}\n"
        folder = ROOT / "fixtures/evals" / dialect.name
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and "files" not in path.parts[:-1]):
            shown = path.relative_to(folder).as_posix()
            fence = FENCES.get(path.suffix.lstrip("."), "")
            if path.name != "station.csv":
                yield f"`{shown}`\n\n```{fence}\n{path.read_text('utf-8').rstrip()}\n```\n"


def results() -> Iterator[str]:
    """The same of result files."""
    yield from checked("results of", ((importer.name, importer.checked) for importer in compose.importers()))


def checked(head: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What each reader was compared with."""
    yield f"| {head} | compared with |"
    yield "|:--|:--|"
    for name, source in rows:
        yield f"| {name} | {source} |"


def policy() -> Iterator[str]:
    """Keys of the reference that mean nothing here."""
    yield "| key | why it does not apply |"
    yield "|:--|:--|"
    for key, why in NOT_APPLICABLE.items():
        yield f"| `{key}` | {why} |"


def between(page: str, name: str, text: str) -> str:
    """The page with new text between its two marks. Raises ValueError where a mark is missing."""
    begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    head, _, rest = page.partition(begin)
    _, mark, tail = rest.partition(end)
    if not mark:
        raise ValueError(f"docs/evals.md lacks {begin} or {end}")
    return f"{head}{begin}\n\n{text.rstrip()}\n\n{end}{tail}"


def dumped(data: object) -> str:
    """Stable JSON."""
    return json.dumps(data, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Write all."""
    for name, text in generated().items():
        path = ROOT / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
