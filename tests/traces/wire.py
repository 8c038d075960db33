"""Gateway exchanges of a scripted conversation, in each of the three protocols, as the real clients send them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol
from aces_ci.core.trial import Usage

TOOLS = ("Bash", "Read")


class Conversation:
    """Grows turn by turn. `history` is what the next request will claim; tests may tamper with it."""

    def __init__(self, protocol: Protocol, prompt: str, system: str = "You are an agent.") -> None:
        self.protocol = protocol
        self.exchanges: list[Exchange] = []
        self.history: list[dict[str, Any]] = []
        self.system = system
        self.user(prompt)

    def user(self, text: str) -> None:
        self.history.append({"kind": "user", "text": text})

    def result(self, identity: str, text: str, error: bool | None = None) -> None:
        self.history.append({"kind": "result", "id": identity, "text": text, "error": error})

    def claim(self, text: str, calls: Sequence[tuple[str, str, Mapping[str, Any]]] = ()) -> None:
        """A model's turn in the history: delivered or not."""
        self.history.append({"kind": "model", "text": text, "calls": list(calls)})

    def model(
        self,
        text: str,
        calls: Sequence[tuple[str, str, Mapping[str, Any]]] = (),
        *,
        outcome: Outcome = Outcome.COMPLETE,
        remember: bool = True,
        tools: Sequence[str] = TOOLS,
        thought: str = "",
    ) -> Exchange:
        """One request with the present history, and the turn that was delivered."""
        number = len(self.exchanges) + 1
        exchange = Exchange(
            slot="0",
            trial="f" * 64,
            number=number,
            protocol=self.protocol,
            outcome=outcome,
            status=200,
            at=f"2026-11-29T21:00:{number:02d}.000Z",
            seconds=0.5,
            request=self.request(),
            response=self.response(text, calls, thought),
            usage=Usage(input_tokens=100 * number, output_tokens=10, cache_read_tokens=50, requests=1),
            charged_micros=1000 * number,
            resolved_model="model-2026",
            tools=tuple(tools),
            tools_digest="d" * 64 if tools else None,
        )
        self.exchanges.append(exchange)
        if remember:
            self.claim(text, calls)
        return exchange

    def request(self) -> dict[str, Any]:
        """The body of the next request."""
        return {"messages": self._messages, "responses": self._responses, "chat": self._chat}[self.protocol.value]()

    def _messages(self) -> dict[str, Any]:
        messages: list[dict[str, Any]] = []
        for entry in self.history:
            if entry["kind"] == "model":
                blocks = [{"type": "text", "text": entry["text"]}] if entry["text"] else []
                blocks += [{"type": "tool_use", "id": i, "name": n, "input": dict(a)} for i, n, a in entry["calls"]]
                messages.append({"role": "assistant", "content": blocks})
                continue
            block: dict[str, Any] = {"type": "text", "text": entry["text"]}
            if entry["kind"] == "result":
                block = {"type": "tool_result", "tool_use_id": entry["id"], "content": entry["text"]}
                if entry["error"] is not None:
                    block["is_error"] = entry["error"]
            if messages and messages[-1]["role"] == "user":
                messages[-1]["content"].append(block)
            else:
                messages.append({"role": "user", "content": [block]})
        return {"model": "m", "system": [{"type": "text", "text": self.system}], "messages": messages}

    def _responses(self) -> dict[str, Any]:
        items: list[dict[str, Any]] = []
        for entry in self.history:
            if entry["kind"] == "user":
                content = [{"type": "input_text", "text": entry["text"]}]
                items.append({"type": "message", "role": "user", "content": content})
            elif entry["kind"] == "result":
                items.append({"type": "function_call_output", "call_id": entry["id"], "output": entry["text"]})
            else:
                items += self._output(entry["text"], entry["calls"], "")
        return {"model": "m", "instructions": self.system, "input": items}

    def _output(self, text: str, calls: Sequence[Any], thought: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if thought:
            items.append({"type": "reasoning", "summary": [{"type": "summary_text", "text": thought}]})
        if text:
            content = [{"type": "output_text", "text": text}]
            items.append({"type": "message", "role": "assistant", "content": content})
        for identity, name, arguments in calls:
            call = {"type": "function_call", "call_id": identity, "name": name, "arguments": json.dumps(arguments)}
            items.append(call)
        return items

    def _chat(self) -> dict[str, Any]:
        messages: list[dict[str, Any]] = [{"role": "system", "content": self.system}]
        for entry in self.history:
            if entry["kind"] == "user":
                messages.append({"role": "user", "content": entry["text"]})
            elif entry["kind"] == "result":
                messages.append({"role": "tool", "tool_call_id": entry["id"], "content": entry["text"]})
            else:
                messages.append(self._reply(entry["text"], entry["calls"], ""))
        return {"model": "m", "messages": messages}

    def _reply(self, text: str, calls: Sequence[Any], thought: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if thought:
            message["reasoning_content"] = thought
        if calls:
            message["tool_calls"] = [
                {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in calls
            ]
        return message

    def response(self, text: str, calls: Sequence[Any], thought: str) -> dict[str, Any]:
        if self.protocol is Protocol.MESSAGES:
            blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": thought}] if thought else []
            blocks += [{"type": "text", "text": text}] if text else []
            blocks += [{"type": "tool_use", "id": i, "name": n, "input": dict(a)} for i, n, a in calls]
            return {"role": "assistant", "content": blocks}
        if self.protocol is Protocol.RESPONSES:
            return {"output": self._output(text, calls, thought)}
        return {"choices": [{"message": self._reply(text, calls, thought)}]}
