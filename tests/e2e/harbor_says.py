"""Runs in Harbor's environment: JSON lines of trajectories in, a JSON line of its validator's errors out for each."""

import json
import sys

from harbor.utils.trajectory_validator import TrajectoryValidator

for line in sys.stdin:
    validator = TrajectoryValidator()
    validator.validate(json.loads(line))
    sys.stdout.write(json.dumps(validator.errors) + "\n")
