"""Tests of the console in a browser. Tools/check-console starts the services and runs this.

    console.py SETTINGS.json [NAME...]    NAME: only tests whose name contains it

The settings name the service, its tokens, the tool, and the folder for pictures. Every page must have no finding of axe, no error in the
browser's console, no violation of the content security policy and no request to another host.
"""
import glob
import json
import re
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
from contextlib import contextmanager
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, quote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

SETTINGS = json.load(open(sys.argv[1]))
AT = SETTINGS["address"]
AXE = Axe()
# Refused requests that a test provokes appear in the browser's console as failed resources.
EXPECTED = re.compile(r"Failed to load resource: the server responded with a status of (401|403|404|409|412)")
LOST = re.compile(r"net::ERR_")
# How long a test waits for an event before it fails; many times what a slow machine needs. A test never waits for a time to pass.
TIMEOUT_MS = 120_000
expect.set_options(timeout=TIMEOUT_MS)
MOMENT = "2024-05-14T09:30:00Z"
tests = []


def test(function):
    tests.append(function)
    return function


class Console:
    """A browser window that is signed in, and that collects everything wrong on its pages."""

    def __init__(self, browser, theme="light", allows_refusals=False, loses_connections=False, **options):
        self.problems = []
        self.expected = [EXPECTED] * allows_refusals + [LOST] * loses_connections
        options = {"locale": "en-GB", "timezone_id": "UTC", **options}
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme, accept_downloads=True, **options)
        self.context.set_default_timeout(TIMEOUT_MS)
        self.page = self.context.new_page()
        self.page.on("console", self.note)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("request", self.check_host)

    def note(self, message):
        if message.type == "error" or "Content Security Policy" in message.text or "TrustedHTML" in message.text:
            if not any(expected.search(message.text) for expected in self.expected):
                self.problems.append(f"{message.type}: {message.text}")

    def check_host(self, request):
        if not request.url.startswith((AT + "/", "blob:", "data:")):
            self.problems.append(f"request to another host: {request.url}")

    def open(self, path, token="admin"):
        """Opens an address without a session and signs in. The address asked for opens afterwards."""
        self.context.clear_cookies()
        if self.page.url.startswith(AT):
            self.page.evaluate("localStorage.removeItem('muniment-session')")
        self.page.goto(AT + path)
        self.sign_in(token)
        return self.page

    def sign_out(self):
        self.page.locator(".menu summary").click()
        self.page.get_by_role("button", name="Sign out").click()

    def sign_in(self, token="admin"):
        self.page.get_by_label("Token").fill(SETTINGS["tokens"].get(token, token))
        self.page.get_by_role("button", name="Sign in").click()
        self.wait()

    def wait(self):
        """Waits until the screen and all its parts are ready."""
        self.page.wait_for_selector(".screen, .failure, .form-error:not(:empty)")
        expect(self.page.locator("[aria-busy], .progress")).to_have_count(0)

    def go(self, path):
        """Opens another address of the console without a new sign-in."""
        # The console marks its page as busy a moment later, and as ready when the new screen is there.
        self.page.evaluate("""path => { document.querySelector('main')?.setAttribute('aria-busy', 'true');
            history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }""", path)
        self.wait()
        return self.page

    def text(self):
        return self.page.locator("main").inner_text()

    def axe(self, what):
        for violation in AXE.run(self.page).response["violations"]:
            targets = "; ".join(str(node["target"]) + " " + str(node.get("failureSummary", ""))[:200] for node in violation["nodes"][:4])
            self.problems.append(f"axe on {what}: {violation['id']}: {violation['help']}: {targets}")

    def close(self):
        self.context.close()
        assert not self.problems, "\n".join(self.problems)


@contextmanager
def without_a_pause(page):
    """Stops the clock of a page, which is installed, so that input is without a pause however slow the machine is."""
    page.clock.pause_at(datetime.fromtimestamp(page.evaluate("Date.now()") / 1000 + 60))
    yield
    page.clock.resume()


def tool(*arguments, store="default"):
    """Asks the tool the same question, and returns its JSON. Exit code 1 is the answer "no"."""
    command = [SETTINGS["tool"], *arguments, "--json", "--store", f"{SETTINGS['data']}/{store}"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode in (0, 1) and answer.stdout, f"{command}: {answer.stderr}"
    return json.loads(answer.stdout.splitlines()[0])


def api(method, path, body=None, token="admin"):
    request = urllib.request.Request(
        AT + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + SETTINGS["tokens"][token], "Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


def change(*changes, store="default", by="user:root"):
    return api("POST", f"/v1/stores/{store}/transactions", {"as": by, "do": list(changes)}, token="all")


def name(text):
    return quote(text, safe="")


SCREENS = {
    "overview": "/console/",
    "object": f"/console/object/doc%3Apayroll?at={MOMENT}",
    "why": f"/console/why/user%3Afay/read/doc%3Apayroll?at={MOMENT}",
    "why-not": "/console/why/user%3Agus/update/doc%3Apayroll",
    "person": "/console/person/user%3Agus",
    "role": "/console/person/role%3Astaff",
    "share": "/console/share/folder%3Ashared",
    "what-if": "/console/what-if",
    "compare": "/console/compare?name=user%3Aeli&from=2024-01-01&to=2025-01-01",
    "activity": "/console/activity",
    "incident": "/console/incident?from=2024-05-14T09:00:00Z&to=2024-05-14T11:00:00Z",
    "model": "/console/model",
    "objects": "/console/object",
    "people": "/console/person",
}


@test
def screens_have_no_findings_in_both_themes(browser):
    for theme in ["light", "dark"]:
        console = Console(browser, theme)
        console.page.goto(AT + "/console/")
        console.axe(f"sign-in, {theme}")
        console.sign_in()
        for screen, path in SCREENS.items():
            console.go(path)
            if screen == "what-if":
                fill_draft(console.page)
                console.wait()
            assert console.page.locator(".failure").count() == 0, f"{screen}: {console.text()}"
            assert console.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{screen} is wider than the window"
            console.axe(f"{screen}, {theme}")
            if SETTINGS.get("pictures") and theme == ("dark" if screen in ("why",) else "light"):
                console.page.evaluate("scrollTo(0, 0)")
                console.page.screenshot(path=f"{SETTINGS['pictures']}/console-{screen}.png", full_page=screen not in ("activity", "overview"))
        console.close()


def fill_draft(page):
    """Adds the removal of the folder `shared` from staff to the draft."""
    page.get_by_label("Who", exact=True).fill("role:staff")
    page.get_by_label("Object", exact=True).fill("folder:shared")
    page.get_by_role("button", name="Add to the draft").click()


@test
def sign_in_opens_the_address_asked_for_and_keeps_the_token_out_of_it(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/object/doc%3Apayroll?at=2024-05-14", token="muni_wrong")
    assert "not valid" in page.locator(".form-error:not(:empty)").inner_text()
    console.sign_in()
    assert page.url == AT + "/console/object/doc%3Apayroll?at=2024-05-14"
    expect(page.get_by_role("heading", name="doc:payroll")).to_be_visible()
    stored = page.evaluate("JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage}) + document.cookie + location.href")
    assert SETTINGS["tokens"]["admin"] not in stored
    page.reload()
    expect(page.get_by_role("heading", name="doc:payroll")).to_be_visible()
    console.close()


@test
def a_reload_a_new_tab_and_a_pasted_link_keep_the_session_until_sign_out(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/")
    for screen, path in SCREENS.items():
        for load in [lambda: page.goto(AT + path), page.reload]:
            load()
            console.wait()
            assert page.url == AT + path, f"{screen}: {page.url}"
            assert page.locator(".failure").count() == 0, f"{screen}: {console.text()}"
    cookie, = console.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["path"] == "/" and cookie["expires"] == -1, cookie
    # Scripts see the key and not the cookie. One without the other is useless.
    assert cookie["value"] not in page.evaluate("JSON.stringify({...localStorage}) + document.cookie")
    key = page.evaluate("localStorage.getItem('muniment-session')")
    for headers in [{"Cookie": f"{cookie['name']}={cookie['value']}"}, {"Muniment-Session": key}]:
        try:
            urllib.request.urlopen(urllib.request.Request(AT + "/v1/stores", headers=headers))
            raise AssertionError(headers)
        except urllib.error.HTTPError as error:
            assert error.code == 401, error
    tab = console.context.new_page()
    tab.goto(AT + SCREENS["object"])
    expect(tab.get_by_role("heading", name="doc:payroll")).to_be_visible()
    # A link on a page of another site.
    other = console.context.new_page()
    other.route("http://other.example/", lambda route: route.fulfill(content_type="text/html", body=f'<a href="{AT}{SCREENS["person"]}">link</a>'))
    other.goto("http://other.example/")
    other.get_by_role("link").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("user:gus")
    # Signing out ends the session in every tab.
    console.sign_out()
    for closed in [page, tab, other]:
        expect(closed.get_by_label("Token")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Token")).to_be_visible()
    assert console.context.cookies() == [] and page.evaluate("localStorage.getItem('muniment-session')") is None
    console.close()


@test
def answers_on_screen_are_the_tools(browser):
    # An object that does not exist at a moment is answered with 404.
    console = Console(browser, allows_refusals=True)
    console.open("/console/")
    for moment in [MOMENT, "2024-05-14T10:30:00Z", "2022-06-01T00:00:00Z", None]:
        at = f"?at={moment}" if moment else ""
        arguments = ["--at", moment] if moment else []
        for item in ["doc:payroll", "folder:bridge", "doc:handbook"]:
            page = console.go(f"/console/object/{name(item)}{at}")
            rows = page.locator("main section").first.locator("tbody tr")
            seen = {row.locator("th").inner_text().strip() for row in rows.all() if row.locator("td .chip.read").count() > 0}
            said = set(tool("who", "read", item, *arguments)["subjects"])
            # If everyone may read, the tool names only everyone, and the page also those who may do more.
            assert said <= seen and (seen == said or "everyone" in said), f"{item} at {moment}: {seen} and {said}"
        for person in ["user:gus", "user:fay", "user:eli"]:
            page = console.go(f"/console/person/{name(person)}{at}")
            rows = page.locator("main section").first.locator("tbody tr")
            seen = {row.locator("th").inner_text().strip() for row in rows.all() if row.locator("td .chip.read").count() > 0}
            assert seen == set(tool("what", person, "read", *arguments)["objects"]), f"{person} at {moment}: {seen}"
    console.close()


@test
def the_four_questions_are_answered(browser):
    console = Console(browser)
    page = console.open(f"/console/object/doc%3Apayroll?at={MOMENT}")
    fay = page.locator("main section").first.locator("tr", has_text="user:fay")
    for part in ["role:drafting", "role:studio", "role:staff", "folder:finance", "14 May 2024, 09:10", "user:ann"]:
        assert part in fay.inner_text(), part
    fay.get_by_role("link", name="read").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("user:fay could read doc:payroll on 14 May 2024 at 09:30")
    console.go("/console/person/user%3Agus")
    assert page.locator("main section").first.locator("tbody tr").all_inner_texts()[0].startswith("doc:handbook")
    console.go("/console/person/user%3Aeli")
    page.get_by_role("link", name="2024", exact=True).click()
    console.wait()
    expect(page.locator("main tbody tr")).to_have_count(len(tool("diff", "user:eli", "--from", "2024-01-01", "--to", "2025-01-01")["differences"]))
    console.go("/console/object/folder%3Ashared")
    page.locator("section", has_text="Entries on this object").locator("tr", has_text="role:staff").get_by_role("button", name="What if removed?").click()
    console.wait()
    expect(page.locator(".counts")).to_contain_text("4 people lose")
    for person in ["dev", "eli", "fay", "ivo"]:
        expect(page.locator(".effects tr", has_text=f"user:{person}")).to_contain_text("folder:shared")
    kept = page.get_by_role("table", name="Who keeps access").locator("tr", has_text="folder:shared")
    expect(kept.locator("summary")).to_have_text("3 people keep read")
    kept.locator("summary").click()
    expect(kept.locator("li")).to_have_text(["user:ann", "user:cara", "user:hana"])
    console.axe("who keeps access")
    console.close()


@test
def why_shows_each_edge_with_event_actor_and_time(browser):
    console = Console(browser)
    page = console.open(SCREENS["why"])
    nodes = page.locator("section .path").first.locator(".node").all_inner_texts()
    assert nodes == ["user:fay", "role:drafting", "role:studio", "role:staff", "folder:finance", "doc:payroll"], nodes
    edge = page.locator("section .path").first.locator(".edge", has_text="has").inner_text()
    assert "14 May 2024, 09:10" in edge and "user:ann" in edge and "revision 26 · request h26" in edge, edge
    page.get_by_role("button", name="revision 26").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("role:staff was granted read on folder:finance")
    expect(dialog.locator(".facts dd").last).to_have_text(re.compile("^[0-9a-f]{64}$"))
    dialog.get_by_role("button", name="Close").click()
    console.go("/console/why/user%3Agus/update/doc%3Apayroll")
    assert page.locator(".verdict").inner_text().startswith("No")
    page.get_by_role("button", name="Try it").first.click()
    console.wait()
    expect(page.locator(".counts")).to_contain_text("1 person gains")
    console.close()


@test
def lanes_show_what_began_and_ended_a_bar(browser):
    console = Console(browser)
    page = console.open(SCREENS["object"])
    lane = page.locator(".lane", has_text="user:fay")
    marker = page.locator(".lane-moment")
    expect(marker).to_have_text("14 May 2024, 09:30")
    page.get_by_role("button", name="Day").click()
    bars = lane.locator(".bar")
    expect(bars).to_have_count(1)
    bars.first.hover()
    details = page.locator(".lane-details")
    expect(details).to_contain_text("from 14 May 2024, 09:10:00 to 14 May 2024, 10:00:00 (50 minutes)")
    expect(details.locator(".cause").first).to_contain_text("Began: user:ann: role:staff was granted read on folder:finance")
    expect(details.locator(".cause").last).to_contain_text("Ended: user:ann: role:staff lost everything from its entry on folder:finance")
    # The axis has round times.
    times = page.locator(".lane-axis span").all_inner_texts()
    assert 3 <= len(times) <= 7 and all(re.search(r"(00|06|12|18):00", time) for time in times), times
    # The history has changes of access to the objects above, since the object was created.
    history = page.locator(".timeline")
    expect(history).to_contain_text("role:staff was granted read on folder:finance")
    expect(history).not_to_contain_text("folder:finance was created")
    # The zoom stays while the reader moves through time, and the line shows the moment.
    page.locator("time-slider").get_by_role("button").first.click()
    page.wait_for_url("**at=*")
    console.wait()
    expect(page.get_by_role("button", name="Day")).to_have_attribute("aria-pressed", "true")
    expect(lane.locator(".moment-line")).to_have_attribute("x1", "500.00")
    page.get_by_role("button", name="All", exact=True).click()
    expect(bars).to_have_count(4)
    page.locator("time-slider").get_by_role("button").first.click()
    console.wait()
    expect(lane.locator(".moment-line")).not_to_have_attribute("x1", "500.00")
    expect(bars).to_have_count(4)
    expect(marker).to_have_text("11 Mar 2024, 09:40")
    bars.last.focus()
    expect(details).to_contain_text("since")
    # Without a moment, the line shows the present, at the right end.
    page.get_by_role("button", name="Now", exact=True).click()
    console.wait()
    expect(marker).to_have_text("now")
    expect(lane.locator(".moment-line")).to_have_attribute("x1", "1000.00")
    console.close()


@test
def without_a_connection_the_page_says_so_and_continues_later(browser):
    console = Console(browser, loses_connections=True)
    page = console.open("/console/")
    console.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("No connection")
    page.evaluate("history.pushState(null, '', '/console/person/user%3Agus'); dispatchEvent(new PopStateEvent('popstate'))")
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
    console.axe("no connection")
    console.context.set_offline(False)
    expect(page.get_by_role("heading", level=1)).to_have_text("user:gus")
    console.wait()
    expect(page.locator(".banner")).to_be_hidden()
    console.close()


@test
def time_moves_every_screen_and_is_in_the_address(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/object/doc%3Apayroll")
    page.clock.install()
    knob = page.get_by_label("Moment", exact=True)
    assert knob.input_value() == "2000"
    field = page.get_by_label("Date and time")
    with without_a_pause(page):
        field.press_sequentially("05142024")
    page.wait_for_url("**at=2024-05-14*")
    console.wait()
    # The page and the knob have moved, and the field keeps the focus.
    assert 0 < int(knob.input_value()) < 1500, knob.input_value()
    page.go_back()
    assert "at=" not in page.url, page.url
    field.fill("2024-05-14T09:30:00")
    page.wait_for_url("**at=2024-05-14T09%3A30%3A00Z")
    console.wait()
    page.get_by_role("heading", level=1).click()
    expect(page.locator("main section").first).to_contain_text("user:fay")
    page.get_by_role("link", name="People and roles").click()
    console.wait()
    assert "at=2024-05-14" in page.url
    page.go_back()
    console.wait()
    page.get_by_label("Next change").click()
    console.wait()
    expect(page.locator("time-slider")).to_contain_text("revision 27")
    slider = page.get_by_label("Moment", exact=True)
    slider.focus()
    slider.press("Home")
    console.wait()
    expect(page.locator("main")).to_contain_text("does not exist at this moment")
    slider.press("End")
    page.wait_for_url(lambda url: "at=" not in url)
    console.wait()
    assert "at=" not in page.url, page.url
    console.close()


@test
def a_moment_that_is_none_is_replaced_and_a_drag_keeps_the_one_before(browser):
    # Names that do not exist are answered with 404.
    console = Console(browser, allows_refusals=True)
    page = console.open(f"/console/object/doc%3Apayroll?at={MOMENT}")
    page.clock.install()
    field = page.get_by_label("Date and time")
    # Typed without a pause: a year has four digits, so the rest is the time.
    with without_a_pause(page):
        field.press_sequentially("06152025120000PM")
    page.get_by_role("heading", level=1).click()
    page.wait_for_url("**at=2025-06-15T12%3A00%3A00Z")
    console.wait()
    assert field.input_value().startswith("2025-06-15T12:00"), field.input_value()
    # A deleted part is no moment.
    field.focus()
    page.keyboard.press("Delete")
    page.get_by_role("heading", level=1).click()
    assert field.input_value().startswith("2025-06-15T12:00"), field.input_value()
    # Several steps of the slider are one step of the history.
    knob = page.get_by_label("Moment", exact=True)
    knob.focus()
    with without_a_pause(page):
        for _ in range(5):
            page.keyboard.press("ArrowLeft")
    page.wait_for_url(lambda url: "2025-06-15" not in url)
    console.wait()
    assert "2025-06-15" not in page.url, page.url
    page.go_back()
    page.wait_for_url("**at=2025-06-15T12%3A00%3A00Z")
    console.go("/console/object/doc%3Apayroll?at=2020-01-01T00:00:00Z")
    expect(page.locator("time-slider")).to_contain_text("before the store existed")
    expect(page.locator("time-slider")).not_to_contain_text("revision")
    console.go(f"/console/?at={MOMENT}")
    expect(page.locator("main")).to_contain_text("These counts are about the present")
    console.go("/console/compare?name=user%3Anobody&from=2024-01-01")
    expect(page.locator("main")).to_contain_text("This name is not in the store")
    console.go("/console/compare?name=user%3Aeli&from=2024-01-01&to=2025-01-01")
    expect(page.locator("main")).to_contain_text("not those of its roles")
    console.close()


@test
def search_opens_with_the_slash_key(browser):
    console = Console(browser)
    page = console.open("/console/")
    page.keyboard.press("/")
    page.keyboard.type("payr")
    expect(page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    console.axe("search")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("doc:payroll")
    console.wait()
    console.close()


@test
def share_previews_saves_undoes_and_shows_a_conflict(browser):
    shared = f"doc:shared-{time.time_ns()}"
    change({"op": "createObject", "object": shared, "parent": "folder:shared"})
    before = tool("entries", shared)
    console = Console(browser, allows_refusals=True)
    page = console.open(f"/console/share/{name(shared)}")
    page.get_by_label("Acting as").fill("user:ann")
    page.get_by_label("Add a person or a role").fill("user:gus")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".effects")).to_contain_text("user:gus")
    expect(page.locator(".effects")).to_contain_text("1 person gains")
    page.get_by_label("Comment", exact=True).fill("for the test")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.good")).to_contain_text("Saved in revision")
    assert tool("check", "user:gus", "read", shared)["allowed"]
    page.get_by_label("Acting as").fill("user:ann")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".note.good")).to_contain_text("Undone")
    assert tool("entries", shared)["entries"] == before["entries"]
    page.get_by_label("Acting as").fill("user:ann")
    page.get_by_label("Add a person or a role").fill("user:gus")
    page.get_by_role("button", name="Add", exact=True).click()
    change({"op": "grant", "subject": "user:ivo", "object": shared, "privileges": ["read"]})
    page.get_by_role("button", name="Save", exact=True).click()
    conflict = page.get_by_role("alert").filter(has_text="Somebody else")
    expect(conflict).to_contain_text("user:ivo")
    assert not tool("check", "user:gus", "update", shared)["allowed"]
    conflict.get_by_role("button").click()
    expect(page.get_by_label("user:ivo may read")).to_be_checked()
    page.get_by_label("Acting as").fill("user:ann")
    page.get_by_label("Add a person or a role").fill("user:gus")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.good")).to_contain_text("Saved in revision")
    change({"op": "grant", "subject": "user:gus", "object": shared, "privileges": ["update"]})
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("alert").filter(has_text="Somebody else")).to_contain_text("user:gus")
    assert tool("check", "user:gus", "update", shared)["allowed"]
    console.close()


@test
def what_if_shows_who_keeps_access(browser):
    item = f"doc:kept-{time.time_ns()}"
    readers = ["everyone", "user:ben", "user:gus"]
    change({"op": "createObject", "object": item}, *({"op": "grant", "subject": who, "object": item, "privileges": ["read"]} for who in readers))

    def revoke(page, subject):
        page.get_by_role("button", name="Drop the draft").click()
        page.get_by_label("Change", exact=True).select_option(label="Revoke access")
        page.get_by_label("Who", exact=True).fill(subject)
        page.get_by_label("Object", exact=True).fill(item)
        page.get_by_role("button", name="Add to the draft").click()
        console.wait()

    console = Console(browser)
    page = console.open("/console/what-if")
    kept = page.get_by_role("table", name="Who keeps access").locator("tr", has_text=item)
    fill_draft(page)
    revoke(page, "everyone")
    # While everyone has access, the service does not list the people with an entry of their own.
    expect(page.get_by_role("table", name="Who keeps access")).to_contain_text("cannot be listed while everyone has it")
    change({"op": "revoke", "subject": "everyone", "object": item})
    revoke(page, "user:ben")
    expect(kept.locator("summary")).to_have_text("1 person keeps read")
    kept.locator("summary").click()
    expect(kept.locator("li")).to_have_text(["user:gus"])
    page.get_by_role("button", name="Drop the draft").click()
    expect(page.locator(".draft li")).to_have_count(0)
    # A long list of people is cut, and says so.
    page.route("**/who", lambda route: route.fulfill(json={"subjects": ["user:ben", "user:gus"], "next": "more", "revision": 1}))
    page.get_by_label("Change", exact=True).select_option(label="Grant access")
    page.get_by_label("Who", exact=True).fill("user:eli")
    page.get_by_label("Object", exact=True).fill("folder:finance")
    page.get_by_role("button", name="Add to the draft").click()
    cut = page.get_by_role("table", name="Who keeps access").locator("details", has_text="At least").first
    cut.locator("summary").click()
    expect(cut).to_contain_text("The list is cut")
    console.close()
    change({"op": "deleteObject", "object": item})


@test
def what_if_commits_a_draft(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/what-if")
    page.get_by_label("Change", exact=True).select_option(label="Add a member")
    page.get_by_label("Member", exact=True).fill("user:gus")
    page.get_by_label("Role", exact=True).fill("role:office")
    page.get_by_role("button", name="Add to the draft").click()
    expect(page.locator(".effects tr", has_text="user:gus")).to_contain_text("doc:payroll")
    assert not tool("check", "user:gus", "read", "doc:payroll")["allowed"]
    page.get_by_label("Acting as").fill("user:gus")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("status").filter(has_text="lacks")).to_be_visible()
    page.get_by_label("Acting as").fill("user:root")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("status").filter(has_text="Done, in revision")).to_be_visible()
    assert tool("check", "user:gus", "read", "doc:payroll")["allowed"]
    change({"op": "removeMember", "member": "user:gus", "role": "role:office"})
    console.close()


def rows_of(page):
    """The people that an object page lists, with their privileges: a row for each cause."""
    found = {}
    for row in page.locator("main section").first.locator("tbody tr").all():
        found.setdefault(row.locator("th").inner_text().strip(), []).extend(row.locator("td").first.locator(".chip").all_inner_texts())
    return found


@test
def a_person_sees_the_past_and_the_own_privileges_of_objects_it_controls(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open(f"/console/object/doc%3Apayroll?at={MOMENT}", token="ann")
    rows = rows_of(page)
    for privilege in ["read", "comment"]:
        question = {"privilege": privilege, "object": "doc:payroll", "at": MOMENT}
        said = api("POST", "/v1/stores/default/who", question, token="ann")["subjects"]
        assert {who for who, privileges in rows.items() if privilege in privileges} == set(said), rows
    expect(page.locator("time-slider")).to_contain_text("revision 26")
    console.go("/console/share/folder%3Ashared")
    expect(page.get_by_label("role:staff may comment")).to_be_checked()
    console.close()


@test
def a_moment_in_the_future_shows_who_still_has_access_then(browser):
    item = f"doc:ending-{time.time_ns()}"
    change({"op": "createObject", "object": item},
           {"op": "grant", "subject": "user:gus", "object": item, "privileges": ["read"], "until": "2098-01-01T00:00:00Z"},
           {"op": "grant", "subject": "user:eli", "object": item, "privileges": ["read"]})
    for token in ["admin", "ann"]:
        console = Console(browser, allows_refusals=True)
        change({"op": "grant", "subject": "user:ann", "object": item, "privileges": ["read", "setPermissions"]})
        for moment in ["2097-01-01", "2099-01-01"]:
            page = console.open(f"/console/object/{name(item)}?at={moment}", token=token)
            said = api("POST", "/v1/stores/default/who", {"privilege": "read", "object": item, "at": moment})["subjects"]
            assert set(rows_of(page)) == set(said) and ("user:gus" in said) == (moment < "2098"), rows_of(page)
            expect(page.locator("main section h2").first).to_contain_text("Who will have access on")
        console.close()


@test
def names_of_the_language_are_only_names(browser):
    own = ["constructor", "toString", "__proto__"]
    everyone = [{"op": "grant", "subject": "everyone", "object": item, "privileges": ["read", *own]} for item in ["store", "class:doc"]]
    classes = [{"op": "changeClass", "class": kind, "privileges": own} for kind in ["store", "doc"]]
    change(*classes, {"op": "defineClass", "class": "constructor"}, *everyone,
           {"op": "createObject", "object": "doc:odd"}, {"op": "createObject", "object": "constructor:toString"},
           {"op": "grant", "subject": "user:mallory", "object": "doc:odd", "privileges": ["read", *own]}, store="hostile")
    console = Console(browser)
    page = console.open("/console/stores/hostile/object/doc%3Aodd")
    assert set(rows_of(page)["user:mallory"]) == {"read", *own}, rows_of(page)
    expect(page.locator(".lane", has_text="user:mallory").locator(".bar")).to_have_count(4)
    for path in ["object/constructor%3AtoString", "share/doc%3Aodd", "why/user%3Amallory/__proto__/doc%3Aodd", "person/user%3Amallory"]:
        console.go(f"/console/stores/hostile/{path}")
        assert page.locator(".failure").count() == 0, f"{path}: {console.text()}"
    console.go("/console/stores/hostile/constructor")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
    console.close()


@test
def what_if_commits_only_the_effects_that_were_shown(browser):
    item, role = f"doc:late-{time.time_ns()}", f"role:late-{time.time_ns()}"
    change({"op": "createObject", "object": item}, {"op": "createRole", "role": role})

    def draft(page):
        page.get_by_label("Change", exact=True).select_option(label="Add a member")
        page.get_by_label("Member", exact=True).fill("user:gus")
        page.get_by_label("Role", exact=True).fill(role)
        page.get_by_role("button", name="Add to the draft").click()
        expect(page.locator(".effects")).to_contain_text("Nobody would gain")

    # A page that follows the commits shows the new effects at once.
    console = Console(browser)
    draft(console.open("/console/what-if"))
    change({"op": "grant", "subject": role, "object": item, "privileges": ["read"]})
    expect(console.page.locator(".effects tr", has_text="user:gus")).to_contain_text(item)
    expect(console.page.get_by_role("status").filter(has_text="have changed")).to_be_visible()
    console.close()
    # A commit between the last preview and this commit, about the same object: the service refuses it, and the page asks again.
    change({"op": "createObject", "object": item + "-2"})
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/what-if")
    page.get_by_label("Change", exact=True).select_option(label="Grant access")
    page.get_by_label("Who", exact=True).fill("user:gus")
    page.get_by_label("Object", exact=True).fill(item + "-2")
    page.get_by_role("button", name="Add to the draft").click()
    expect(page.locator(".effects tr", has_text="user:gus")).to_be_visible()

    def overtake(route):
        change({"op": "grant", "subject": "user:eli", "object": item + "-2", "privileges": ["read"]})
        route.continue_()

    page.route("**/transactions", overtake, times=1)
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("status").filter(has_text="have changed")).to_be_visible()
    assert not tool("check", "user:gus", "read", item + "-2")["allowed"]
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("status").filter(has_text="Done, in revision")).to_be_visible()
    console.close()
    # A page that has not heard of a commit asks again.
    change({"op": "revoke", "subject": role, "object": item})
    console = Console(browser, loses_connections=True)
    console.page.route("**/v1/stores/default/commits*", lambda route: route.abort())
    page = console.open("/console/what-if")
    expect(page.locator("time-slider")).to_contain_text("revision")
    draft(page)
    change({"op": "grant", "subject": role, "object": item, "privileges": ["read"]})
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("status").filter(has_text="have changed")).to_be_visible()
    expect(page.locator(".effects tr", has_text="user:gus")).to_contain_text(item)
    assert not tool("check", "user:gus", "read", item)["allowed"]
    page.get_by_role("button", name="Commit").click()
    done = page.get_by_role("status").filter(has_text="Done, in revision")
    expect(done).to_be_visible()
    revision = re.search("revision ([0-9]+)", done.inner_text())[1]
    expect(page.locator("time-slider")).to_contain_text(f"revision {revision}")
    assert tool("check", "user:gus", "read", item)["allowed"]
    console.close()
    change({"op": "deleteRole", "role": role})


@test
def a_name_without_a_class_is_not_added_to_a_draft(browser):
    console = Console(browser)
    page = console.open("/console/what-if")
    page.get_by_label("Who", exact=True).fill("staff")
    page.get_by_label("Object", exact=True).fill("shared")
    page.get_by_role("button", name="Add to the draft").click()
    said = page.get_by_label("Who", exact=True).evaluate("input => input.validationMessage")
    assert said == "`staff` has no class. Write a name such as user:staff, role:staff.", said
    expect(page.locator(".draft li")).to_have_count(0)
    fill_draft(page)
    expect(page.locator(".draft li")).to_have_count(1)
    # A field for one class alone knows the class.
    page.get_by_label("Change", exact=True).select_option(label="Delete a role")
    page.get_by_label("Role", exact=True).fill("staff")
    page.get_by_role("button", name="Add to the draft").click()
    expect(page.locator(".draft li").nth(1)).to_contain_text("delete role:staff")
    console.close()


@test
def changes_are_of_the_present_and_keep_the_moment(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/why/user%3Agus/read/doc%3Apayroll?at=2024-05-14")
    page.get_by_role("button", name="Try it").first.click()
    console.wait()
    assert "what-if?at=2024-05-14" in page.url, page.url
    expect(page.locator("main .note").first).to_contain_text("Changes apply to the present")
    console.go("/console/object/folder%3Ashared")
    page.get_by_label("Previous change").click()
    console.wait()
    page.get_by_role("link", name="Share", exact=True).click()
    console.wait()
    assert "share/folder%3Ashared?at=" in page.url, page.url
    expect(page.locator("main .note").first).to_contain_text("Changes apply to the present")
    console.close()


@test
def a_draft_survives_an_expired_session(browser):
    def tokens(*arguments):
        command = [SETTINGS["tool"], "token", *arguments, "--data", SETTINGS["data"]]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    short = tokens("create", "--store", "default", "--can", "ask").strip()
    number = re.findall(r"^(t[0-9]+) ", tokens("list"), re.MULTILINE)[-1]
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/what-if", token=short)
    fill_draft(page)
    expect(page.locator(".draft li")).to_have_count(1)
    tokens("revoke", number)
    expect(page.get_by_label("Token")).to_be_visible()
    console.sign_in("ask")
    expect(page.locator(".draft li")).to_contain_text("role:staff")
    console.sign_out()
    console.sign_in("ask")
    expect(page.locator(".draft li")).to_have_count(0)
    console.close()


@test
def classes_and_the_store_are_levels_and_give_no_access(browser):
    console = Console(browser)
    for item in ["class:doc", "store"]:
        page = console.open(f"/console/object/{name(item)}")
        expect(page.locator("main")).to_contain_text("one of the three levels")
        expect(page.locator("main")).not_to_contain_text("Nobody")
        entries = page.locator("section", has_text="Entries on this object")
        expect(entries.locator("tr", has_text="everyone")).to_contain_text("setPermissions")
    console.close()


@test
def a_value_is_shown_in_lines(browser):
    item, value = f"doc:value-{time.time_ns()}", {"pages": [1, 2], "title": "a\u202eb\nc"}
    change({"op": "createObject", "object": item, "value": value})
    console = Console(browser)
    page = console.open(f"/console/object/{name(item)}")
    shown = page.locator("pre.value").text_content().strip()
    assert shown == json.dumps(value, indent=2, ensure_ascii=False).replace("\u202e", "⟨U+202E⟩"), shown
    console.close()


# Pairs of texts whose visible rectangles overlap.
OVERLAPS = """() => {
    scrollTo(0, 0);
    // The browser has not laid out the cards below the window.
    document.querySelectorAll('.card').forEach((card) => { card.style.contentVisibility = 'visible'; });
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || !element.checkVisibility() || element.closest('option, .visually-hidden, .skip')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const { left, top, right, bottom } of range.getClientRects()) {
            const box = { left, top, right, bottom };
            for (let up = element; up; up = up.parentElement) {
                if (getComputedStyle(up).overflowX === 'visible') continue;
                const edge = up.getBoundingClientRect();
                Object.assign(box, { left: Math.max(box.left, edge.left), top: Math.max(box.top, edge.top), right: Math.min(box.right, edge.right), bottom: Math.min(box.bottom, edge.bottom) });
            }
            if (box.right - box.left > 2 && box.bottom - box.top > 2) texts.push({ ...box, text: node.data.trim() });
        }
    }
    const found = [];
    texts.forEach((one, place) => texts.slice(place + 1).forEach((other) => {
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (across > 2 && down > 5) found.push(`${one.text} / ${other.text}`);
    }));
    return found.slice(0, 5);
}"""


@test
def narrow_windows_do_not_scroll_sideways_and_no_texts_overlap(browser):
    console = Console(browser)
    console.page.set_viewport_size({"width": 390, "height": 800})
    console.open("/console/")
    for screen, path in SCREENS.items():
        console.go(path)
        if screen == "what-if":
            fill_draft(console.page)
            console.wait()
        for overlap in console.page.evaluate(OVERLAPS):
            console.problems.append(f"{screen}: texts overlap: {overlap}")
        wide = console.page.evaluate("""() => [...document.querySelectorAll('body *')]
            .filter((element) => element.getBoundingClientRect().right > innerWidth && !element.closest('.table-scroll, pre, svg'))
            .map((element) => element.outerHTML.slice(0, 120))""")
        if wide or not console.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            console.problems.append(f"{screen} is wider than the window: {wide[:3]}")
    console.close()


@test
def small_things_are_right(browser):
    console = Console(browser)
    page = console.open("/console/object/doc%3Apayroll?at=2023-02-01")
    assert page.locator("main section").first.locator("caption").inner_text().startswith("Who had access on 1 February 2023")
    page.get_by_label("Previous change").click()
    console.wait()
    # The page shows revision 14 before and after the step.
    page.wait_for_url("**at=14")
    expect(page.locator("time-slider")).to_contain_text("revision 14")
    page.locator(".menu summary").click()
    page.keyboard.press("Escape")
    expect(page.locator(".menu[open]")).to_have_count(0)
    console.go("/console/why/user%3Agus/fly/doc%3Apayroll")
    expect(page.locator(".note.warn")).to_contain_text("There is no privilege fly")
    expect(page.locator(".note.warn")).to_contain_text("comment")
    console.go("/console/person/user%3Aeli")
    expect(page.locator(".years-line")).to_contain_text("What changed in")
    page.get_by_role("link", name="2024", exact=True).click()
    console.wait()
    page.get_by_role("link", name="All changes between").click()
    console.wait()
    rows = page.locator("main tbody tr").all_inner_texts()
    assert len(rows) == 3 and all("2024" in row and "user:eli" in row for row in rows), rows
    console.go("/console/person/user%3Aeli")
    page.get_by_role("link", name="All changes").click()
    console.wait()
    assert "activity?subject=user%3Aeli" in page.url and page.locator("main tbody tr").count() > 3
    console.close()


@test
def activity_filters_and_saves_files(browser):
    console = Console(browser)
    page = console.open("/console/activity?actor=user%3Acara&kind=AccessGranted")
    rows = page.locator("main tbody tr")
    assert rows.count() > 3 and all("user:cara" in row and "granted" in row for row in rows.all_inner_texts())
    path = save(page, "Save as CSV")
    expect(page.get_by_role("status").filter(has_text="Saved")).to_have_text(f"Saved {rows.count()} lines: all that match.")
    assert open(path, newline="").read() == tool_text("audit", "--actor", "user:cara", "--kind", "AccessGranted", "--format", "csv")
    page.get_by_label("Text in names").fill("mill")
    page.get_by_role("button", name="Show", exact=True).click()
    console.wait()
    expect(rows.filter(has_not_text="mill")).to_have_count(0)
    assert rows.count() > 0
    console.close()


def save(page, button):
    """Saves a file of a page, and returns its path."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return download.value.path()


def tool_text(*arguments, store="default"):
    command = [SETTINGS["tool"], *arguments, "--utc", "--store", f"{SETTINGS['data']}/{store}"]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode()


@test
def files_of_activity_are_whole_and_labels_say_how_many_there_are(browser):
    # More records than a page of the screen has, with a text that a spreadsheet would calculate.
    many, comment = f"user:many-{time.time_ns()}", "a;=1+1"
    change({"op": "register", "principal": many}, {"op": "appointAdministrator", "principal": many})
    for number in range(128):
        api("POST", "/v1/stores/default/transactions", {"as": many, "comment": comment, "do": [{"op": "register", "principal": f"{many}-{number}"}]}, token="all")
    console = Console(browser)
    page = console.open(f"/console/activity?actor={name(many)}&kind=PrincipalRegistered")
    expect(page.locator("main tbody tr")).to_have_count(100)
    expect(page.get_by_role("status").filter(has_text="lines").first).to_have_text("100 of 128 lines")
    text = open(save(page, "Save as CSV"), newline="").read()
    assert text == tool_text("audit", "--actor", many, "--kind", "PrincipalRegistered", "--format", "csv")
    assert len(text.splitlines()) == 129 and "a;'=1+1" in text
    assert len(open(save(page, "Save as JSON Lines")).read().splitlines()) == 128
    page.get_by_role("button", name="Load older lines").click()
    expect(page.get_by_role("status").filter(has_text="lines").first).to_have_text("128 lines")
    # A text in names selects the lines of the files, too.
    console.go(f"/console/activity?actor={name(many)}&text={many[5:]}-12")
    expect(page.get_by_role("status").filter(has_text="lines").first).to_contain_text("9 lines with this text")
    assert len(open(save(page, "Save as CSV"), newline="").read().splitlines()) == 10
    console.close()
    change({"op": "dismissAdministrator", "principal": many})


@test
def a_row_has_one_cause_one_date_and_one_author(browser):
    item, role = f"doc:cause-{time.time_ns()}", f"role:cause-{time.time_ns()}"
    change({"op": "createObject", "object": item}, {"op": "createRole", "role": role},
           {"op": "grant", "subject": role, "object": item, "privileges": ["read", "update"]})
    change({"op": "grant", "subject": "user:ann", "object": item, "privileges": ["read", "update", "setPermissions"]})
    change({"op": "grant", "subject": "user:gus", "object": item, "privileges": ["read"]}, by="user:ann")
    change({"op": "addMember", "member": "user:gus", "role": role})
    change({"op": "grant", "subject": "user:gus", "object": item, "privileges": ["delete"]})
    # Another way gave `read` before, without a break.
    change({"op": "grant", "subject": "user:eli", "object": item, "privileges": ["read"]}, by="user:ann")
    change({"op": "addMember", "member": "user:eli", "role": role})
    change({"op": "revoke", "subject": "user:eli", "object": item})
    console = Console(browser)
    for path, key in [(f"/console/object/{name(item)}", "user:gus"), ("/console/person/user%3Agus", item)]:
        page = console.open(path) if path.startswith("/console/object") else console.go(path)
        if "person" in path:
            # The filter is only there for a long list.
            if page.get_by_role("searchbox", name="Filter").count() > 0:
                page.get_by_role("searchbox", name="Filter").fill(item)
            console.wait()
        rows = page.locator("main section").first.locator("tbody tr", has_text=key)
        expect(rows).to_have_count(3)
        seen = [(row.locator("td").nth(0).locator(".chip").all_inner_texts(), row.locator("td").nth(2).inner_text().strip(),
                 " ".join(row.locator("td").nth(3).inner_text().split("(")[0].split()).replace(" ,", ",")) for row in rows.all()]
        assert seen == [(["read"], "user:ann", "own entry"), (["update"], "user:root", f"member of {role}, which has an entry"),
                        (["delete"], "user:root", "own entry")], seen
        for row in rows.all():
            expect(row.locator("td").nth(1).locator("time")).to_have_count(1)
    console.go(f"/console/object/{name(item)}")
    rows = page.locator("main section").first.locator("tbody tr", has_text="user:eli")
    expect(rows).to_have_count(2)
    seen = [(row.locator("td").nth(0).locator(".chip").all_inner_texts(), row.locator("td").nth(2).inner_text().strip(),
             "in this way since" in row.locator("td").nth(3).inner_text()) for row in rows.all()]
    assert seen == [(["read"], "user:ann", True), (["update"], "user:root", False)], seen
    console.close()
    change({"op": "deleteObject", "object": item}, {"op": "deleteRole", "role": role})


@test
def share_offers_the_named_sets_and_gives_no_more_than_was_chosen(browser):
    console = Console(browser)
    page = console.open(f"/console/share/{name('doc:handbook')}")
    options = page.get_by_label("Level").locator("option").all_inner_texts()
    assert options[:4] == ["read: read", "comment: read, comment", "write: read, comment, update", "admin: read, comment, update, delete, setPermissions"], options
    page.get_by_label("Add a person or a role").fill("user:gus")
    page.get_by_label("Level").select_option(label="comment")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".draft .chip")).to_have_text(["comment"])
    # Sets that do not contain each other.
    console.go("/console/stores/levels/share/repo%3Asite")
    options = page.get_by_label("Level").locator("optgroup").first.locator("option").all_inner_texts()
    assert options == ["viewer: read", "billing: read, pay", "deployer: read, deploy"], options
    page.get_by_label("Add a person or a role").fill("user:gus")
    page.get_by_label("Level").select_option(label="deployer: read, deploy")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".draft .chip")).to_have_text(["read", "deploy"])
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.good")).to_contain_text("Saved in revision")
    assert tool("privileges", "user:gus", "repo:site", store="levels")["privileges"] == ["deploy", "read"]
    console.close()


@test
def changes_without_effect_say_so(browser):
    item = f"doc:blocked-{time.time_ns()}"
    change({"op": "createObject", "object": item})
    console = Console(browser)
    page = console.open(f"/console/share/{name(item)}")
    page.get_by_label("Add a person or a role").fill("anonymous")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.warn")).to_contain_text(f"`anonymous` gets nothing by the grant on `{item}`")
    console.close()
    change({"op": "deleteObject", "object": item})


@test
def the_page_of_a_class_says_what_its_objects_inherit(browser):
    console = Console(browser)
    page = console.open("/console/object/class%3Adoc")
    options = api("GET", "/v1/stores/default/names/class%3Adoc")["options"]
    assert options["inherits"] is not False, options
    expect(page.locator("main")).not_to_contain_text("inherit nothing")
    expect(page.locator("main")).to_contain_text("Objects inherit")
    console.close()


@test
def all_roles_are_ranked(browser):
    # Fifty names precede the role in the alphabet.
    item = f"doc:wide-{time.time_ns()}"
    change(*({"op": "createRole", "role": f"role:a{number:02}"} for number in range(60)), {"op": "createRole", "role": "role:zz-widest"},
           {"op": "grant", "subject": "role:zz-widest", "object": "folder:finance", "privileges": ["read"]},
           {"op": "grant", "subject": "role:zz-widest", "object": "folder:shared", "privileges": ["read"]})
    console = Console(browser)
    page = console.open("/console/")
    page.get_by_role("heading", name="Roles that open most objects").scroll_into_view_if_needed()
    table = page.get_by_role("table", name="Roles that open most objects")
    expect(table.locator("tr", has_text="role:zz-widest")).to_be_visible()
    count = api("GET", "/v1/stores/default/roles?privileges=read")["count"]
    expect(page.locator("section", has=page.get_by_role("heading", name="Roles that open most objects"))).to_contain_text(f"Of {count} roles")
    console.close()
    change(*({"op": "deleteRole", "role": f"role:a{number:02}"} for number in range(60)), {"op": "deleteRole", "role": "role:zz-widest"})


@test
def ways_to_a_set_that_give_only_a_part_are_named_partial(browser):
    item, role = f"doc:set-{time.time_ns()}", f"role:set-{time.time_ns()}"
    change({"op": "createObject", "object": item}, {"op": "createRole", "role": role}, {"op": "addMember", "member": "user:gus", "role": role},
           {"op": "grant", "subject": "user:gus", "object": item, "privileges": ["read", "update"]},
           {"op": "grant", "subject": role, "object": item, "privileges": ["read"]})
    question = {"subject": "user:gus", "privileges": ["read", "update"], "object": item}
    explained = api("POST", "/v1/stores/default/explain", question)
    console = Console(browser)
    page = console.page
    page.route("**/explanations", lambda route: route.fulfill(json={"explanations": [explained], "revision": explained["revision"], "time": explained["time"]}))
    console.open(f"/console/why/user%3Agus/read/{name(item)}")
    level = page.locator(".levels section").first
    expect(level).to_contain_text("There is one way. One more gives only a part.")
    expect(level.locator(".part")).to_have_text(["Only a part: read"])
    console.close()
    change({"op": "deleteObject", "object": item}, {"op": "deleteRole", "role": role})


@test
def files_of_the_console_have_no_cell_that_a_spreadsheet_calculates(browser):
    console = Console(browser)
    page = console.open("/console/")
    cells = ["=1", "+1", "-1", "@x", "a;=1", "a; =1", 'a;"=1', "a\t@x", "a\n=1", "a\r\n+1", ' "=1', "a=1", "a-b", "x;y"]
    saved = page.evaluate("cells => import('/console/assets/dom.js').then(module => cells.map(cell => module.csv([], [[cell]])))", cells)
    for cell, text in zip(cells, saved):
        # Countries with a comma in numbers separate cells by semicolons, and pasted text has tabs.
        for part in re.split(r"[;\t\r\n]", text):
            assert not re.match(r'[ "]*[=+\-@]', part), (cell, text)
    assert [text.strip() for text in saved[-3:]] == ["a=1", "a-b", "x;y"], saved
    console.close()


@test
def compare_goes_through_the_whole_store(browser):
    console = Console(browser)
    page = console.open("/console/compare?from=2024-01-01&to=2025-01-01")
    row = page.locator("main tbody tr", has_text="user:eli")
    expect(row).to_contain_text("10")
    console.close()


@test
def the_history_of_a_role_has_its_members_and_its_access(browser):
    console = Console(browser)
    page = console.open("/console/person/role%3Astaff")
    history = page.locator("section", has=page.get_by_role("heading", name="History", exact=True))
    expect(history).to_contain_text("role:studio became a member of role:staff")
    expect(history).to_contain_text("role:staff was granted read on folder:finance")
    expect(history).to_contain_text("role:staff lost everything from its entry on folder:finance")
    # The newest record is first, and no record is shown twice.
    times = history.locator("li time").evaluate_all("times => times.map(time => time.dateTime)")
    assert times == sorted(times, reverse=True), times
    rows = history.locator("li").all_inner_texts()
    assert len(rows) == len(set(rows)), rows
    # Moving through time asks for no record again.
    asked = []
    page.on("request", lambda request: "/audit?" in request.url and asked.append(request.url))
    console.go(f"/console/person/role%3Astaff?at={MOMENT}")
    expect(history).to_contain_text("role:staff was granted read on folder:finance")
    expect(history).not_to_contain_text("lost everything")
    assert asked == [], asked
    console.close()


@test
def counts_of_members_say_what_they_count(browser):
    role = f"role:mixed-{time.time_ns()}"
    change({"op": "createRole", "role": role}, {"op": "register", "principal": "thing:door"},
           *({"op": "addMember", "member": member, "role": role} for member in ["role:studio", "role:office", "user:gus", "thing:door"]))
    console = Console(browser)
    page = console.open(f"/console/person/{name(role)}")
    counted = "4 members: 2 roles, 1 person, 1 device"
    expect(page.locator("section", has=page.get_by_role("heading", name="Members"))).to_contain_text(counted)
    console.go("/console/model")
    expect(page.get_by_role("table", name="Roles").get_by_role("row", name=re.compile(f"^{role}"))).to_contain_text(counted)
    console.go("/console/")
    page.get_by_role("heading", name="Roles that open most objects").scroll_into_view_if_needed()
    expect(page.get_by_role("table", name="Roles that open most objects").locator("tr", has_text="role:staff")).to_contain_text("3 members: 3 roles")
    console.close()
    change({"op": "deleteRole", "role": role})


@test
def screens_have_no_abbreviated_revisions(browser):
    console = Console(browser, allows_refusals=True)
    console.open("/console/")
    for screen, path in SCREENS.items():
        console.go(path)
        found = re.findall(r"(?<!request )(?<![\w:@-])[rh]\d+\b", console.text())
        assert not found, f"{screen}: {found}"
    page = console.go(SCREENS["model"])
    table = page.get_by_role("table", name="Privileges")
    expect(table.locator("tr", has_text="setPermissions")).to_contain_text("change who has access")
    expect(table.locator("tr", has_text="comment")).to_contain_text("defined for this store")
    console.close()


@test
def incident_lists_who_was_exposed(browser):
    console = Console(browser)
    page = console.open(SCREENS["incident"] + "&object=folder%3Afinance")
    table = page.get_by_role("table", name="Began and ended in this span")
    expect(table).to_contain_text("user:fay")
    rows = table.locator("tbody tr").all_inner_texts()
    assert any("user:ben" in row and "doc:payroll" in row and "50 minutes" in row for row in rows), rows
    assert not any("user:dev" in row for row in rows)
    # Fay has access again today, through another entry.
    assert any("user:fay" in row and "doc:payroll" in row and "50 minutes" in row for row in rows), rows
    console.close()


@test
def incident_proposes_a_span_and_does_not_search_by_itself(browser):
    console = Console(browser)
    page = console.open("/console/incident")
    last = datetime.fromisoformat(api("GET", "/v1/stores/default")["time"][:19])
    begun, until = (datetime.fromisoformat(page.get_by_label(label, exact=True).input_value()) for label in ["From", "To"])
    assert last <= until <= last + timedelta(seconds=1), f"{until} does not follow the last change at {last}"
    assert until - begun == timedelta(hours=24), (begun, until)
    expect(page.locator("main section")).to_have_count(1)
    for at in [MOMENT, "26"]:
        console.go(f"/console/incident?at={at}")
        minute = "30" if at == MOMENT else "10"
        assert page.get_by_label("From", exact=True).input_value().startswith(f"2024-05-14T08:{minute}"), at
        assert page.get_by_label("To", exact=True).input_value().startswith(f"2024-05-14T10:{minute}"), at
    console.close()


@test
def pages_in_the_past_show_their_revision(browser):
    console = Console(browser)
    page = console.open("/console/")
    for screen in ["activity", "object", "person", "compare", "incident", "what-if", "model", ""]:
        console.go(f"/console/{screen}?at={MOMENT}")
        expect(page.locator("time-slider .moment")).to_contain_text("revision 26")
    console.close()


@test
def texts_are_german_if_the_browser_is(browser):
    console = Console(browser, locale="de-DE", timezone_id="Europe/Berlin")
    page = console.page
    page.goto(AT + f"/console/object/doc%3Apayroll?at={MOMENT}")
    page.get_by_label("Token").fill(SETTINGS["tokens"]["admin"])
    page.get_by_role("button", name="Anmelden").click()
    console.wait()
    heading = page.locator("main section h2").first
    assert heading.inner_text() == "Wer am 14. Mai 2024 um 11:30 Zugriff hatte", heading.inner_text()
    assert heading.locator("time").get_attribute("title") == "2024-05-14 09:30:00 UTC"
    assert page.evaluate("document.documentElement.lang") == "de"
    console.axe("object in German")
    console.close()


@test
def a_reading_token_changes_nothing_and_a_person_sees_its_own(browser):
    console = Console(browser)
    page = console.open("/console/share/doc%3Apayroll", token="ask")
    assert page.get_by_role("button", name="Save").count() == 0
    assert "may only read" in console.text()
    console.close()
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/", token="eli")
    page.get_by_role("link", name="Show what I can reach").click()
    console.wait()
    assert len(rows_of(page)) == len(tool("what", "user:eli", "read")["objects"])
    console.go("/console/object/doc%3Apayroll")
    assert "user:ann" not in console.text()
    console.close()


@test
def an_expired_session_leads_back_after_a_new_sign_in(browser):
    console = Console(browser, allows_refusals=True)
    page = console.open("/console/", token="short")
    subprocess.run([SETTINGS["tool"], "token", "revoke", SETTINGS["short_id"], "--data", SETTINGS["data"]], check=True, capture_output=True)
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while page.get_by_label("Token").count() == 0 and time.monotonic() < deadline:
        page.evaluate("history.pushState(null, '', '/console/person/user%3Agus'); dispatchEvent(new PopStateEvent('popstate'))")
        page.wait_for_timeout(300)
    assert "expired" in page.locator("main").inner_text()
    console.sign_in()
    assert page.url == AT + "/console/person/user%3Agus"
    expect(page.get_by_role("heading", level=1)).to_have_text("user:gus")
    console.close()


@test
def an_account_signs_in_and_its_session_is_kept_or_else_renewed(browser):
    def post(path, body):
        request = urllib.request.Request(AT + "/v1/accounts/" + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request))

    email, password = "ann@example.com", "a long password"
    attempt = post("sign-up", {"provider": "password", "evidence": {"email": email, "password": password}, "displayName": "Ann"})["attempt"]
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while not (mails := glob.glob(SETTINGS["outbox"] + "/*.eml")) and time.monotonic() < deadline:
        time.sleep(0.1)
    code = re.search(r"The code is:\s+(\S+)", open(mails[0]).read()).group(1)
    principal = post("sign-up/confirm", {"attempt": attempt, "code": code})["account"]["principal"]
    console = Console(browser, allows_refusals=True)
    page = console.page
    page.goto(AT + "/console/")
    page.get_by_text("Sign in with an account").click()
    console.axe("sign-in with an account")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill("another password")
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="do not match")).to_be_visible()
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(principal)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text(principal)
    console.sign_out()
    # Without a browser session, the user's session is renewed before each token expires; the clock of the page makes that soon.
    page.route("**/v1/browser-sessions", lambda route: route.abort())
    page.get_by_text("Sign in with an account").click()
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.clock.install()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(principal)
    page.clock.run_for(9 * 60 * 1000)
    with page.expect_response(lambda response: response.url.endswith("/v1/accounts/refresh") and response.ok):
        page.get_by_role("link", name="Show what I can reach").click()
    page.clock.run_for(1000)
    expect(page.get_by_role("heading", level=1)).to_contain_text(principal)
    console.sign_out()
    expect(page.get_by_label("Token")).to_be_visible()
    console.problems = [problem for problem in console.problems if "ERR_FAILED" not in problem]
    console.close()


@test
def an_account_signs_in_with_a_provider(browser):
    def post(path, body):
        request = urllib.request.Request(AT + "/v1/accounts/" + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request))

    class StayHere(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    # Bob has an account, and Cem does not.
    back = AT + "/console/signed-in"
    begun = post("begin", {"provider": "acme", "redirectURI": back})
    try:
        urllib.request.build_opener(StayHere).open(begun["authorizationURL"], data=b"sub=bob")
    except urllib.error.HTTPError as redirect:
        answer = dict(parse_qsl(urlsplit(redirect.headers["Location"]).query))
    evidence = {"attempt": begun["attempt"], "redirectURI": back, **answer}
    principal = post("sign-up", {"provider": "acme", "evidence": evidence, "displayName": "Bob"})["account"]["principal"]

    console = Console(browser, allows_refusals=True, loses_connections=True)
    page = console.page
    # The page of the provider is on another host, and not under test.
    page.remove_listener("request", console.check_host)
    page.route("https://**", lambda route: route.abort())
    page.goto(AT + "/console/compare?at=30")

    def sign_in(button, name=""):
        page.get_by_text("Sign in with an account").click()
        page.get_by_role("button", name="Continue with acme").click()
        page.get_by_placeholder("sub").fill(name)
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_url(AT + "/console/compare?at=30")

    sign_in("Deny")
    expect(page.get_by_role("status")).to_contain_text("access_denied")
    sign_in("Authorize", "cem")
    expect(page.get_by_role("status")).to_contain_text("no account")
    sign_in("bob")
    console.wait()
    page.locator(".menu summary").click()
    expect(page.locator(".menu")).to_contain_text(principal)
    assert page.evaluate("JSON.stringify([{ ...sessionStorage }, document.cookie])") == '[{},""]'
    # A redirect that another page has caused signs nobody in.
    page.goto(back + "?code=c&state=s")
    expect(page.get_by_role("status")).to_contain_text("this tab did not start it")
    assert page.url == AT + "/console/"
    console.close()


@test
def a_token_that_only_asks_shows_new_commits(browser):
    console = Console(browser)
    page = console.open("/console/", token="ask")
    change({"op": "register", "principal": "user:seen-by-asking"})
    expect(page.locator(".timeline").first).to_contain_text("user:seen-by-asking")
    console.close()


@test
def new_commits_appear_by_themselves_also_after_a_restart(browser):
    console = Console(browser, allows_refusals=True, loses_connections=True)
    page = console.open("/console/")
    change({"op": "register", "principal": "user:live-one"})
    expect(page.locator(".timeline")).to_contain_text("user:live-one")
    subprocess.run([SETTINGS["restart"], "stop"], check=True)
    expect(page.locator(".banner")).to_be_visible()
    subprocess.run([SETTINGS["restart"], "start"], check=True)
    change({"op": "register", "principal": "user:live-two"})
    expect(page.locator(".timeline")).to_contain_text("user:live-two")
    expect(page.locator(".banner")).to_be_hidden()
    console.close()


@test
def hostile_names_are_text(browser):
    hostile = SETTINGS["hostile"]
    console = Console(browser)
    page = console.open("/console/stores/hostile/")
    for item in hostile:
        screens = [f"/console/stores/hostile/object/{name(item)}", f"/console/stores/hostile/share/{name(item)}",
                   f"/console/stores/hostile/why/user%3Amallory/read/{name(item)}"]
        for path in screens:
            console.go(path)
            assert page.locator(".failure").count() == 0, f"{path}: {console.text()}"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than the window"
        shown = page.locator("main h1").first.text_content()
        for character in item:
            if character in "\u202e\u200b\ufeff":
                assert f"U+{ord(character):04X}" in shown, shown
    for path in ["", "activity", "object", "person", "model", "compare?name=user%3Amallory&from=0"]:
        console.go(f"/console/stores/hostile/{path}")
        assert page.locator(".failure").count() == 0, f"{path}: {console.text()}"
    assert page.evaluate("window.hacked === undefined && document.querySelectorAll('main script, main iframe, main img, main b').length === 0")
    console.axe("hostile model")
    saved = page.evaluate("import('/console/assets/dom.js').then(module => module.csv(['name'], [['=1+1'], ['@x'], ['a,b\\n\"c']]))")
    assert saved == "name\r\n'=1+1\r\n'@x\r\n\"a,b\n\"\"c\"\r\n", repr(saved)
    console.go("/console/stores/hostile/person?")
    page.get_by_label("Class").select_option("role")
    page.get_by_label("Filter").fill("crowd-0999")
    expect(page.locator(".names li")).to_have_count(10)
    console.close()


@test
def the_kubernetes_history_is_shown_as_the_tool_answers(browser):
    if "kubernetes" not in SETTINGS:
        return
    console = Console(browser)
    page = console.open("/console/stores/kubernetes/")
    organization = "org:kubernetes"
    console.go(f"/console/stores/kubernetes/object/{name(organization)}?at=2020-06-01")
    said = tool("who", "read", organization, "--at", "2020-06-01", store="kubernetes")["subjects"]
    expect(page.locator("main section").first).to_contain_text(said[0])
    while page.locator("main section").first.get_by_role("button", name=re.compile("Show .* more")).count() > 0:
        page.locator("main section").first.get_by_role("button", name=re.compile("Show .* more")).click()
        if page.locator("main section").first.locator("tbody tr").count() >= 100:
            break
    for path in ["object", "person", "activity", "model", "person/role%3Akubernetes%3Amembers", f"share/{name(organization)}",
                 f"why/{name(said[0])}/read/{name(organization)}", f"person/{name(said[0])}"]:
        console.go(f"/console/stores/kubernetes/{path}")
        assert page.locator(".failure").count() == 0, f"{path}: {console.text()}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than the window"
        console.axe(f"kubernetes {path}")
    # The person could read since 2022, and became an administrator of the organization in 2025 by another person.
    console.go("/console/stores/kubernetes/person/user%3Au08ebc49a40")
    rows = page.locator("main section").first.locator("tbody tr", has=page.locator("th", has_text=re.compile(f"^{organization}$")))
    expect(rows).to_have_count(2)
    seen = [(len(row.locator("td").nth(0).locator(".chip").all()), row.locator("td").nth(1).locator("time").get_attribute("datetime")[:10],
             row.locator("td").nth(2).inner_text().strip()) for row in rows.all()]
    assert seen == [(1, "2022-05-30", "user:u2ad7b47425"), (5, "2025-09-30", "user:u4d4459f61a")], seen
    durations = []
    for step in range(40):
        path = f"/console/stores/kubernetes/object/{name(organization)}?at=20{19 + step % 7}-0{1 + step % 9}-1{step % 10}"
        durations.append(page.evaluate("""async path => { const start = performance.now(); history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate'));
            await new Promise(done => { const check = () => document.querySelector('main[aria-busy]') ? requestAnimationFrame(check) : done(); requestAnimationFrame(check); });
            return performance.now() - start; }""", path))
    durations.sort()
    print(f"    moving through time on {organization}: median {durations[20]:.0f} ms, 95 % {durations[37]:.0f} ms")
    console.wait()
    console.close()


def table_rows(page, title):
    """The texts of the rows of a table, cell by cell."""
    rows = page.get_by_role("table", name=title, exact=True).locator("tbody tr")
    return [row.locator("th, td").all_inner_texts() for row in rows.all()]


@test
def compare_incident_and_what_if_of_the_kubernetes_history_are_the_tools_answers(browser):
    if "kubernetes" not in SETTINGS:
        return
    console = Console(browser, theme="dark")
    page = console.open("/console/stores/kubernetes/")
    start, end, role, repository = "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "role:kubernetes/release-managers", "repo:kubernetes/sig-release"

    def check_page():
        assert page.locator(".failure").count() == 0, console.text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{page.url} is wider than the window"
        console.axe(page.url)

    def go(path):
        console.go(f"/console/stores/kubernetes/{path}")
        check_page()

    def all_rows(title):
        """The texts of a table's rows, also of those that are only shown on demand."""
        return page.evaluate("""title => {
            for (let more; (more = document.querySelector('main button.more'));) more.click();
            return [...document.querySelectorAll('main table')].filter(table => table.caption.innerText === title)
                .flatMap(table => [...table.tBodies[0].rows]).map(row => [...row.cells].map(cell => cell.innerText)); }""", title)

    go(f"compare?name=org%3Akubernetes&from={start}&to={end}")
    said = tool("diff", "org:kubernetes", "--from", start, "--to", end, store="kubernetes")["differences"]
    rows = [[row[0], row[2], row[3]] for row in all_rows("Compare")]
    assert len(rows) > 100 and rows == [[each["name"], ", ".join(each["before"]) or "–", ", ".join(each["after"]) or "–"] for each in said], rows

    go(f"incident?from={start}&to={end}&object={name(repository)}&privilege=write")
    present = tool("who", "write", repository, store="kubernetes")
    within, beyond = [], []
    for access in tool("audit", "access", "write", repository, "--from", start, "--to", end, store="kubernetes")["access"]:
        for span in access["spans"]:
            is_within = "until" in span and not span.get("existedBefore")
            if is_within or access["subject"] not in present["subjects"] + present["administrators"]:
                (within if is_within else beyond).append(access["subject"])
    assert within and beyond
    for title, expected in [("Began and ended in this span", within), ("Began earlier or ended later", beyond)]:
        assert sorted(row[0] for row in all_rows(title) if row[2] == repository) == sorted(expected), title

    go("what-if")
    page.get_by_label("Who", exact=True).fill(role)
    page.get_by_label("Object", exact=True).fill(repository)
    page.get_by_role("button", name="Add to the draft").click()
    expect(page.locator(".effects")).to_be_visible()
    console.wait()
    check_page()
    with tempfile.NamedTemporaryFile("w") as draft:
        json.dump({"as": "user:root", "do": [{"op": "revoke", "subject": role, "object": repository}]}, draft)
        draft.flush()
        said = tool("what-if", draft.name, store="kubernetes")["differences"]
    assert said and [row[0] for row in all_rows("Effects")] == [each["subject"] for each in said], said
    console.close()


@test
def compare_incident_and_what_if_need_no_pointer(browser):
    console = Console(browser, theme="dark")
    page = console.open("/console/compare")

    def reach(element):
        """Presses the tab key until the element has the focus."""
        for _ in range(100):
            page.keyboard.press("Tab")
            if element.evaluate("element => element === document.activeElement"):
                return
        raise AssertionError(f"{element} cannot be reached with the tab key")

    def fill(label, text):
        reach(page.get_by_label(label, exact=True))
        page.keyboard.type(text)

    def press(button):
        reach(page.get_by_role("button", name=button, exact=True))
        page.keyboard.press("Enter")

    def shown_rows(title):
        """The rows of a table, after the work for it has ended."""
        expect(page.get_by_role("table", name=title, exact=True)).to_be_visible()
        console.wait()
        return table_rows(page, title)

    def expect_same(path, title):
        """The page shows what an address shows."""
        rows = shown_rows(title)
        console.go(path)
        again = shown_rows(title)
        assert again == rows, (again, rows)

    fill("Person, role or object (empty: the whole store)", "user:eli")
    # Noon of days that are the same in the order of every country, with 12 hours or 24.
    fill("From", "01012024120000PM")
    fill("To (empty: now)", "01012025120000PM")
    press("Compare")
    expect_same("/console/compare?name=user%3Aeli&from=2024-01-01T12:00:00Z&to=2025-01-01T12:00:00Z", "Compare")
    console.go("/console/incident")
    fill("From", "05052024120000PM")
    fill("To", "06062024120000PM")
    fill("Only this object and what is in it (empty: all)", "folder:finance")
    press("Show")
    expect_same("/console/incident?from=2024-05-05T12:00:00Z&to=2024-06-06T12:00:00Z&object=folder%3Afinance", "Began and ended in this span")
    console.go("/console/what-if")
    fill("Change", "Revoke")
    fill("Who", "role:staff")
    fill("Object", "folder:shared")
    press("Add to the draft")
    expect(page.locator(".effects tbody tr").first).to_be_visible()
    console.wait()
    shown = page.locator(".effects tbody tr").all_inner_texts()
    press("Drop the draft")
    expect(page.locator(".draft li")).to_have_count(0)
    fill_draft(page)
    console.wait()
    assert page.locator(".effects tbody tr").all_inner_texts() == shown
    press("Remove")
    expect(page.locator(".draft li")).to_have_count(0)
    console.close()


def main():
    wanted = sys.argv[2:]
    failed = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=SETTINGS["chromium"], args=["--no-sandbox"])
        for function in tests:
            title = function.__name__.replace("_", " ")
            if wanted and not any(word in function.__name__ for word in wanted):
                continue
            start = time.monotonic()
            try:
                function(browser)
                print(f"ok    {title} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception:
                failed.append(title)
                print(f"FAIL  {title}\n{traceback.format_exc()}", flush=True)
        browser.close()
    print(f"{len(failed)} of {len(tests)} failed" if failed else "the console works")
    sys.exit(1 if failed else 0)


main()
