"""Which names may stand in `network.allow`: exact names of the public internet, and no way to a model."""

from __future__ import annotations

import ipaddress
import re

PATTERN = r"^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$"
"""Lower-case labels, at least two, the last one no number (RFC 1123 section 2.1)."""
MOST = 32
"""Names in one list. Who needs more wants a mirror, or an image that holds what the tasks need."""
_SHAPE = re.compile(PATTERN)
_INWARD = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "arpa", "onion", "alt", "invalid")
"""Endings that no public name server answers for (RFC 6761, 6762, 8375); `metadata.google.internal` is below one."""
MODELS = (
    "anthropic.com",
    "openai.com",
    "openai.azure.com",
    "cognitiveservices.azure.com",
    "services.ai.azure.com",
    "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com",
    "openrouter.ai",
    "api.mistral.ai",
    "api.groq.com",
    "api.deepseek.com",
    "api.x.ai",
    "api.cohere.com",
    "api.together.xyz",
    "api.fireworks.ai",
    "router.huggingface.co",
    "api-inference.huggingface.co",
)
"""Who runs a model for a key that an agent brings along, with everything below these names."""
_BEDROCK = re.compile(r"bedrock(-[a-z-]+)?\.[a-z0-9-]+\.amazonaws\.com|[a-z0-9-]*aiplatform\.googleapis\.com")


def wrong_with(name: str) -> str | None:
    """Why a name cannot be allowed, as the end of a sentence that begins with its setting; None: it can."""
    if "*" in name or "?" in name:
        return "takes exact host names and no patterns; name each host, e.g. files.example.org"
    if "://" in name or "/" in name or "@" in name:
        return "takes a host name alone, without scheme, user or path, e.g. files.example.org"
    if _address(name):
        return "takes names and no addresses; a name is looked up and pinned by the gateway"
    if ":" in name:
        return "takes a host name without a port; it is always 443"
    if name != name.lower():
        return f"takes lower-case names; write {name.lower()}"
    if not name.isascii():
        return "takes ASCII names; write this one in its xn-- form"
    if not _SHAPE.fullmatch(name):
        return "must be an exact host name with a dot in it, e.g. files.example.org"
    if _below(name, _INWARD):
        return "must be a name of the public internet; sandboxes never reach a network of yours"
    if leads_to_model(name):
        return "may not name a model provider; models are reached through the gateway, which counts and caps them"
    return None


def leads_to_model(name: str) -> bool:
    """Whether a host is known to run models: a way around the gateway."""
    return _below(name, MODELS) or _BEDROCK.fullmatch(name) is not None


def _below(name: str, endings: tuple[str, ...]) -> bool:
    return any(name == ending or name.endswith(f".{ending}") for ending in endings)


def _address(name: str) -> bool:
    """Also `127.1`, `0x7f000001` and `2130706433`, which a resolver takes for addresses (inet_aton)."""
    bare = name.strip("[]").partition("%")[0]
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        last = bare.rsplit(".", 1)[-1]
        return last.isdigit() or re.fullmatch(r"0[xX][0-9a-fA-F]*", last) is not None
    return True
