"""Which files with credentials, or with what a person did, a command opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import re2

from aces_ci.core.scripts.files import paths
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.shell.command import Command, Within, Word
from aces_ci.core.scripts.shell.folders import below

SENDERS = frozenset(
    {
        "curl",
        "wget",
        "nc",
        "ncat",
        "netcat",
        "socat",
        "scp",
        "rsync",
        "sftp",
        "ftp",
        "http",
        "https",
        "xh",
        "mail",
        "sendmail",
        "telnet",
        "rclone",
    }
)
"""Programs that carry what they read to another machine."""
_READERS = frozenset(
    {
        "cat",
        "less",
        "more",
        "head",
        "tail",
        "grep",
        "egrep",
        "rg",
        "awk",
        "sed",
        "strings",
        "xxd",
        "base64",
        "od",
        "cp",
        "tar",
        "zip",
        "gzip",
        "bat",
        "nl",
        "sort",
        "cut",
        "tee",
        "dd",
        "openssl",
        "gpg",
        "jq",
    }
)
_DUMPERS = frozenset({"env", "printenv", "export", "set", "declare"})
_COPIERS = frozenset({"scp", "rsync", "sftp"})
_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg"})
_FILTERS = frozenset({"grep", "egrep", "rg", "wc", "head", "sort", "cut", "awk", "sed"})
"""What follows `env` when one variable of it is looked for."""
_KEYCHAIN = re2.compile(
    r"^(security (find-(generic|internet)-password|dump-keychain|export)|secret-tool (lookup|search)|kwallet-query)\b"
)
TOKEN_TOOLS = re2.compile(
    r"^(gcloud auth print-(access|identity)-token|aws configure (get|export-credentials)|gh auth token|op read|"
    r"vault (read|kv get)|security find-(generic|internet)-password\b.* -[sal]|secret-tool lookup)\b"
)
"""Programs whose purpose is to hand out one token; a note when read, but it may not be sent on."""
_KEEPERS = ("security ", "secret-tool ", "kwallet-query", "gcloud ", "aws ", "gh ", "op ", "vault ")
"""How a text begins that one of the two can match."""
_OPENING = _READERS | SENDERS | _DUMPERS | {"history"}
LISTERS = frozenset({"find", "fd", "fdfind", "ls", "locate"})
_CARRIERS = frozenset(
    {"mv", "install", "ln", "xz", "zstd", "bzip2", "pigz", "lz4", "7z", "7za", "7zz", "rar", "hexdump", "tac", "paste",
     "gunzip", "zcat", "unxz", "xzcat", "bunzip2", "zstdcat", "aws", "gsutil", "az", "gcloud", "gh", "glab",
     "uuencode", "base32", "read", "mapfile", "readarray", "rev", "age", "bsdtar", "gtar", "split", "fold", "iconv"}
)  # fmt: skip
"""Further programs whose reading counts where it is sent on: to copy or to pack a key is nothing by itself."""
PICKERS = frozenset({"jq", "yq", "grep", "egrep", "rg", "cut", "sed", "awk"})
"""Programs that pick one value out of what they read."""
NAMES = Content.NAMES
_OF_A_KIND = re2.compile(
    r"(?i)[\^(]*(?:[a-z]*_)?(?:(?:api_?|access_?)?keys?|tokens?|secrets?|pass(?:w|wd|word)?s?|cred(?:ential)?s?|aws|auth)"
    r"(?:\\?\|(?:[a-z_]*)(?:api|key|token|secret|pass\w*|pwd|cred\w*|aws|auth|private)\w*)*[)]?"
)
"""What `grep` is given that looks for secrets as such."""
BODY = (
    "-d",
    "-F",
    "-T",
    "--data",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--form",
    "--upload-file",
    "--post-data",
    "--post-file",
    "--body-file",
    "--body-data",
    "--json",
)
"""Options of `curl` and `wget` whose word is sent, or names the file that is."""
_LETTERED = re2.compile(r"-[A-Za-z]*[dFT]")
_FILE_OPTION = re2.compile(r"-[A-Za-z]*T|--upload-file|--(?:post|body)-file")
"""Options whose word is the name of a file, whatever it looks like."""
_JOINED = re2.compile(r"--(data|post|upload|body|form|json)[\w-]*=|-[dFT]\S")
_CONDITIONS = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mmin"})


def reads(scene: Scene, command: Command) -> list[str]:
    """Credential files that the command opens, and dumps of keychains or of the environment."""
    return _opened(scene, command, paths.secret)


def carries(scene: Scene, command: Command) -> list[Held]:
    """What of a command's reading is nobody else's business once it is sent on.

    Beside credentials: key files, the record of what a person typed, and copies that the script has made of them.
    """
    part = command.name in PICKERS
    found = [Held(content=Content.PRIVATE, origin=each, part=part) for each in _opened(scene, command, paths.private)]
    if command.name == "history" and not command.arguments:
        found.append(Held(content=Content.PRIVATE, origin="the history of commands"))
    if _asks_for_secrets(scene, command):
        found.append(Held(content=Content.PRIVATE, origin="the secrets of the environment"))
    found.extend(each for each in stored(scene, command) if each.content is Content.PRIVATE)
    return found


def stored(scene: Scene, command: Command) -> Iterator[Held]:
    """What a command opens that the script itself has put there, or whose name a variable holds."""
    now = scene.held(command)
    if not (now.files or now.variables):
        return
    targets = [r.target for r in command.redirects if r.target and not r.writes and r.body is None]
    name = command.name or ""
    words = _files(name, command.arguments) if name in _OPENING | _CARRIERS else ()
    aside = _folder_of_tar(command) if name in {"tar", "bsdtar", "gtar"} else ""
    for word in (*targets, *words):
        path = _file(word)
        yield from now.at(below(command.folder, below(aside, path)))
        if word.text is None:
            yield from (replace(each, content=Content.PRIVATE) for each in now.used(path) if each.content is NAMES)


def _folder_of_tar(command: Command) -> str:
    """Where `tar -C` goes before it reads."""
    pairs = zip(command.arguments, command.arguments[1:], strict=False)
    return next((after.shape for before, after in pairs if before.shape in {"-C", "--directory"}), "")


def handed_over(scene: Scene, command: Command) -> Iterator[str]:
    """Private files among those that `find` or `ls` hands to a command one by one, by `-exec`, `xargs` or a loop."""
    yield from listed(command.given)
    if "xargs" in command.wrappers or Within.LOOP in command.within:
        for stage in scene.before(command):
            yield from listed(stage.arguments if stage.name in LISTERS else ())


def listed(words: Sequence[Word]) -> Iterator[str]:
    """The private files among those that a `find` or `ls` with these arguments names."""
    chosen = any(word.shape in _CONDITIONS for word in words)
    excluded = False
    for word in words:
        if word.shape in {"!", "-not"}:
            excluded = True
        elif word.shape[:1] != "-":
            everything = not chosen and paths.area(word.shape) in {paths.Area.HOME, paths.Area.ROOT}
            if not excluded and (everything or paths.private(word.shape)):
                yield word.shape
            excluded = False


def _asks_for_secrets(scene: Scene, command: Command) -> bool:
    """`env | grep -iE 'key|token'`: not one setting, but whatever there is of that kind."""
    if command.name not in _DUMPERS or command.arguments:
        return False
    looks = [stage for stage in scene.after(command) if stage.name in _SEARCHERS]
    return any(_OF_A_KIND.fullmatch(word.shape) for stage in looks for word in stage.operands)


def _opened(scene: Scene, command: Command, wanted: Callable[[str], bool]) -> list[str]:
    name = command.name or ""
    text = " ".join(word.shape for word in command.words)
    keychain = text.startswith(_KEEPERS) and (_KEYCHAIN.match(text) or TOKEN_TOOLS.match(text))
    found = [r.target.shape for r in command.redirects if r.target and not r.writes and wanted(r.target.shape)]
    further = name in _CARRIERS and wanted is paths.private
    if not (name in _OPENING or further or keychain):
        return found if not name and wanted is paths.private else []  # `$(< FILE)`
    words = _files(name, command.arguments)
    found = [word.shape.split("=", 1)[-1].lstrip("@") for word in words if wanted(_file(word))] + found
    if keychain:
        found.append(text[:60])
    dumps = name in _DUMPERS and not (command.arguments or command.assignments or "env" in command.wrappers)
    if dumps and not any(stage.name in _FILTERS for stage in scene.after(command)):
        found.append("the environment")
    return found


def _files(name: str, arguments: Sequence[Word]) -> Sequence[Word]:
    """The words that may name a file to be read: not what is left out or searched for, and not where a copy goes."""
    pairs = zip([None, *arguments], arguments, strict=False)
    arguments = [word for before, word in pairs if before is None or before.shape != "--exclude"]
    if name in {"cp", "tee"}:
        return arguments[:-1]
    if name in {"read", "mapfile", "readarray"}:
        return ()  # names of variables
    if name in {"curl", "wget"}:
        pairs = zip([None, *arguments], arguments, strict=False)
        given = ((before, word) for before, word in pairs if before and _takes_data(before))
        joined = [word for word in arguments if _JOINED.match(word.shape)]
        return joined + [word for before, word in given if _FILE_OPTION.fullmatch(before.shape) or _names(word)]
    if name in _COPIERS:
        return [
            word for before, word in zip([None, *arguments], arguments, strict=False) if not _for_login(before, word)
        ]
    if name in _SEARCHERS and not any(word.shape in {"-e", "-f"} for word in arguments):
        pattern = next((at for at, word in enumerate(arguments) if not word.shape.startswith("-")), len(arguments))
        return (*arguments[:pattern], *arguments[pattern + 1 :])
    return arguments


def _names(word: Word) -> bool:
    """Whether a word of `-d` or `-F` names a file: without `@` or `<` the words themselves are sent."""
    return "@" in word.shape or "=<" in word.shape


def _takes_data(option: Word) -> bool:
    return option.shape in BODY or _LETTERED.fullmatch(option.shape) is not None


def _for_login(before: Word | None, word: Word) -> bool:
    """Whether a word of `scp` or `rsync` says how to log in: `-i KEY`, `-e "ssh -i KEY"`."""
    option = before is not None and before.shape in {"-i", "-e", "--rsh", "-F", "-o"}
    return option or word.shape.startswith(("--rsh=", "-i", "-o"))


def _file(word: Word) -> str:
    shape = word.shape
    for separator in ("=@", "@", "=<", "if="):
        if separator in shape:
            shape = shape.split(separator, 1)[1]
            break
    return shape.split(";", 1)[0]
