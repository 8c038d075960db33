"""From the fork's own job to the comment, and everything that is refused on the way (docs/trust.md rule 10)."""

from __future__ import annotations

import io
import json
import random
import re
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.errors import DeliveryError, UsageError
from aces_ci.shell.unzip import one_file
from tests.fakes.server import Answer
from tests.forges.fork_scene import FORK_ID, NUMBER, RUN, Fork, fork, packed
from tests.git_history import skill

Document = dict[str, Any]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Fork, Document]]:
    """The fork's pull request, and what its own honest job reports."""
    with fork(tmp_path_factory.mktemp("fork")) as made:
        code, log, document = made.job()
        assert code == 1, log
        # As a word: commits and the temporary folder may hold these digits too.
        assert not re.search(r"(?<![\w./-])403(?![\w./-])", log), "a reader is told the reason, not a status"
        assert "Resource not accessible by integration" in log
        assert made.fake.bodies(NUMBER) == []
        yield made, document


@pytest.fixture
def scene(honest: tuple[Fork, Document]) -> Iterator[tuple[Fork, Document]]:
    """The same, fresh."""
    made, document = honest
    pulls = deepcopy(made.fake.pulls)
    made.finished(document)
    yield made, deepcopy(document)
    made.fake.comments.clear()
    made.fake.pulls.clear()
    made.fake.pulls.update(pulls)


def test_an_honest_report_becomes_one_comment_that_says_whose_word_it_is(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    log = made.post()
    (body,) = made.fake.bodies(NUMBER)
    assert "comment created" in log
    assert f"head={made.head}" in body.split("\n")[0]
    assert "blocked" in body
    assert "tide-tables" in body
    assert "reported by the fork's own job, not verified" in body
    assert "/aces live" not in body, "what is blocked by its text asks nobody for money"
    assert f"https://github.com/mira-k/agent-skills/blob/{made.head}/skills/tide-tables/SKILL.md" in body
    assert f"actions/runs/{RUN}" in body


def test_posting_again_edits_it(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    made.post()
    assert "comment unchanged" in made.post()
    assert len(made.fake.bodies(NUMBER)) == 1


def test_nothing_but_the_comment_is_written(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    made.fake.server.exchanges.clear()
    made.post()
    written = [item.request for item in made.fake.server.exchanges if item.request.method != "GET"]
    assert {item.path.rpartition("/")[2] for item in written} == {"comments", "graphql"} or len(written) == 1
    assert all("check" not in item.path and "status" not in item.path for item in written)
    assert "verdict" not in (made.tmp / "workflow_run-output").read_text()


def first_skill(document: Document) -> Document:
    found: Document = document["skills"][0]
    return found


def first_finding(document: Document) -> Document:
    found: Document = first_skill(document)["findings"][0]
    return found


def put(path: str, value: object) -> Callable[[Document], object]:
    """Set one value; numbers in the path are list indexes."""

    def change(document: Document) -> None:
        node: Any = document
        *parents, last = path.split(".")
        for part in parents:
            node = node[int(part)] if part.isdigit() else node[part]
        node[int(last) if last.isdigit() else last] = value

    return change


def raw(data: Callable[[str], bytes]) -> Callable[[Document], bytes]:
    """Other bytes than the document's."""
    return lambda document: data(json.dumps(document))


def judged(document: Document) -> None:
    first_skill(document)["judgements"] = [
        {"skill": first_skill(document)["change"]["path"], "criterion": "x", "score": 10.0}
    ]


def green(document: Document) -> None:
    document["verdict"] = {"state": "clean", "exit_code": 0, "by": []}


def greener(document: Document) -> None:
    """All gates met although an error stands in the findings, and the verdict that follows from them."""
    for gate in document["gates"]:
        gate["outcome"] = "met"
    document["verdict"] = {"state": "waits", "exit_code": 0, "by": []}


def greenest(document: Document) -> None:
    document["gates"] = []
    document["verdict"] = {"state": "waits", "exit_code": 0, "by": []}


def again(key: str) -> Callable[[Document], object]:
    return lambda document: document[key].append(deepcopy(document[key][0]))


def many(document: Document) -> None:
    first_skill(document)["findings"] = [deepcopy(first_finding(document)) for _ in range(5_001)]


def without_reasons(document: Document) -> None:
    document["skipped"] = [row for row in document["skipped"] if row["tier"] != "live"]


HOSTILE: list[tuple[str, str, Callable[[Document], object]]] = [
    ("not json", "json", raw(lambda text: b"PK not json")),
    ("cut off", "json", raw(lambda text: text[:-20].encode())),
    ("a list", "json", raw(lambda text: f"[{text}]".encode())),
    ("empty", "json", raw(lambda text: b"")),
    ("utf-16", "encoding", raw(lambda text: text.encode("utf-16"))),
    ("latin-1", "encoding", raw(lambda text: text.replace("tide", "t\u00efde", 1).encode("latin-1"))),
    ("byte order mark", "encoding", raw(lambda text: b"\xef\xbb\xbf" + text.encode())),
    ("doubled key", "duplicate_key", raw(lambda text: text.replace("{", '{"version": "0.0.0", ', 1).encode())),
    ("not a number", "number", raw(lambda text: text.replace('"seconds": ', '"seconds": NaN, "x": ', 1).encode())),
    ("infinity", "number", raw(lambda text: text.replace('"seconds": ', '"seconds": -Infinity, "x": ', 1).encode())),
    ("deep list", "depth", raw(lambda text: (text[:-1] + ', "x": ' + "[" * 60 + "]" * 60 + "}").encode())),
    ("stack breaker", "depth", raw(lambda text: b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")),
    ("five megabytes", "zip_size", raw(lambda text: (text[:-1] + ', "x": "' + "y" * 5_000_000 + '"}').encode())),
    ("next version", "schema_version", put("schema_version", 2)),
    ("version as text", "schema_version", put("schema_version", "1")),
    ("unknown key", "report_json", put("comment", "# approved")),
    ("unknown key inside", "report_json", put("skills.0.change.markdown", "x")),
    ("number for text", "report_json", put("merge_base", 7)),
    ("text for number", "report_json", put("skills.0.findings.0.line", "1")),
    ("unknown word", "report_json", put("verdict.state", "approved")),
    ("missing part", "report_json", lambda document: document.pop("gates")),
    ("lone surrogate", "report_json", put("skills.0.findings.0.title", "\ud800")),
    ("huge line", "places", put("skills.0.findings.0.line", 10**12)),
    ("line zero", "places", put("skills.0.findings.0.line", 0)),
    ("ends before it begins", "places", put("skills.0.findings.0.end_line", 0)),
    ("score of 900", "scores", put("skills.0.structure.score", 900)),
    ("recorded score of -1", "scores", put("skills.0.structure.recorded_score", -1)),
    ("less than nothing known", "scores", put("skills.0.structure.known", -1)),
    ("a baseline of all there is", "scores", put("policy.baseline_grows", 10**30)),
    ("negative time", "scores", put("cost.seconds", -1.0)),
    ("another commit", "commit", put("event.head_sha", "f" * 40)),
    ("another pull request", "change", put("event.change_request", 1)),
    ("another repository", "change", put("event.repo", "evil/agent-skills")),
    ("another forge", "change", put("event.forge", "gitlab")),
    ("another target", "change", put("event.base_ref", "lax")),
    ("calls itself own", "trust", put("event.trust", "own")),
    ("calls itself a push", "trust", put("event.kind", "push")),
    ("a judge's score", "paid", judged),
    ("money", "paid", put("cost.usd_micros", 5)),
    ("tokens", "paid", put("cost.tokens", 5)),
    (
        "another tool's results",
        "paid",
        put("imported", [{"source": "s", "skill": "", "metric": "m", "arm": "lift", "value": 1.0, "because": ""}]),
    ),
    ("an accepted loss", "accepted", put("gates.0.outcome", "accepted")),
    ("a policy of its own", "policy", put("policy.ref", "patch-1")),
    ("a policy link", "policy", put("policy.sha", "](https://evil.example)")),
    ("merge base link", "ids", put("merge_base", "x](https://evil.example)")),
    ("rule code link", "ids", put("skills.0.findings.0.code", "SP004)](https://evil.example")),
    ("version text", "ids", put("version", "0.4.0\n@all")),
    ("path out", "paths", put("skills.0.findings.0.path", "skills/tide-tables/../../../etc/passwd")),
    ("absolute path", "paths", put("unowned", ["/etc/passwd"])),
    ("newline in a path", "paths", put("unowned", ["a\n/merge"])),
    ("escape in a path", "paths", put("skills.0.change.files", ["a\x1b[31m"])),
    ("somebody else's file", "belongs", put("skills.0.findings.0.path", "README.md")),
    ("somebody else's finding", "belongs", put("skills.0.findings.0.skill", "skills/other")),
    ("a gate of nobody", "belongs", put("gates.0.skill", "skills/other")),
    ("a skill twice", "belongs", again("skills")),
    ("a gate twice", "doubled", again("gates")),
    ("a reason twice", "doubled", again("skipped")),
    ("silent about live", "silent", without_reasons),
    ("error of quality", "severity", put("skills.0.findings.0.category", "quality")),
    ("a novel", "texts", put("skills.0.findings.0.message", "x" * 100_000)),
    ("five thousand findings", "shape", many),
    ("green by word", "verdict", green),
    ("green by gates", "unreported", greener),
    ("green by silence", "unreported", greenest),
]


def test_the_corpus_is_wide_enough() -> None:
    assert len(HOSTILE) >= 30
    assert len({code for _, code, _ in HOSTILE}) >= 8


@pytest.mark.parametrize(("name", "code", "change"), HOSTILE, ids=[name for name, _, _ in HOSTILE])
def test_hostile_reports_are_refused_each_for_its_own_reason(
    scene: tuple[Fork, Document], name: str, code: str, change: Callable[[Document], object]
) -> None:
    made, document = scene
    other = change(document)
    made.finished(other if isinstance(other, bytes) else document)
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == code, caught.value.text()
    assert caught.value.do
    assert made.fake.bodies(NUMBER) == []


def test_claimed_pages_and_people_are_replaced_by_the_forge_s(scene: tuple[Fork, Document]) -> None:
    made, document = scene
    document["links"] = {"report": "https://evil.example/login", "log": "javascript:alert(1)"}
    document["event"].update(
        server_url="https://evil.example",
        run_url="https://evil.example/run",
        head_repo="evil/x](https://evil.example)",
        title="@all",
        actor="@all",
        labels=["aces:accept"],
    )
    first_finding(document)["url"] = "https://evil.example/rule"
    made.finished(document)
    made.post()
    (body,) = made.fake.bodies(NUMBER)
    assert "evil" not in body
    assert "javascript" not in body
    assert "@all" not in body


def test_hostile_words_arrive_inert(scene: tuple[Fork, Document]) -> None:
    made, document = scene
    first_finding(document).update(
        title="</details> @all #1 `x", message="/merge\n![](https://evil.example/x.png)", hint="::error::x"
    )
    made.finished(document)
    made.post()
    (body,) = made.fake.bodies(NUMBER)
    assert "\n/merge" not in body
    assert "![](" not in body.replace("`![](", "")
    assert body.count("<details>") == body.count("</details>") - body.count("`</details>")


ZIPS: list[tuple[str, str, bytes]] = [
    ("no zip", "zip_broken", b"hello"),
    ("cut off", "zip_broken", packed({"report.json": b"{}"})[:-8]),
    ("twenty-one entries", "zip_entries", packed({f"{number}/report.json": b"{}" for number in range(21)})),
    ("two reports", "zip_names", packed({"report.json": b"{}", "a/report.json": b"{}"})),
    ("no report", "zip_names", packed({"other.json": b"{}"})),
    ("way out", "zip_path", packed({"../report.json": b"{}"})),
    ("absolute", "zip_path", packed({"/etc/report.json": b"{}"})),
    ("backslash", "zip_path", packed({"..\\report.json": b"{}"})),
    ("drive", "zip_path", packed({"c:report.json": b"{}"})),
    ("bomb", "zip_bomb", packed({"report.json": b"0" * 3_900_000})),
    ("a memory's worth of dictionary", "zip_method", packed({"report.json": b"{}"}, zipfile.ZIP_LZMA)),
    ("packed by bzip2", "zip_method", packed({"report.json": b"{}"}, zipfile.ZIP_BZIP2)),
    ("too long", "zip_size", packed({"report.json": b"0" * 5_000_000, "x": random.Random(1).randbytes(60_000)})),
]


def linked() -> bytes:
    """A zip whose report is a symbolic link."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo("report.json")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/proc/self/environ")
    return stream.getvalue()


def lying() -> bytes:
    """A zip whose header says 2 bytes and whose content is a bomb."""
    data = bytearray(packed({"report.json": b"0" * 3_900_000}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark) + offset
        data[at : at + 4] = (2).to_bytes(4, "little")
    return bytes(data)


def crowded(count: int, *, said: int) -> bytes:
    """A zip with a directory of `count` entries, whose end record says `said`."""
    one = packed({"report.json": b"{}"})
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    directory = one[start:end] * count
    ends = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, said, said, len(directory), start, 0)
    return one[:start] + directory + ends


def encrypted() -> bytes:
    data = bytearray(packed({"report.json": b"{}"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    return bytes(data)


ZIPS += [
    ("link", "zip_link", linked()),
    ("lying header", "zip_broken", lying()),
    ("encrypted", "zip_encrypted", encrypted()),
    ("more entries than it says", "zip_entries", crowded(21, said=1)),
]


@pytest.mark.parametrize(("name", "code", "data"), ZIPS, ids=[name for name, _, _ in ZIPS])
def test_hostile_archives_are_refused(scene: tuple[Fork, Document], name: str, code: str, data: bytes) -> None:
    made, _ = scene
    made.fake.artifacts[RUN] = [("aces-results", data)]
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == code
    assert made.fake.bodies(NUMBER) == []


@pytest.mark.parametrize("said", [65_535, 1])
def test_two_hundred_thousand_entries_are_refused_before_one_is_read(said: int) -> None:
    data = crowded(200_000, said=said)
    tracemalloc.start()
    try:
        with pytest.raises(UsageError) as caught:
            one_file(data, "report.json", limit=4_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.code == "zip_entries"
    assert peak < 1_000_000, "the archive is not copied, and no entry becomes an object"


def test_bytes_that_are_changed_anywhere_end_in_a_reason_and_never_in_a_crash() -> None:
    random_ = random.Random(4)
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    seeds = [packed({"report.json": b'{"a": 1}' * 300}, method) for method in methods]
    for _ in range(2_000):
        data = bytearray(random_.choice(seeds))
        for _ in range(random_.choice([1, 2, 8])):
            data[random_.randrange(len(data))] = random_.randrange(256)
        with suppress(UsageError):
            one_file(bytes(data), "report.json", limit=4_000_000)


RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("by a push", "run_event", {"event": "push"}),
    ("by pull_request_target", "run_event", {"event": "pull_request_target"}),
    ("renamed workflow", "run_workflow", {"path": ".github/workflows/evil.yml"}),
    ("workflow of that name elsewhere", "run_workflow", {"path": "x/.github/workflows/skills.yml@main"}),
    ("other repository", "run_repository", {"repository": {"id": 1, "full_name": "x/y"}}),
    ("deleted head repository", "run_head", {"head_repository": None}),
    ("another fork with the same branch", "change_missing", {"head_repository": {"id": 77, "full_name": "eve/x"}}),
    ("old head", "change_missing", {"head_sha": "f" * 40}),
]


@pytest.mark.parametrize(("name", "code", "more"), RUNS, ids=[name for name, _, _ in RUNS])
def test_runs_that_are_not_what_they_should_be_are_refused(
    scene: tuple[Fork, Document], name: str, code: str, more: dict[str, Any]
) -> None:
    made, document = scene
    made.finished(document, **more)
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == code
    assert made.fake.bodies(NUMBER) == []


@pytest.mark.parametrize("more", [{"base_ref": "release"}, {"head_ref": "patch-2"}], ids=["target", "branch"])
def test_two_pull_requests_on_one_head_are_refused(scene: tuple[Fork, Document], more: dict[str, str]) -> None:
    made, _ = scene
    made.fake.pull(43, made.head, head_repo=(FORK_ID, "mira-k/agent-skills"), **more)
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == "change_ambiguous"


def test_another_fork_s_pull_request_with_the_same_head_does_not_confuse(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    made.fake.pull(43, made.head, head_repo=(66, "eve/agent-skills"))
    made.post()
    assert made.fake.bodies(43) == []
    assert len(made.fake.bodies(NUMBER)) == 1


@pytest.mark.parametrize("state", ["closed", "open"])
def test_a_closed_pull_request_and_a_moved_head_get_nothing(scene: tuple[Fork, Document], state: str) -> None:
    made, _ = scene
    made.fake.pulls[NUMBER]["state"] = state
    if state == "open":
        made.fake.pulls[NUMBER]["head"]["sha"] = "f" * 40
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == "change_missing"
    assert made.fake.bodies(NUMBER) == []


def test_a_run_that_was_run_again_is_told_by_its_newest_artifact(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    newest = made.fake.artifacts[RUN]
    made.fake.artifacts[RUN] = [("aces-results", packed({"report.json": b"{}"})), *newest]
    made.post()
    assert len(made.fake.bodies(NUMBER)) == 1
    made.fake.artifacts[RUN].reverse()
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == "schema_version"


def test_the_artifact_must_be_there_and_not_too_long(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    for artifacts, code in (([], "artifact_count"), ([("aces-results", b"0" * 20_000_001)], "artifact_size")):
        made.fake.artifacts[RUN] = artifacts
        with pytest.raises(UsageError) as caught:
            made.post()
        assert caught.value.code == code


def test_a_run_that_left_no_report_is_told_from_one_whose_report_is_bad(scene: tuple[Fork, Document]) -> None:
    made, _ = scene
    made.fake.artifacts[RUN] = []
    with pytest.raises(UsageError, match="there is no report to post") as caught:
        made.post()
    assert "left no artifact called aces-results" in caught.value.text()


@pytest.mark.parametrize("place", ["/actions/runs/", "/artifacts", "/pulls"])
def test_a_poster_without_its_rights_is_told_which_ones(scene: tuple[Fork, Document], place: str) -> None:
    made, _ = scene
    made.fake.server.force("GET", place, Answer(status=403, body={"message": "Resource not accessible"}))
    with pytest.raises(UsageError, match="there is no report to post") as caught:
        made.post()
    assert caught.value.code == "post_rights"
    assert "actions: read" in (caught.value.do or "")


@pytest.mark.parametrize(("description", "code"), [("More.", 1), (None, 4)], ids=["blocked", "fine"])
def test_a_forge_that_is_down_outranks_nothing_that_blocks(tmp_path: Path, description: str | None, code: int) -> None:
    change = skill("tide_tables", description) if description else skill("tide-tables", "Better now.")
    with fork(tmp_path, of_fork={"skills/tide-tables/SKILL.md": change}) as made:
        made.fake.server.force("POST", "/comments", Answer(status=500, body={"message": "boom"}))
        if code == 4:
            with pytest.raises(DeliveryError, match="answered with 500"):
                made.job("tok")
            return
        ended, log, _ = made.job("tok")
    assert ended == code, log
    assert "error: POST /repos/acme/agent-skills/issues/42/comments was answered with 500" in log
    assert log.index("verdict: blocked") < log.index("error: POST")
