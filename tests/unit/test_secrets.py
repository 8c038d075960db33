"""Token shapes against an independent scanner, and what is no secret."""

from __future__ import annotations

import random
import string
import warnings
from re import _parser as re_parser  # type: ignore[attr-defined]
from typing import Any

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

from aces_ci.core.finding import Confidence
from aces_ci.core.scan.secrets import MAX_CHARACTERS, entropy, find, placeholder
from aces_ci.core.scan.token_shapes import SHAPES

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def text(alphabet: str, length: int, seed: int = 3) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=length))


SAMPLES = {
    "Anthropic": "sk-ant-" + "api03-" + text(ALNUM + "-_", 93),
    "OpenAI": "sk-" + "proj-" + text(ALNUM, 48),
    "Google API": "AI" + "za" + text(ALNUM, 35),
    "Hugging Face": "hf" + "_" + text(ALNUM, 34),
    "GitHub": "gh" + "p_" + text(ALNUM, 36),
    "GitLab": "gl" + "pat-" + text(ALNUM, 20),
    "npm": "np" + "m_" + text(ALNUM, 36),
    "PyPI": "py" + "pi-AgEIcHlwaS5vcmc" + text(ALNUM, 70),
    "AWS": "AK" + "IA" + text("ABCDEFGHJKLMNPQRSTUVWXYZ234567", 16),
    "Azure storage": "Account" + "Key=" + text(ALNUM, 86) + "==",
    "DigitalOcean": "do" + "p_v1_" + text(HEX, 64),
    "Databricks": "da" + "pi" + text(HEX, 32),
    "Slack": "xo" + "xb-904718263055-731940586217-" + text(ALNUM, 24),
    "Slack webhook": "https://hooks.sl" + "ack.com/services/T0AB2CD3E/B0AB2CD3E/" + text(ALNUM, 24),
    "Telegram bot": "5730284619:A" + text(ALNUM, 34),
    "Twilio": "S" + "K" + text(HEX, 32),
    "SendGrid": "S" + "G." + text(ALNUM, 22) + "." + text(ALNUM, 43),
    "Mailchimp": text(HEX, 32) + "-us12",
    "Stripe": "sk" + "_live_" + text(ALNUM, 24),
    "Square": "sq" + "0csp-" + text(ALNUM, 43),
    "Shopify": "shp" + "at_" + text(HEX, 32),
    "Linear": "lin" + "_api_" + text(ALNUM, 40),
    "JSON Web Token": "eyJ" + text(ALNUM, 30) + ".eyJ" + text(ALNUM, 40) + "." + text(ALNUM, 43),
    "private key": "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + text(ALNUM, 64) + "\n" + text(ALNUM, 64, 4) + "\n",
    "password in a URL": "postgres://svc:" + text(ALNUM, 16) + "@db.tides.dev/main",
    "IBM Cloudant": "https://acme:" + text(HEX, 64) + "@acme.cloudant.com",
    "Artifactory": "AK" + "C" + text(ALNUM, 72),
    "Discord bot": "M" + text(ALNUM, 23) + "." + text(ALNUM, 6) + "." + text(ALNUM, 27),
}


@pytest.mark.parametrize("provider", SAMPLES)
def test_a_token_is_found_at_its_place_and_never_repeated(provider: str) -> None:
    secret = SAMPLES[provider]
    (hit,) = find(f"# notes\nvalue: {secret} # end\n")
    assert hit.provider == provider
    assert (hit.place.line, hit.place.column) == (2, 8)
    assert secret[8:] not in hit.masked


PLUGINS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "CloudantDetector",
    "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "IbmCloudIamDetector", "JwtTokenDetector",
    "MailchimpDetector", "NpmDetector", "OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector",
    "SlackDetector", "SoftlayerDetector", "SquareOAuthDetector", "StripeDetector", "TelegramBotTokenDetector",
    "TwilioKeyDetector",
)  # fmt: skip
OTHER_PURPOSE = {
    "Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector",  # any random text, any word for a secret
    "IPPublicDetector",  # an address is no secret; SE011 tells of it
    "IbmCosHmacDetector",  # asks the provider whether the two halves belong together
}  # fmt: skip


@pytest.mark.parametrize("provider", SAMPLES)
def test_whatever_the_oracle_finds_is_found(provider: str) -> None:
    """detect-secrets' provider plugins; its entropy and keyword plugins have another purpose."""
    with transient_settings({"plugins_used": [{"name": name} for name in PLUGINS]}):
        oracle = {hit.type for line in SAMPLES[provider].splitlines() for hit in scan_line(line)}
    if oracle:
        assert find(SAMPLES[provider] + "\n"), oracle


def test_every_plugin_of_the_oracle_is_asked_or_has_another_purpose() -> None:
    known = {plugin.__name__ for plugin in get_mapping_from_secret_type_to_class().values()}
    assert known - set(PLUGINS) == OTHER_PURPOSE


@pytest.mark.parametrize("at", range(len(SHAPES)), ids=lambda at: f"{SHAPES[at].provider}-{at}")
def test_a_random_token_of_each_shape_is_found(at: int) -> None:
    """What the pattern itself says, filled at random: no shape is shadowed, too strict about randomness, or dead."""
    rng = random.Random(at)
    for _ in range(20):
        made = _made(re_parser.parse(SHAPES[at].pattern), rng)
        if any(hit.provider == SHAPES[at].provider for hit in find(f"see {made} end\n")):
            return
    pytest.fail(f"none of 20 tokens such as {made} was found")


def _made(tree: Any, rng: random.Random) -> str:
    """A random text that a pattern matches, of the parts of patterns that the table uses."""
    return "".join(_part(operator, argument, rng) for operator, argument in tree)


def _part(operator: Any, argument: Any, rng: random.Random) -> str:
    name = str(operator)
    if name == "LITERAL":
        return chr(argument)
    if name == "NOT_LITERAL":
        return next(c for c in ALNUM if ord(c) != argument)
    if name == "ANY":
        return " "
    if name == "IN":
        return rng.choice(_members(argument))
    if name in {"MAX_REPEAT", "MIN_REPEAT"}:
        low, high, inner = argument
        return "".join(_made(inner, rng) for _ in range(max(low, min(int(high), low + 2))))
    if name == "SUBPATTERN":
        return _made(argument[3], rng)
    if name == "BRANCH":
        return _made(rng.choice(argument[1]), rng)
    return ""


def _members(argument: Any) -> list[str]:
    members = [c for c in ALNUM + "-_./+=~% " if any(_is_in(c, *part) for part in argument[1:])]
    if str(argument[0][0]) == "NEGATE":
        return [c for c in ALNUM if c not in members]
    return [c for c in ALNUM + "-_./+=~%:' \"?&#@" if any(_is_in(c, *part) for part in argument)]


def _is_in(character: str, operator: Any, value: Any) -> bool:
    name = str(operator)
    if name == "LITERAL":
        return ord(character) == value
    if name == "RANGE":
        return value[0] <= ord(character) <= value[1]
    known = {"CATEGORY_WORD": ALNUM + "_", "CATEGORY_DIGIT": "0123456789", "CATEGORY_SPACE": " "}
    return name == "CATEGORY" and character in known.get(str(value), "")


def test_the_oracle_itself_works() -> None:
    """The positive control: it finds at least half of the samples."""
    with transient_settings({"plugins_used": [{"name": "GitHubTokenDetector"}, {"name": "StripeDetector"}]}):
        assert list(scan_line(SAMPLES["GitHub"]))
        assert list(scan_line(SAMPLES["Stripe"]))


@pytest.mark.parametrize(
    "line",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "sk-ant-api03-your-key-here-your-key-here-your-key-here-your-key-here-your-key",
        "AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q",
        "postgresql://admin:password@localhost:5432/prod",
        "https://user:${TOKEN}@github.com/a/b",
        'api_key = "<your api key>"',
        'password: "changeme"',
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 3a5f649f0c1e2d3b4a5968778695a4b3c2d1e0f9",
        "integrity sha512-abcdefGHIJKL0123456789abcdefGHIJKL0123456789abcdefGHIJKL0123456789==",
        "sk-learn-tutorial.md and skip-link and task-list",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n" + text(ALNUM, 64) + "\n",
        "data:image/png;base64," + text(ALNUM, 400),
        "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_IN_THIS_PLACE",
    ],
)
def test_placeholders_and_digests_are_no_secrets(line: str) -> None:
    assert [hit for hit in find(line) if hit.confidence is not Confidence.LOW] == []


def test_of_two_that_overlap_the_surer_is_told() -> None:
    (hit,) = find(f'api_key = "{SAMPLES["Stripe"]}"')
    assert (hit.provider, hit.confidence) == ("Stripe", Confidence.HIGH)


def test_entropy_is_shannons() -> None:
    assert (entropy(""), entropy("aaaa"), entropy("ab"), entropy("abcd")) == (0.0, 0.0, 1.0, 2.0)
    assert placeholder("aaaaabcd1234zzz")


def test_every_shape_compiles_and_names_its_secret_part() -> None:
    import re2

    for shape in SHAPES:
        assert re2.compile(shape.pattern).groups == 1, shape.provider


def test_time_stays_linear_on_hostile_text() -> None:
    """What a backtracking matcher would need minutes for, and what lies beyond the limit."""
    hostile = "password=" * 60_000 + "eyJ" * 60_000
    assert find(hostile) == ()
    assert find(" " * MAX_CHARACTERS + SAMPLES["GitHub"]) == ()
