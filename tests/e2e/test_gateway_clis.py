"""Real agent CLIs through the gateway to a scripted model: every body passes, hosted tools go, the arm check sees."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.spending.control import Expectation, Limits
from aces_ci.core.spending.exchange import Exchange, Outcome, TrialRecord
from aces_ci.core.trial import Arm
from tests.fakes.upstream import Reply, Seen
from tests.gateway.rig import KEY, MODEL, ORDER, TOKEN, rig

pytestmark = pytest.mark.e2e

MODULES = Path(__file__).parent / "node_modules"
CLAUDE = MODULES / "@anthropic-ai/claude-code-linux-x64/claude"
CODEX = MODULES / "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
RIPGREP = CODEX.parents[1] / "codex-path"
OPENCODE = MODULES / "opencode-linux-x64/bin/opencode"
PROMPT = "Say how many rows ledger.csv has. Answer with one line."
DESCRIPTION = "Counts the rows of a ledger in the house style of the quartz department."
SKILL = f"---\nname: quartz-rows\ndescription: {DESCRIPTION}\n---\nRun wc -l and subtract the header.\n"
EXPECT = {
    Arm.WITH_SKILL: Expectation(listed=(DESCRIPTION,)),
    Arm.BASELINE: Expectation(absent=(DESCRIPTION,), unlisted=("quartz-rows",)),
}
CODEX_CONFIG = """model = "{model}"
model_provider = "local"
check_for_update_on_startup = false
[features]
plugins = false
apps = false
[skills.bundled]
enabled = false
[analytics]
enabled = false
[model_providers.local]
name = "local"
base_url = "{url}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""


def _command(cli: str, url: str, home: Path) -> tuple[list[str], dict[str, str], bytes]:
    # OpenCode's skill tool wants ripgrep; Codex brings one.
    env = {"PATH": f"{RIPGREP}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8"}
    if cli == "claude-code":
        env |= {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": TOKEN,
            "ANTHROPIC_MODEL": MODEL,
            "ANTHROPIC_SMALL_FAST_MODEL": MODEL,
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }
        bundled = {"cc-plugin-plugin-authoring@builtin": False}
        settings = json.dumps({"disableBundledSkills": True, "enabledPlugins": bundled})
        flags = ["--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        words = [str(CLAUDE), "-p", *flags, "--max-turns", "8", "--settings", settings, "--", PROMPT]
        return words, env, b""
    if cli == "codex":
        folder = home / ".codex"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(CODEX_CONFIG.format(model=MODEL, url=url), encoding="utf-8")
        env |= {"CODEX_HOME": str(folder), "LOCAL_KEY": TOKEN}
        flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return [str(CODEX), "exec", *flags, PROMPT], env, b""
    models = {MODEL: {"tool_call": True, "limit": {"context": 200_000, "output": 8_000}}}
    options = {"baseURL": f"{url}/v1", "apiKey": "{env:LOCAL_KEY}"}
    config = {
        "autoupdate": False,
        "share": "disabled",
        "model": f"local/{MODEL}",
        "small_model": f"local/{MODEL}",
        "permission": {"*": "allow", "skill": {"customize-opencode": "deny"}},
        "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "options": options, "models": models}},
    }
    env |= {
        "LOCAL_KEY": TOKEN,
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    return [str(OPENCODE), "run", "--format", "json", "--auto", "--title", "t"], env, PROMPT.encode()


FOLDER = {"claude-code": ".claude", "codex": ".agents", "opencode": ".opencode"}
SHELL = {
    "claude-code": ("Bash", {"command": "wc -l ledger.csv", "description": "count"}),
    "codex": ("exec_command", {"cmd": "wc -l ledger.csv"}),
    "opencode": ("bash", {"command": "wc -l ledger.csv", "description": "count"}),
}
SKILL_TOOL = {
    "claude-code": ("Skill", {"skill": "quartz-rows"}),
    "codex": ("exec_command", {"cmd": "cat .agents/skills/quartz-rows/SKILL.md"}),
    "opencode": ("skill", {"name": "quartz-rows"}),
}


def _results(body: dict[str, Any]) -> int:
    """How many tool results the request carries."""
    turns = body.get("messages") or body.get("input") or []
    blocks = [block for turn in turns for block in (turn.get("content") or []) if isinstance(block, dict)]
    kinds = [item.get("type") for item in [*turns, *blocks] if isinstance(item, dict)]
    tools = sum(kind in ("tool_result", "function_call_output") for kind in kinds)
    return tools + sum(turn.get("role") == "tool" for turn in turns if isinstance(turn, dict))


async def _trial(
    cli: str, arm: Arm, folder: Path, expectation: Expectation
) -> tuple[TrialRecord, list[Exchange], list[Seen], str]:
    home, workspace = folder / "home", folder / "ws"
    home.mkdir(parents=True)
    workspace.mkdir()
    # A repository of its own: OpenCode reads configurations of every folder above, up to one.
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / "ledger.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    if arm is Arm.WITH_SKILL:
        place = workspace / FOLDER[cli] / "skills/quartz-rows"
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(SKILL, encoding="utf-8")

    def script(seen: Seen) -> Reply:
        body = seen.body
        listed = DESCRIPTION in seen.raw.decode()
        steps = [SKILL_TOOL[cli], SHELL[cli]] if listed else [SHELL[cli]]
        done = _results(body)
        if not body.get("tools") or done >= len(steps):
            return Reply(text="1 row", usage=(1000, 50, 300, 20))
        return Reply(text="", thinking="next", calls=(steps[done],), usage=(900, 30, 0, 40))

    order = replace(ORDER, arm=arm, expectation=expectation, limits=Limits(), cache_key="run/harness/model/arm")
    async with rig(script, order=order, caps={"run": 50_000_000}) as it:
        words, env, stdin = _command(cli, it.url, home)
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=workspace,
            env=env,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(120):
                out, err = await process.communicate(stdin)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        record = await it.gateway.disarm("s0")
        log = f"exit {process.returncode}\n{out.decode()[-3000:]}\n{err.decode()[-2000:]}"
        return record, it.exchanges, it.upstream.seen, log


@pytest.mark.parametrize("cli", ["claude-code", "codex", "opencode"])
def test_a_real_cli_works_through_the_gateway_in_both_arms(cli: str, tmp_path: Path) -> None:
    records = {}
    for arm in (Arm.WITH_SKILL, Arm.BASELINE):
        record, exchanges, seen, log = asyncio.run(_trial(cli, arm, tmp_path / arm, EXPECT[arm]))
        records[arm] = record
        refused = [exchange.refusal for exchange in exchanges if exchange.refusal]
        assert not refused, f"{refused}\n{log}"
        model_calls = [exchange for exchange in exchanges if exchange.protocol]
        assert model_calls and all(item.outcome is Outcome.COMPLETE for item in model_calls), log
        assert record.arm.fair is True, (record.arm, log)
        assert "1 row" in log
        steps = 3 if arm is Arm.WITH_SKILL else 2
        assert sum(bool(item.tools) for item in model_calls) == steps, log
        assert record.charged_micros == sum(item.charged_micros or 0 for item in exchanges)
        assert record.unsettled == 0
        for request in seen:
            sent = request.raw.decode()
            assert TOKEN not in sent and KEY not in sent
            assert "web_search" not in [tool.get("type") for tool in request.body.get("tools", [])]
    with_skill, baseline = records[Arm.WITH_SKILL], records[Arm.BASELINE]
    assert with_skill.tool_digests[0] == baseline.tool_digests[0]
    assert with_skill.drops == baseline.drops
    assert with_skill.arm.listing_seen and not baseline.arm.target_seen


def test_a_baseline_that_still_holds_the_skill_is_not_fair(tmp_path: Path) -> None:
    """The arm check bites: the skill is staged, and the baseline's promise is checked against it."""

    staged = _trial("codex", Arm.WITH_SKILL, tmp_path, EXPECT[Arm.BASELINE])
    record, *_ = asyncio.run(staged)
    assert record.arm.fair is False
    assert "request 1 shows the target skill" in record.arm.because
