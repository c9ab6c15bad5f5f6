"""The console's part of surfaces.py: reads from its pages what they answer to the questions of a file, and prints the answers.

    surfaces_console.py QUESTIONS CHROMIUM
"""

import json
import re
import sys
import urllib.parse

from playwright.sync_api import sync_playwright

TIMEOUT_MS = 1_200_000

# Opens an address in the page, waits until the screen and its parts are ready, and shows all rows of one of its sections, or of all.
GO = """async ([path, place]) => {
    document.querySelector('main')?.setAttribute('aria-busy', 'true');
    history.pushState(null, '', path);
    dispatchEvent(new PopStateEvent('popstate'));
    const ready = () => new Promise(done => { const check = () => document.querySelector('[aria-busy]') || !document.querySelector('.screen, .failure')
        ? requestAnimationFrame(check) : done(); requestAnimationFrame(check); });
    await ready();
    const part = place === null ? document.querySelector('main') : [...document.querySelectorAll('main section')].at(place);
    for (let more; more = part?.querySelector('button.more');) more.click();
    await ready();
}"""
# The rows of a table: the name, and the words in the cells with privileges. Signs of gains and losses are classes.
ROWS = """section => [...section?.querySelectorAll('tbody tr') ?? []].map(row => ({
    name: row.querySelector('th').textContent.trim(),
    privileges: [...new Set([...row.querySelectorAll('.chip')].map(chip => chip.lastChild.textContent))].sort(),
    gained: [...row.querySelectorAll('.chip.plus')].map(chip => chip.lastChild.textContent).sort(),
    lost: [...row.querySelectorAll('.chip.minus')].map(chip => chip.lastChild.textContent).sort(),
}))"""


def name(text):
    return urllib.parse.quote(text, safe="")


def main():
    asked = json.load(open(sys.argv[1]))
    base = f"/console/stores/{asked['store']}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[2], args=["--no-sandbox"])
        page = browser.new_page(locale="en-GB", timezone_id="UTC")
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(asked["address"] + base + "/")
        page.get_by_label("Token").fill(asked["token"])
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector(".screen")

        def go(path, section=None):
            page.evaluate(GO, [path, section])

        def rows(index=0):
            return page.evaluate(f"() => ({ROWS})(document.querySelectorAll('main section')[{index}])")

        def answer(question):
            ask, at = question["ask"], f"?at={name(question['at'])}"
            if ask in ("check", "explain"):
                path = f"why/{name(question['subject'])}/{name(question['privilege'])}/{name(question['object'])}{at}"
                go(f"{base}/{path}")
                verdict = page.evaluate("() => document.querySelector('.verdict')?.classList.contains('yes')")
                if ask == "check":
                    return verdict
                return [verdict, page.evaluate("() => document.querySelectorAll('.levels > section .ways > .path').length")]
            if ask == "who":
                go(f"{base}/object/{name(question['object'])}{at}", 0)
                # The page names administrators below the table.
                administrators = page.locator("main section").first.locator("p.muted a").all_text_contents()
                return sorted({*administrators, *(row["name"] for row in rows() if question["privilege"] in row["privileges"])})
            if ask in ("what", "privileges"):
                go(f"{base}/person/{name(question['subject'])}{at}", 0)
                if ask == "what":
                    return sorted({row["name"] for row in rows() if question["privilege"] in row["privileges"]})
                # An object has a row for each cause of its privileges.
                return sorted({privilege for row in rows() if row["name"] == question["object"] for privilege in row["privileges"]})
            if ask == "diff":
                go(f"{base}/compare?name={name(question['name'])}&from={name(question['from'])}&to={name(question['at'])}", 1)
                return sorted([row["name"], row["gained"], row["lost"]] for row in rows(1))
            if not question["name"].startswith(("user:", "role:")):
                go(f"{base}/object/{name(question['name'])}{at}", -1)
                found = page.locator(".timeline > li .citation button").all_text_contents()
                return [int(number[1]) for text in found if (number := re.fullmatch(r"[^\d:]*(\d+)", text.strip()))]
            return "none"

        print(json.dumps([answer(question) for question in asked["questions"]]))
        browser.close()


main()
