"""Asks the same questions in six surfaces, and compares their answers: tool, HTTP, Python, Swift, JavaScript, console.

    surfaces.py HISTORY [CONSOLE_PYTHON CHROMIUM]

HISTORY is `commands.jsonl` of the Kubernetes history. MUNIMENT_TOOL is the tool, MUNIMENT_TESTS the test bundle with the Swift client,
and MUNIMENT_SEED the seed of the questions. The console needs a Python with Playwright, and Chromium. Exit code 1: two answers differ.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

from muniment import Client

COUNT = 200
STORE = "kubernetes"
HERE = pathlib.Path(__file__).parent
PACKAGE = HERE.parents[1]
TOOL = os.environ["MUNIMENT_TOOL"]
PRIVILEGES = ["read", "triage", "update", "maintain", "delete", "setPermissions"]

Question = dict[str, str]
Answer = Any


def questions_about(history: pathlib.Path) -> list[Question]:
    """Makes questions about names and moments of the history, most of which have an answer that is not empty."""
    seed = int(os.environ.get("MUNIMENT_SEED", "35"))
    chosen = random.Random(seed)
    print(f"MUNIMENT_SEED={seed}")
    lines = [json.loads(line) for line in history.read_text().splitlines()[1:]]
    # A name is asked about at or after the moment at which the history mentions it, and sometimes before.
    seen: dict[str, list[tuple[str, str]]] = {"user": [], "role": [], "object": []}
    for line in lines:
        for change in line["changes"]:
            for member in ("member", "subject", "object", "role"):
                if name := change.get(member):
                    name = f"role:{name}" if member == "role" and not name.startswith("role:") else name
                    kind = name.split(":")[0]
                    seen[kind if kind in ("user", "role") else "object"].append((name, line["time"]))
    times = [line["time"] for line in lines]

    def pick(kind: str) -> tuple[str, str]:
        name, since = chosen.choice(seen[kind])
        later = [time for time in times if time >= since]
        return name, chosen.choice(later if chosen.random() < 0.9 else times)

    def one(ask: str) -> Question:
        if ask == "who":
            object, at = pick("object")
            return {"ask": ask, "privilege": chosen.choice(PRIVILEGES), "object": object, "at": at}
        if ask == "history":
            name, at = pick(chosen.choice(["object", "object", "role", "user"]))
            return {"ask": ask, "name": name, "at": at}
        subject, at = pick("user")
        if ask == "what":
            return {"ask": ask, "subject": subject, "privilege": chosen.choice(PRIVILEGES), "at": at}
        if ask == "diff":
            name, first = (subject, at) if chosen.random() < 0.7 else pick("object")
            return {"ask": ask, "name": name, "from": min(first, at), "at": max(first, chosen.choice(times))}
        object, later = pick("object")
        question = {"ask": ask, "subject": subject, "object": object, "at": max(at, later)}
        return question if ask == "privileges" else {**question, "privilege": chosen.choice(PRIVILEGES)}

    kinds = ["who", "what", "check", "privileges", "explain", "history", "diff"]
    return [one(kinds[number % len(kinds)]) for number in range(COUNT)]


# The answers in one form, from the JSON of the tool, of HTTP and of the JavaScript client.


def normal(question: Question, json: Any) -> Answer:
    ask = question["ask"]
    if ask == "who":
        return sorted({*json["subjects"], *json["administrators"]})
    if ask == "what":
        return sorted(json["objects"])
    if ask == "check":
        return json["allowed"]
    if ask == "privileges":
        return sorted(json["privileges"])
    if ask == "explain":
        return explanation(
            json["allowed"],
            [(level["level"], level["missing"], [len(path["steps"]) for path in level["paths"]]) for level in json.get("levels") or []])
    if ask == "history":
        return [[commit["revision"], len(commit["events"])] for commit in json["commits"]]
    return differences([(row["name"], row["gained"], row["lost"]) for row in json["differences"]])


def explanation(allowed: bool, levels: list[tuple[str, list[str], list[int]]]) -> Answer:
    return [allowed, sorted([level, sorted(missing), len(paths), sum(paths)] for level, missing, paths in levels)]


def differences(rows: list[tuple[str, list[str], list[str]]]) -> Answer:
    return sorted([name, sorted(gained), sorted(lost)] for name, gained, lost in rows)


# The surfaces. Each takes all questions.


def ask_tool(questions: list[Question], data: pathlib.Path) -> list[Answer]:
    def arguments(question: Question) -> list[str]:
        ask, at = question["ask"], ["--at", question["at"]]
        if ask == "who":
            return [ask, question["privilege"], question["object"], *at]
        if ask == "what":
            return [ask, question["subject"], question["privilege"], *at]
        if ask == "privileges":
            return [ask, question["subject"], "on", question["object"], *at]
        if ask == "history":
            return [ask, question["name"], "--to", question["at"]]
        if ask == "diff":
            return [ask, question["name"], "--from", question["from"], "--to", question["at"]]
        return [{"explain": "why"}.get(ask, ask), question["subject"], question["privilege"], question["object"], *at]

    def answer(question: Question) -> Answer:
        command = [TOOL, *arguments(question), "--json", "--store", str(data / STORE)]
        done = subprocess.run(command, capture_output=True, text=True)
        # Exit code 1 is the answer "no".
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{command}: {done.stderr}")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return normal(question, {"commits": lines} if question["ask"] == "history" else lines[0])

    return [answer(question) for question in questions]


def ask_http(questions: list[Question], address: str, token: str) -> list[Answer]:
    def send(path: str, query: dict[str, str], body: dict[str, str] | None) -> Any:
        url = f"{address}/v1/stores/{STORE}/{path}" + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers)) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path} {body or query}: {error.read().decode()}") from error

    def pages(path: str, query: dict[str, str], key: str, first_only: str) -> Any:
        found = send(path, query, None)
        while cursor := found.get("next"):
            page = send(path, {**{name: value for name, value in query.items() if name != first_only}, "cursor": cursor}, None)
            found = {**page, key: found[key] + page[key]}
        return found

    def answer(question: Question) -> Answer:
        ask = question["ask"]
        if ask == "history":
            return normal(question, pages("history", {"name": question["name"], "at": question["at"], "limit": "1000"}, "commits", "at"))
        if ask == "diff":
            query = {"name": question["name"], "from": question["from"], "to": question["at"], "limit": "10000"}
            return normal(question, pages("diff", query, "differences", "to"))
        body = {name: value for name, value in question.items() if name != "ask"}
        found = send(ask, {}, {**body, **({"limit": 10000} if ask in ("who", "what") else {})})  # type: ignore[dict-item]
        if found.get("next"):
            raise RuntimeError(f"{question}: more than a page")
        return normal(question, found)

    return [answer(question) for question in questions]


def ask_python(questions: list[Question], address: str, token: str) -> list[Answer]:
    with Client(address, token=token, store=STORE) as client:

        def answer(question: Question) -> Answer:
            ask, at = question["ask"], question["at"]
            if ask == "who":
                return sorted(client.who(question["privilege"], question["object"], at=at))
            if ask == "what":
                return sorted(client.what(question["subject"], question["privilege"], at=at))
            if ask == "check":
                return client.check(question["subject"], question["privilege"], question["object"], at=at).allowed
            if ask == "privileges":
                return sorted(client.privileges(question["subject"], question["object"], at=at).privileges)
            if ask == "explain":
                found = client.explain(question["subject"], question["privilege"], question["object"], at=at, proposals=False)
                return explanation(
                    found.allowed,
                    [(level.level, level.missing, [len(path.steps) for path in level.paths]) for level in found.levels or []])
            if ask == "history":
                return [[commit.revision, len(commit.events)] for commit in client.history(question["name"], at=at)]
            return differences([(row.name, row.gained, row.lost) for row in client.diff(question["name"], question["from"], at)])

        return [answer(question) for question in questions]


def ask_swift(questions: list[Question], file: pathlib.Path) -> list[Answer]:
    tests = os.environ.get("MUNIMENT_TESTS", str(pathlib.Path(TOOL).parent / "munimentPackageTests.xctest"))
    command = [tests, "--testing-library", "swift-testing", "--filter", "SurfaceTests"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MUNIMENT_QUESTIONS": str(file)})
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}")

    def answer(question: Question, found: Any) -> Answer:
        ask = question["ask"]
        if ask in ("who", "what", "privileges"):
            return sorted(found)
        if ask == "explain":
            return [found[0], sorted([level, sorted(missing), ways, steps] for level, missing, ways, steps in found[1])]
        return differences(found) if ask == "diff" else found

    answers = json.loads(pathlib.Path(f"{file}.swift").read_text())
    return [answer(question, found) for question, found in zip(questions, answers, strict=True)]


def ask_javascript(questions: list[Question], file: pathlib.Path) -> list[Answer]:
    client = PACKAGE / "Sources" / "Service" / "Console" / "Files" / "muniment.js"
    # Node takes a file for a module by its extension.
    module = file.parent / "muniment.mjs"
    module.write_text(client.read_text())
    done = subprocess.run(["node", str(HERE / "surfaces.mjs"), str(module), str(file)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"surfaces.mjs: {done.stderr}")
    answers = json.loads(done.stdout)
    return [normal(question, found) for question, found in zip(questions, answers, strict=True)]


def ask_console(file: pathlib.Path, python: str, chromium: str) -> list[Answer]:
    done = subprocess.run([python, str(HERE / "surfaces_console.py"), str(file), chromium], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"surfaces_console.py: {done.stderr[-4000:]}")
    answers: list[Answer] = json.loads(done.stdout)
    return answers


def shown(question: Question, answer: Answer, page: Answer) -> bool:
    """Whether a page of the console shows an answer.

    A page lists the people of `everyone` by name only if they have more. It shows the commits of the objects above an object, too.
    """
    ask = question["ask"]
    if page is None:
        return not answer
    if ask == "explain":
        ways = sum(level[2] for level in answer[1] if level[0] == "object")
        return bool(page[0] == answer[0] and page[1] == ways)
    if ask == "history":
        # The pages of users and roles have records of the audit, not the history.
        return page == "none" or {revision for revision, _ in answer} <= set(page)
    if ask == "who" and "everyone" in answer:
        return set(answer) <= set(page)
    return bool(page == answer)


def compare(questions: list[Question], surfaces: dict[str, list[Answer]]) -> int:
    different = 0
    for number, question in enumerate(questions):
        right = surfaces["HTTP"][number]
        for name, answers in surfaces.items():
            if shown(question, right, answers[number]) if name == "console" else answers[number] == right:
                continue
            different += 1
            print(f"{question}:\n  HTTP: {str(right)[:600]}\n  {name}: {str(answers[number])[:600]}")
    empty = sum(1 for answer in surfaces["HTTP"] if not answer)
    print(f"{len(questions)} questions, {len(surfaces)} surfaces ({', '.join(surfaces)}), {empty} empty answers, {different} differences")
    return 1 if different or 4 * empty > 3 * len(questions) else 0


def main() -> int:
    history, console = pathlib.Path(sys.argv[1]), sys.argv[2:4]
    questions = questions_about(history)
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data"
        data.mkdir()
        subprocess.run([TOOL, "import", str(history), "--store", str(data / STORE)], check=True, stdout=subprocess.DEVNULL)
        command = [TOOL, "token", "create", "--data", str(data), "--store", STORE, "--can", "administer"]
        token = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]
        with open(pathlib.Path(folder) / "log", "w") as log:
            service = subprocess.Popen(
                [TOOL, "serve", "--data", str(data), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert service.stdout is not None
            words = service.stdout.readline().split()
            if words[:2] != ["listening", "on"]:
                raise RuntimeError((pathlib.Path(folder) / "log").read_text())
            address = words[2]
            file = pathlib.Path(folder) / "questions.json"
            file.write_text(json.dumps({"address": address, "token": token, "store": STORE, "questions": questions}))
            asked: dict[str, Callable[[], list[Answer]]] = {
                "HTTP": lambda: ask_http(questions, address, token),
                "tool": lambda: ask_tool(questions, data),
                "Python": lambda: ask_python(questions, address, token),
                "Swift": lambda: ask_swift(questions, file),
                "JavaScript": lambda: ask_javascript(questions, file),
            }
            if console:
                asked["console"] = lambda: ask_console(file, *console)
            surfaces: dict[str, list[Answer]] = {}
            for name, ask in asked.items():
                begin = time.monotonic()
                surfaces[name] = ask()
                print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
            return compare(questions, surfaces)
        finally:
            service.terminate()
            service.wait(1200)


if __name__ == "__main__":
    sys.exit(main())
