"""Findings in the formats of others: SARIF, JUnit, Code Quality."""
