"""The program that runs inside the RAGAS environment: one JSON request on stdin, one JSON reply on stdout.

The only file that names ragas. It is run by its path with another interpreter, so it imports nothing of aces-ci.

Request: {"conversations": [{"messages": [{"role": "user|agent|tool", "text": str, "calls": [{"name": str,
"arguments": {}}]}], "reference": str}], "model": str, "base_url": str, "token": str, "timeout": seconds}.
Reply: {"version": str, "verdicts": [{"value": 0 or 1} or {"error": str}]} or {"error": str}.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import warnings
from typing import Any

os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # any other value, `1` among them, leaves its telemetry on
warnings.simplefilter("ignore")
AT_ONCE = 4
"""Conversations under way at once; as many requests as a gateway's slot has places."""


def messages(rows: list[dict[str, Any]]) -> list[Any]:
    """RAGAS messages; a tool's output follows the agent message that called it."""
    from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

    made: list[Any] = []
    for row in rows:
        if row["role"] == "user":
            made.append(HumanMessage(content=row["text"]))
        elif row["role"] == "tool":
            made.append(ToolMessage(content=row["text"]))
        else:
            calls = [ToolCall(name=call["name"], args=call["arguments"]) for call in row.get("calls", [])]
            made.append(AIMessage(content=row["text"], tool_calls=calls or None))
    return made


async def judge(request: dict[str, Any]) -> dict[str, Any]:
    """Two calls of the model for each conversation, at most as many again where a reply has not the wanted form.

    One conversation that fails fails them all, so the first error ends the work.
    """
    import openai
    import ragas
    from ragas.llms import llm_factory
    from ragas.metrics.collections import AgentGoalAccuracyWithReference

    client = openai.AsyncOpenAI(
        base_url=request["base_url"], api_key=request["token"], max_retries=1, timeout=request["timeout"]
    )
    llm = llm_factory(request["model"], provider="openai", client=client)
    # Several models refuse these two; RAGAS sends them to every name that it does not know.
    for name in ("temperature", "top_p"):
        llm.model_args.pop(name, None)
    metric = AgentGoalAccuracyWithReference(llm=llm)
    places = asyncio.Semaphore(AT_ONCE)
    failed = asyncio.Event()

    async def one(conversation: dict[str, Any]) -> dict[str, Any]:
        async with places:
            if failed.is_set():
                return {"error": "another conversation had failed before"}
            try:
                told = messages(conversation["messages"])
                result = await metric.ascore(user_input=told, reference=conversation["reference"])
                return {"value": int(result.value)}
            except Exception as error:  # noqa: BLE001 - whatever fails in there, the caller falls back and says why
                failed.set()
                return {"error": f"{type(error).__name__}: {error}"[:500]}

    found = await asyncio.gather(*(one(each) for each in request["conversations"]))
    return {"version": ragas.__version__, "verdicts": found}


def main() -> None:
    """One request; every failure is a reply."""
    try:
        reply = asyncio.run(judge(json.load(sys.stdin)))
    except Exception as error:  # noqa: BLE001 - whatever fails in there, the caller falls back and says why
        reply = {"error": f"{type(error).__name__}: {error}"[:500]}
    sys.stdout.write(json.dumps(reply))


if __name__ == "__main__":
    main()
