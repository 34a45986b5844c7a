#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""page.py gputm.html [PICTURES]: the page of units in a headless Chromium. The example of each unit
ends where its program ended; refusals say what the library says; keys work; nothing is wider than a
screen of 400 or 1600; the console has no error. With a folder, pictures of each unit go there.
"""
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import time


class Browser:
    """Chromium by its protocol: messages with a NUL after each, on descriptors 3 and 4."""

    def __init__(self, profile):
        to_child, self.out = os.pipe()
        self.back, from_child = os.pipe()
        # 3 and 4 may be taken here, but not in the child: a shell puts them there.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_child, from_child), "sh",
             os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + profile, "about:blank"],
            pass_fds=(to_child, from_child), stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.count, self.session, self.errors = b"", 0, None, []
        target = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.send(domain + ".enable")

    def send(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"page.py: {method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", details).get("description", str(details)))
            elif answer.get("method") == "Log.entryAdded" or (
                    answer.get("method") == "Runtime.consoleAPICalled"):
                self.errors.append(str(answer["params"]))

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.back, 1 << 20)
            if not more:
                sys.exit("page.py: the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, expression):
        got = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                        returnByValue=True)
        if "exceptionDetails" in got:
            sys.exit(f"page.py: {expression}: {got['exceptionDetails']['exception']['description']}")
        return got["result"].get("value")

    def screen(self, width, dark):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=1000,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, page):
        self.send("Page.navigate", url="file://" + os.path.abspath(page))
        for _ in range(400):
            if self.ask("document.readyState === 'complete' && (!$('main').hidden || $('stop').textContent > '')"):
                return
            time.sleep(.05)
        sys.exit(f"page.py: the page does not begin: {self.errors}")

    def key(self, key, code, text=""):
        for kind in "keyDown" if text else "rawKeyDown", "keyUp":
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]))


failed = []


def hold(condition, what):
    if not condition:
        failed.append(what)


DIGEST = "library.digest(unit.face)"
PRINTED = "[...document.querySelectorAll('.printed')].map((line) => line.textContent).join('')"


def case_examples(browser, pictures):
    """The example of each unit, to its end; and one step back."""
    with open(os.path.join(EXAMPLES, "..", "include", "gputm", "gputm.h"), encoding="utf-8") as header:
        listed = set(re.findall(r"#include .gputm/(\w+)\.h", header.read())) - {"base"}
    hold(listed == set(browser.ask("Object.keys(DATA.units)")), "the page has not the units of gputm/gputm.h")
    for unit in browser.ask("Object.keys(DATA.units)"):
        browser.screen(1600, False)
        browser.ask(f"choose('{unit}')")
        before = browser.ask(DIGEST)
        browser.ask("$('step').click()")
        browser.ask("$('back').click()")
        hold(browser.ask(DIGEST) == before, f"{unit}: back does not undo a step")
        browser.ask("document.querySelectorAll('.forms form').forEach((form) => form.requestSubmit())")
        hold(browser.ask("document.querySelectorAll('.forms form').length <= history.length"),
             f"{unit}: not each function is called by its form")
        hold(not browser.errors, f"{unit}: " + "\n".join(browser.errors))
        hold(not browser.ask("library.exports.gputm_unit_check(unit.face)"), f"{unit}: calls break its invariants")
        browser.ask("while (history.length) back()")
        hold(browser.ask(DIGEST) == before, f"{unit}: back does not undo calls")
        browser.ask("restart()")
        browser.ask("$('end').click()")
        with open(os.path.join(EXAMPLES, unit + ".exp"), encoding="utf-8") as expected:
            hold(browser.ask(PRINTED) == expected.read(), f"{unit}: the page does not end as examples/{unit}.exp")
        hold(not browser.ask("library.exports.gputm_unit_check(unit.face)"), f"{unit}: its invariants do not hold")
        if pictures:
            browser.picture(os.path.join(pictures, unit + ".png"))
        for width in 1600, 400:
            browser.screen(width, False)
            hold(browser.ask("document.documentElement.scrollWidth") <= width, f"{unit}: is wider than {width}")
    hold(browser.ask("document.querySelectorAll('nav a').length === Object.keys(DATA.units).length"),
         "not each unit has its link")
    hold(not browser.ask("problems.length"), "\n".join(browser.ask("problems")))


def case_refusals(browser, _):
    """What is refused is told in the library's words, and changes nothing."""
    browser.ask("choose('recency_bloom')")
    before = browser.ask(DIGEST)
    browser.ask("(() => { const form = $('operation').querySelector('form'); "
                "form.querySelector('input').value = '0x10000000000'; form.requestSubmit(); })()")
    told = browser.ask("$('operation').querySelector('form [role=alert]').textContent")
    hold(told == "recency_bloom: address = 1099511627776 is outside 0 .. 65535", f"a refused address is told as: {told}")
    hold(browser.ask(DIGEST) == before, "a refused call changes the unit")
    browser.ask("$('parameters').querySelector('input').value = '99'; $('parameters').requestSubmit()")
    told = browser.ask("$('parameters').querySelector('[role=alert]').textContent")
    hold(told == "recency_bloom: ways = 99 is not in 1 .. 8", f"a refused parameter is told as: {told}")
    browser.ask("$('parameters').querySelector('input').value = '8'; $('parameters').requestSubmit()")
    hold(browser.ask("unit.config.ways") == 8, "no unit is made of parameters")


def case_keys(browser, _):
    """Arrows step; Tab comes to the buttons, and Enter presses them."""
    browser.ask("choose('simt_stack'); document.activeElement.blur()")
    start = browser.ask("at")
    browser.key("ArrowRight", 39)
    hold(browser.ask("at") > start, "the right arrow makes no step")
    browser.key("ArrowLeft", 37)
    hold(browser.ask("at") == start, "the left arrow does not go back")
    for _ in range(60):
        browser.key("Tab", 9)
        if browser.ask("document.activeElement.id") == "step":
            break
    browser.key("Enter", 13, "\r")
    hold(browser.ask("at") > start, "Tab and Enter make no step")
    browser.ask("document.activeElement.blur()")
    browser.key("Tab", 9)
    browser.key("Enter", 13, "\r")
    hold(browser.ask("document.activeElement.id") == "step", "the first button does not lead to the example")
    browser.ask("$('end').focus(); $('end').click()")
    hold(browser.ask("document.activeElement.id") == "back", "the end of the example loses the focus")


def case_screens(browser, _):
    """Dark where the system is dark; nothing is fetched; without WebAssembly, a sentence."""
    colours = []
    for dark in False, True:
        browser.screen(1600, dark)
        colours.append(browser.ask("getComputedStyle(document.body).backgroundColor"))
    hold(colours == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"], f"light and dark are {colours}")
    hold(browser.ask("performance.getEntriesByType('resource').length") == 0, "the page fetches something")
    browser.send("Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.WebAssembly")
    browser.open(browser.page)
    hold("no WebAssembly" in browser.ask("$('stop').textContent"), "nothing says that WebAssembly is not there")


EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def main(page, pictures=None):
    hold(os.path.getsize(page) < 1500000, f"{page} has {os.path.getsize(page)} bytes, not below 1,500,000")
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        browser.page = page
        browser.screen(1600, False)
        browser.open(page)
        for case in case_examples, case_refusals, case_keys, case_screens:
            case(browser, pictures)
        hold(not browser.errors, "the console says: " + "\n".join(browser.errors))
        browser.process.terminate()
        browser.process.wait()
    print("\n".join(failed) or f"{page}: the examples of all units end as their programs did")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
