"""Skill-Use compliance: the weighted share of the prescribed steps that were followed."""

from __future__ import annotations

from aces_ci.core.grading.skill_use_share import RoleShare
from aces_ci.core.suites.case import Role

METRIC = RoleShare("skill_use_compliance", Role.MUST)
