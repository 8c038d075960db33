"""Where a command's URL points, judged by its text alone."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import re2

from aces_ci.core.scripts.shell.command import Command


class Host(StrEnum):
    """How far code or data from a host can be trusted by name."""

    LOCAL = "local"
    VENDOR = "vendor"
    """Publishes an installer that its own documentation pipes into a shell."""
    KNOWN = "known"
    UNKNOWN = "unknown"
    PLAIN = "plain"
    """http: anyone on the way can change it."""
    ADDRESS = "address"
    """A bare IP address."""
    DROP = "drop"
    """Collects whatever is sent to it: request bins, paste sites, tunnels, out-of-band testers."""
    SHORTENER = "shortener"
    DYNAMIC = "dynamic"


_URL = re2.compile(r"(?i)\b(?:https?|ftp)://[^\s'\"<>|;)}\]`]+")
_AUTHORITY = re2.compile(r"(?i)^(https?|ftp)://(?:[^/@\s]*@)?(\[[0-9a-f:.]+\]|[^/:?#\s]*)")
_BARE = re2.compile(r"(?i)^([a-z0-9-]+\.)+[a-z]{2,12}(:\d+)?(/[^\s]*)?$")
_LOCAL = re2.compile(
    r"(?i)(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1\]|host\.docker\.internal|.*\.(local|localhost|"
    r"test|internal|lan))"
)
_ADDRESS = re2.compile(r"(\d{1,3}(\.\d{1,3}){3}|0x[0-9a-f]{8}|\d{8,10}|\[[0-9a-fA-F:.]+\])")
_PRIVATE = re2.compile(
    r"(10\.\d+|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|"
    r"12[0-7]))\.\d+\.\d+"
)
_VALUED = {
    "curl": re2.compile(
        r"-[A-Za-z]*[odFHuAXTbcemwxKrEQtUYyzCDP]|--(?:output|data[a-z-]*|form|header|user|user-agent|request|upload-file|"
        r"cookie|cookie-jar|referer|max-time|write-out|proxy|config|range|cert|key|cacert|resolve|retry[a-z-]*|json|"
        r"connect-timeout|output-dir|oauth2-bearer|limit-rate)"
    ),
    "wget": re2.compile(
        r"-[A-Za-z]*[OoaPUtTwQeiBADIXR]|--(?:output-document|output-file|directory-prefix|user-agent|header|post-data|"
        r"post-file|body-data|body-file|tries|timeout|user|password|method)"
    ),
}
"""Options that take the next word."""
_RESERVED = re2.compile(r"(?i)(.*\.)?(example\.(com|org|net)|example|invalid)")
VENDORS = frozenset(
    {
        "astral.sh", "release.solana.com", "release.anza.xyz", "sh.rustup.rs", "rustup.rs", "get.docker.com",
        "bun.sh", "bun.com", "deno.land", "get.pnpm.io", "install.python-poetry.org",
        "claude.ai", "get.helm.sh", "fnm.vercel.app", "starship.rs", "nixos.org", "install.determinate.systems",
        "sh.starship.rs",
        "get.k3s.io", "get.volta.sh", "volta.sh", "foundry.paradigm.xyz", "sdk.cloud.google.com",
        "deb.nodesource.com", "rpm.nodesource.com",
        "ollama.com", "ollama.ai", "fly.io", "get.sdkman.io", "pyenv.run", "mise.run", "mise.jdx.dev",
        "dl.google.com", "aka.ms", "opencode.ai",
        "cli.github.com", "packages.microsoft.com", "cursor.com", "get.pulumi.com", "install.duckdb.org",
        "bootstrap.pypa.io", "cli.run.pulumi.com",
        "temporal.download", "pkgx.sh", "tea.xyz", "pixi.sh", "micro.mamba.pm", "railway.com", "railway.app",
        "cli.doppler.com", "sentry.io",
        "get.scoop.sh", "raw.githubusercontent.com/Homebrew", "raw.githubusercontent.com/nvm-sh", "apt.llvm.org",
        "dl.min.io", "download.docker.com", "releases.hashicorp.com", "apt.releases.hashicorp.com",
        "install.julialang.org", "get.haskellup.haskell.org", "get-ghcup.haskell.org", "moonrepo.dev", "dot.net",
        "sh.vector.dev", "repo.anaconda.com", "wasmtime.dev", "get.wasmer.io", "tailscale.com", "get.jetify.com",
        "get.tur.so", "get.rvm.io", "getcomposer.org", "run.linkerd.io", "istio.io", "get.acme.sh", "get.opentofu.org",
        "dl.dagger.io", "install.pi-hole.net", "pkgs.netbird.io", "install.zerotier.com", "get.nextflow.io",
        "download.newrelic.com", "get.anchore.io", "cdn.coollabs.io", "install.datadoghq.com",
        "get.rke2.io", "get.gitea.com", "openclaw.ai", "clawd.bot", "molt.bot", "ampcode.com", "app.factory.ai",
        "gh.io", "rclone.org", "zed.dev", "get.x-cmd.com", "gitlab-runner-downloads.s3.amazonaws.com", "ohmyposh.dev",
    }
)  # fmt: skip
"""Installers whose makers say `curl … | sh`. Still a warning: nobody looked at what they serve today."""
_KNOWN = re2.compile(
    r"(?i)(.*\.)?(github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|pypi\.org|pythonhosted\.org|"
    r"npmjs\.(com|org)|npmjs\.org|crates\.io|golang\.org|go\.dev|"
    r"python\.org|nodejs\.org|debian\.org|ubuntu\.com|apache\.org|docker\.com|kubernetes\.io|k8s\.io|google\.com|"
    r"googleapis\.com|microsoft\.com|amazonaws\.com|anthropic\.com|openai\.com|huggingface\.co|cloudflare\.com|"
    r"vercel\.com|supabase\.com|sentry\.io|hashicorp\.com)"
)
_SHARED = re2.compile(
    r"(?i)(.*\.)?(github\.com|githubusercontent\.com|github\.io|gitlab\.com|bitbucket\.org|amazonaws\.com|"
    r"storage\.googleapis\.com|huggingface\.co|vercel\.app|netlify\.app|pages\.dev)"
)
_COMMIT = re2.compile(r"/[0-9a-f]{40}(/|$)")
_DROP = re2.compile(
    r"(?i)(.*\.)?(webhook\.site|requestbin\.(com|net)|requestcatcher\.com|pipedream\.net|beeceptor\.com|"
    r"hookbin\.com|ngrok\.io|ngrok-free\.app|ngrok\.app|serveo\.net|localtunnel\.me|loca\.lt|trycloudflare\.com|"
    r"burpcollaborator\.net|oastify\.com|oast\.(pro|live|site|online|fun|me)|interact\.sh|interactsh\.com|"
    r"dnslog\.cn|canarytokens\.com|pastebin\.com|paste\.ee|hastebin\.com|ix\.io|0x0\.st|termbin\.com|"
    r"transfer\.sh|file\.io|anonfiles\.com|gofile\.io|bashupload\.com|temp\.sh|catbox\.moe|rentry\.(?:co|org)|glot\.io|paste\.rs|justpaste\.it|ghostbin\.com|controlc\.com|textbin\.net|"
    r"dpaste\.(org|"
    r"com))"
)
_STANDS_FOR = re2.compile(r"(?i)(your|my|random|example|some|xyz|abc|xxx+|subdomain|tunnel)\b[\w-]*\.[\w-]+\.")
"""`your-name.ngrok.io`: the reader's own tunnel, not somebody's."""
_SHORT = re2.compile(
    r"(?i)(bit\.ly|tinyurl\.com|t\.co|goo\.gl|is\.gd|cutt\.ly|rb\.gy|ow\.ly|buff\.ly|t\.ly|"
    r"shorturl\.at|tiny\.cc|rebrand\.ly|v\.gd|git\.io)"
)


def urls(text: str) -> tuple[str, ...]:
    """Every URL in a text, closing punctuation off."""
    return tuple(found.rstrip(".,:!?*_") for found in _URL.findall(text))


def without(text: str) -> str:
    """A text with its URLs taken out."""
    return str(_URL.sub(" ", text))


@lru_cache(maxsize=8192)
def host(url: str) -> tuple[Host, str]:
    """The kind of a URL's host with its name; DYNAMIC where the name is only known at run time."""
    found = _AUTHORITY.match(url)
    if not found:
        return Host.DYNAMIC, ""
    scheme, name = found[1].lower(), found[2].lower()
    if not name or name[:1] in "$`{<%" or "$" in name:
        return Host.DYNAMIC, name
    if _LOCAL.fullmatch(name) or _PRIVATE.fullmatch(name):
        return Host.LOCAL, name
    if _DROP.fullmatch(name) and _STANDS_FOR.match(name):
        return Host.DYNAMIC, name
    if _DROP.fullmatch(name):
        return Host.DROP, name
    if _ADDRESS.fullmatch(name):
        return Host.ADDRESS, name
    if "." not in name and name[0] != "[":
        return Host.LOCAL, name  # a name of one's own network, or of a container beside it
    if _RESERVED.fullmatch(name):
        return Host.DYNAMIC, name
    if _SHORT.fullmatch(name):
        return Host.SHORTENER, name
    if scheme != "https":
        return Host.PLAIN, name
    if _vendor(name, url):
        return Host.VENDOR, name
    return (Host.KNOWN if _KNOWN.fullmatch(name) else Host.UNKNOWN), name


def kinds(addresses: Iterable[str]) -> frozenset[Host]:
    """The kinds of the hosts of some URLs."""
    return frozenset(host(url)[0] for url in addresses)


def anybodys(url: str) -> bool:
    """Whether the host serves what anybody puts there, and the address names no commit that would fix it."""
    kind, name = host(url)
    return kind is Host.KNOWN and _SHARED.fullmatch(name) is not None and _COMMIT.search(url) is None


def reserved(name: str) -> bool:
    """Whether the name is one of RFC 2606, which no one can own."""
    return _RESERVED.fullmatch(name) is not None


def of(command: Command) -> tuple[str, ...]:
    """URLs among a command's words."""
    return tuple(url for word in command.arguments for url in urls(word.shape))


def destinations(command: Command) -> tuple[str, ...]:
    """URLs that a fetcher or sender connects to: words that are one, with `http://` where no scheme is written."""
    found: list[str] = []
    valued = _VALUED.get(command.name or "")
    for before, word in zip([None, *command.arguments], command.arguments, strict=False):
        if word.shape[:1] == "-" or (valued and before is not None and valued.fullmatch(before.shape)):
            continue  # `-o install.sh` names a file, though it looks like a host
        if word.shape.lower().startswith(("http://", "https://", "ftp://")):
            found.extend(urls(word.shape)[:1])
        elif _BARE.match(word.shape):
            found.append(f"http://{word.shape}")
    return tuple(found)


def _vendor(name: str, url: str) -> bool:
    bare = name.removeprefix("www.")
    if bare in VENDORS:
        return True
    path = url.split("://", 1)[1]
    return any("/" in vendor and path.startswith(vendor + "/") for vendor in VENDORS)
