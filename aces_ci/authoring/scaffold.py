"""What `aces-ci init` writes: settings with their defaults named, and the job that runs on every change."""

from __future__ import annotations

GITHUB = ".github/workflows/skills.yml"
GITLAB = ".gitlab-ci.yml"
SETTINGS = "aces.yml"
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1  # v7.0.1"

_SETTINGS = """\
# Read from the default branch; a change to it takes effect after it is merged. Every option: aces-ci settings
# Schema: https://github.com/aces-ci/aces-ci/blob/v{version}/docs/schemas/aces.yml.json
version: 1
structural:
  profile: spec          # spec: what the specification asks for; strict adds house rules
live:
  when: auto             # auto: changed skills with evals/; label: only where asked; off
budget:
  usd: 10                # of one run; nothing is spent without a key
"""
_GITHUB = """\
# .github/workflows/skills.yml: text checks on every change, no key, one comment.
name: skills

on:
  pull_request:
  merge_group:

permissions:
  contents: read
  pull-requests: write

concurrency:
  group: skills-${{{{ github.event.pull_request.number || github.ref }}}}
  cancel-in-progress: true

jobs:
  skills:
    runs-on: ubuntu-latest
    steps:
      - uses: {checkout}
        with: {{fetch-depth: 0, persist-credentials: false}}
      - uses: aces-ci/aces-ci@v{version}
"""
_GITLAB = """\
# .gitlab-ci.yml: text checks on every merge request, results in its widgets, no key.
# For the note add a project access token (api) as masked variable ACES_GITLAB_TOKEN.
include:
  - component: $CI_SERVER_FQDN/aces-ci/aces-ci/aces-ci@{version}
"""


def files(*, forge: str, version: str) -> dict[str, str]:
    """Text by repository path.

    Args:
        forge: `github` or `gitlab`.
        version: of this program; the job is pinned to it.
    """
    job = (
        (GITHUB, _GITHUB.format(version=version, checkout=CHECKOUT))
        if forge == "github"
        else (GITLAB, _GITLAB.format(version=version))
    )
    return {SETTINGS: _SETTINGS.format(version=version), job[0]: job[1]}


def forge_of(remote: str, present: frozenset[str]) -> str:
    """The forge of a repository: by what it has already, then by where it came from; GitHub where nothing tells."""
    if GITLAB in present:
        return "gitlab"
    if any(path.startswith(".github/") for path in present):
        return "github"
    return "gitlab" if "gitlab" in remote.casefold() else "github"
