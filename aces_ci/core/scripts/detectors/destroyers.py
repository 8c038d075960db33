"""Databases, clusters and cloud resources that a command destroys on somebody's servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command

_SQL = (
    (
        re2.compile(r"(?i)\bdrop\s+(database|schema)\s+(if\s+exists\s+)?[`\"'\\]*\w*(test|tmp|temp|scratch)\w*\b"),
        Severity.WARNING, "drop-database", "drops a database that is named after tests",
    ),
    (re2.compile(r"(?i)\bdrop\s+(database|schema)\b"), Severity.CRITICAL, "drop-database", "drops a whole database"),
    (re2.compile(r"(?i)\bdrop\s+table\b"), Severity.WARNING, "drop-table", "drops a table"),
    (
        re2.compile(r"(?i)\btruncate\s+(table\s+)?[\w.\"`]+\s*(;|$|cascade)"),
        Severity.WARNING, "truncate", "empties a table",
    ),
    (
        re2.compile(r"(?i)\bdelete\s+from\s+[\w.\"`]+\s*(;|$|\"|')"),
        Severity.WARNING, "delete-all", "deletes every row of a table",
    ),
    (re2.compile(r"(?i)\bdropDatabase\(|\bflush(all|db)\b"), Severity.WARNING, "drop-database", "empties a database"),
)  # fmt: skip
SQL_CLIENTS = frozenset(
    {
        "psql",
        "mysql",
        "mariadb",
        "sqlite3",
        "sqlite",
        "duckdb",
        "sqlcmd",
        "mongo",
        "mongosh",
        "redis-cli",
        "clickhouse-client",
        "cqlsh",
        "snowsql",
        "bq",
        "wrangler",
        "prisma",
        "supabase",
        "turso",
        "usql",
    }
)


def cloud(scene: Scene, command: Command) -> Iterator[Suspicion]:
    words = [word.shape for word in command.arguments]
    joined = f"{command.name} {' '.join(words)}"
    for pattern, message in _CLOUD:
        if pattern.search(joined):
            yield Suspicion(kind=Kind.DESTRUCTIVE, shape="cloud-destroy", severity=Severity.WARNING, message=message)
            return


_CLOUD = tuple(
    (re2.compile(pattern), message)
    for pattern, message in (
        (
            r"^(terraform|tofu|terragrunt|pulumi) .*\b(destroy|run-all destroy)\b.*(-auto-approve|--yes\b|-y\b|"
            r"--terragrunt-non-interactive)",
            "destroys infrastructure without asking",
        ),
        (r"^(terraform|tofu) apply .*-destroy.*-auto-approve", "destroys infrastructure without asking"),
        (r"^aws s3 rb .*--force", "deletes a bucket with everything in it"),
        (r"^aws s3 rm .*--recursive", "deletes every object below a prefix"),
        (r"^gsutil .*rm .*-r|^gcloud storage rm .*(-r\b|--recursive)", "deletes every object below a prefix"),
        (
            r"^aws .*\b(delete-(db-instance|cluster|stack|table|bucket|user|volume)|terminate-instances)\b",
            "deletes cloud resources",
        ),
        (r"^gcloud .*\bdelete\b.*(--quiet|-q\b)", "deletes cloud resources without asking"),
        (r"^az .*\bdelete\b.*(--yes|-y\b)", "deletes cloud resources without asking"),
        (r"^kubectl delete .*(--all\b|namespaces?\b|\bns\b|-A\b)", "deletes a namespace, or everything in one"),
        (
            r"^(docker|podman) (system|volume|image) prune .*(-[a-z]*f|--force|--all|-[a-z]*a)",
            "deletes containers, images or volumes of every project",
        ),
        (r"^(docker|podman) (compose )?.*down .*(-v\b|--volumes)", "deletes the data volumes"),
        (r"^gh repo delete .*(--yes|--confirm)", "deletes a repository without asking"),
        (
            r"^(heroku|fly|flyctl) .*(apps:destroy|apps destroy|destroy) .*(--confirm|--yes|-y)",
            "destroys an application without asking",
        ),
        (
            r"^(vercel|netlify|railway|render|wrangler) ((project|projects|site|service|app|domains?) )?\b(remove|"
            r"rm|delete|destroy|sites:delete)\b.*(--yes|-y\b|--force)",
            "deletes a deployment without asking",
        ),
        (r"^npm unpublish .*--force", "takes a published package away from its users"),
        (r"^dropdb\b|^dropuser\b", "drops a whole database"),
    )
)


def sql(command: Command) -> Iterator[Suspicion]:
    texts: Sequence[str] = [*(w.shape for w in command.arguments), *(r.body for r in command.redirects if r.body)]
    for text in texts:
        for pattern, severity, shape, message in _SQL:
            if pattern.search(text):
                yield Suspicion(kind=Kind.DESTRUCTIVE, shape=shape, severity=severity, message=message)
                return
