"""Measures the console on a store with a million entries. Tools/check-console --measure runs this.

    measure.py history                       prints the history of the store
    measure.py ADDRESS TOKEN CHROMIUM        measures, and prints a table
"""
import datetime
import json
import random
import sys
import time

# Opens an address in the page. Waits until its screen is shown, then until all parts of the screen are.
OPEN = """async path => {
    const start = performance.now();
    const until = (selector) => new Promise(done => {
        const check = () => document.querySelector(selector) ? requestAnimationFrame(check) : done(performance.now() - start);
        requestAnimationFrame(check);
    });
    history.pushState(null, '', path);
    dispatchEvent(new PopStateEvent('popstate'));
    const screen = await until('main[aria-busy]');
    return [screen, await until('[aria-busy]')];
}"""


def history():
    """100,000 documents in 1,000 folders: ten entries on each, 20,000 users in 1,000 roles, a commit for ten documents."""
    numbers = random.Random(1)
    moment = datetime.datetime(2020, 1, 1)
    print(json.dumps({"format": "permission-history/1", "title": "large", "levels": {"read": ["read"], "write": ["read", "update"]}}))

    def commit(changes):
        nonlocal moment
        moment += datetime.timedelta(minutes=25)
        print(json.dumps({"id": "large", "time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "actor": "user:maker", "changes": changes}))

    commit([{"op": "createRole", "role": f"role:team-{number}"} for number in range(1000)])
    commit([{"op": "createObject", "object": f"folder:f{number}"} for number in range(1000)])
    commit([{"op": "addMember", "role": f"role:team-{number % 1000}", "member": f"user:u{number}"} for number in range(20000)])
    commit([{"op": "grant", "subject": f"role:team-{number}", "object": f"folder:f{number}", "level": "write"} for number in range(1000)])
    for first in range(0, 100000, 10):
        changes = []
        for number in range(first, first + 10):
            changes.append({"op": "createObject", "object": f"doc:d{number}", "parent": f"folder:f{number % 1000}"})
            changes += [{"op": "grant", "subject": f"user:u{numbers.randrange(20000)}", "object": f"doc:d{number}",
                         "level": numbers.choice(["read", "write"])} for _ in range(10)]
        commit(changes)


def measure(address, token, chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(60000)
        page.goto(address + "/console/")
        page.get_by_label("Token").fill(token)
        start = time.monotonic()
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector(".screen")
        print(f"| first screen after the sign-in | {(time.monotonic() - start) * 1000:.0f} ms |")
        for name, path in [("an object", "object/doc%3Ad500"), ("a folder", "object/folder%3Af5"), ("a person", "person/user%3Au77"),
                           ("a role", "person/role%3Ateam-5"), ("activity", "activity"), ("model", "model")]:
            screen, whole = page.evaluate(OPEN, "/console/" + path)
            print(f"| {name}: screen; with all its parts | {screen:.0f} ms; {whole:.0f} ms |")
        for name, path in [("an object", "object/doc%3Ad500"), ("a person", "person/user%3Au77"), ("the overview", "")]:
            moves = [page.evaluate(OPEN, f"/console/{path}?at=2020-0{1 + step % 6}-{10 + step % 18}T{10 + step % 12}:00:00Z")
                     for step in range(100)]
            for what, times in [("screen", sorted(move[0] for move in moves)), ("with all its parts", sorted(move[1] for move in moves))]:
                print(f"| moving through time on {name}, {what}: median; 95 % | {times[50]:.0f} ms; {times[94]:.0f} ms |")
        browser.close()


if sys.argv[1] == "history":
    history()
else:
    measure(*sys.argv[1:])
