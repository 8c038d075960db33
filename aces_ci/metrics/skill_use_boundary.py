"""Skill-Use boundary: the weighted share of the prohibitions that were respected."""

from __future__ import annotations

from aces_ci.core.grading.skill_use_share import RoleShare
from aces_ci.core.suites.case import Role

METRIC = RoleShare("skill_use_boundary", Role.MUST_NOT)
