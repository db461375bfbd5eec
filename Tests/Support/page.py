"""Uses the page of `syrinx serve --http` in headless Chromium over the DevTools protocol. See page.sh."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
import tempfile
import wave
from pathlib import Path

from websockets.asyncio.client import connect

SPEECH = Path("Samples/sounds/go-forward.wav")
WORDS = ["go", "forward", "ten", "meters"]
KEY = "a-key-of-the-test"

# Functions for the page. `until` waits for changes of the document and for events of media, never for a time.
HELPERS = """
window.until = (condition, what) => new Promise((resolve, reject) => {
  const media = ["play", "pause", "timeupdate", "loadedmetadata", "seeked"];
  const end = (done, value) => {
    observer.disconnect();
    clearTimeout(timer);
    for (const type of media) document.removeEventListener(type, check, true);
    done(value);
  };
  const check = () => { const value = condition(); if (value) end(resolve, value); };
  const observer = new MutationObserver(check);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const type of media) document.addEventListener(type, check, true);
  const timer = setTimeout(() => end(reject, new Error("never: " + what + "; the page: " + document.body.innerText)), 60000);
  check();
});
window.word = (text) => [...document.querySelectorAll(".word")].find((word) => word.textContent.toLowerCase() === text);
window.stableTexts = [];
new MutationObserver(() => {
  for (const line of document.querySelectorAll("#transcript li")) {
    line.number ??= window.lineCount = (window.lineCount ?? 0) + 1;
    const text = (line.querySelector(".stable") ?? {}).textContent;
    window.sawVolatile ||= Boolean(line.querySelector(".volatile")?.textContent);
    if (text) window.stableTexts.push([line.number, text]);
    if (line.querySelector(".word")) window.stableTexts.push([line.number, line.querySelector("p").textContent]);
  }
}).observe(document, { subtree: true, childList: true, characterData: true });
window.lowContrast = () => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => value / 255).map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.closest("script, .hidden, option") || !element.checkVisibility()) continue;
    let box = element;
    while (box && parse(getComputedStyle(box).backgroundColor)[3] < 255) box = box.parentElement;
    const [low, high] = [getComputedStyle(element).color, getComputedStyle(box).backgroundColor].map(parse).map(luminance)
      .sort((a, b) => a - b);
    count += 1;
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(walker.currentNode.textContent.trim().slice(0, 40) + ": " + ratio.toFixed(2));
  }
  return count < 10 ? ["only " + count + " texts were found"] : found;
};
"""


class Browser:
    """A tab of Chromium. Complaints of its console are kept."""

    def __init__(self, socket):
        self.socket, self.session, self.count = socket, None, 0
        self.answers, self.waiting, self.complaints = {}, [], []

    async def read(self):
        async for message in self.socket:
            event = json.loads(message)
            if "id" in event:
                self.answers.pop(event["id"]).set_result(event)
                continue
            method, parameters = event["method"], event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.complaints.append(details.get("exception", {}).get("description") or details["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                self.complaints.append(str([argument.get("value") for argument in parameters["args"]]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                entry = parameters["entry"]
                self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
            for wanted, future in list(self.waiting):
                if wanted(method, parameters) and not future.done():
                    future.set_result(parameters)

    async def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        future = self.answers[self.count] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps(message))
        answer = await asyncio.wait_for(future, 90)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def event(self, name, condition=lambda _: True):
        """A future of the next event, made before what causes it."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((lambda method, parameters: method == name and condition(parameters), future))
        return asyncio.wait_for(future, 60)

    async def run(self, expression):
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    async def until(self, condition, what):
        return await self.run(f"until(() => {condition}, {json.dumps(what)})")

    async def open(self, url):
        loaded = self.event("Page.loadEventFired")
        await self.call("Page.navigate", url=url)
        await loaded
        await self.run(HELPERS)

    async def press(self, key, code, text=""):
        number = {"Escape": 27, " ": 32, "Enter": 13, "ArrowRight": 39}[key]
        names = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **names)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **names)

    async def click(self, element):
        x, y = await self.run(
            f"(() => {{ const element = {element}; element.scrollIntoView({{ block: 'center' }});"
            "const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def choose(self, file):
        document = await self.call("DOM.getDocument")
        node = await self.call("DOM.querySelector", nodeId=document["root"]["nodeId"], selector="#file")
        await self.call("DOM.setFileInputFiles", nodeId=node["nodeId"], files=[str(file.resolve())])

    async def screenshot(self, path, width, height):
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        overflow = await self.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"the page is {overflow} px wider than {width} px"
        image = await self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(image["data"]))
        await self.call("Emulation.clearDeviceMetricsOverride")

    async def theme(self, name):
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])


@contextlib.asynccontextmanager
async def started(*words, ready):
    """A program, from the line of its standard error that contains `ready` to its end."""
    process = await asyncio.create_subprocess_exec(*map(str, words), stderr=asyncio.subprocess.PIPE, start_new_session=True)
    lines = []

    async def first():
        while line := (await process.stderr.readline()).decode():
            lines.append(line)
            if ready in line:
                return line
        raise AssertionError(f"{words[0]} ended: {''.join(lines)}")

    reader, failed = None, False
    try:
        line = await asyncio.wait_for(first(), 60)
        reader = asyncio.create_task(process.stderr.read())
        yield line
    except Exception:
        failed = True
        raise
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        await process.wait()
        rest = (await reader).decode() if reader else ""
        if failed and words[0] != "chromium":
            print("".join(lines) + rest, file=sys.stderr)


@contextlib.asynccontextmanager
async def server(command, *options):
    words = [command, "serve", "--engine", "pocketsphinx", "--http", "tcp://127.0.0.1:0", *options]
    async with started(*words, ready="listening on") as line:
        yield line.split("listening on ")[1].split(";")[0] + "/"


@contextlib.asynccontextmanager
async def chromium(folder):
    """A tab whose microphone repeats the speech, each time after a pause."""
    microphone = folder / "microphone.wav"
    with wave.open(str(SPEECH)) as speech, wave.open(str(microphone), "wb") as output:
        output.setparams(speech.getparams())
        output.writeframes(speech.readframes(speech.getnframes()) + bytes(2 * 2 * speech.getframerate()))
    options = [
        "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder}/browser",
        "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={microphone}", "about:blank",
    ]  # fmt: skip
    async with started("chromium", *options, ready="DevTools listening on") as line:
        async with connect(line.split()[-1], max_size=None) as socket:
            browser = Browser(socket)
            reading = asyncio.create_task(browser.read())
            try:
                await browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)
                target = await browser.call("Target.createTarget", url="about:blank")
                attached = await browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
                browser.session = attached["sessionId"]
                for domain in ("Page", "Runtime", "Log", "DOM", "Accessibility"):
                    await browser.call(f"{domain}.enable")
                yield browser
            finally:
                reading.cancel()


def plain(text):
    return "".join(letter for letter in text.lower() if letter.isalpha() or letter == " ").split()


async def plays(browser, word):
    """A click on a word plays from its beginning."""
    await browser.click(f"word('{word}')")
    time, start = await browser.until(
        f"!player.paused && player.currentTime > word('{word}').start && [player.currentTime, word('{word}').start]",
        f"the word {word} plays",
    )
    assert start > 0 and time - start < 1, f"a click on {word} at {start} s plays at {time} s"
    marked = await browser.until("document.querySelector('.now')?.textContent", "a word is marked")
    assert marked.lower() in WORDS
    await browser.press("Escape", "Escape")
    await browser.until("player.paused", "Escape ends the playback")


async def talks(browser, folder):
    """Talks by keyboard: stable words appear, are never taken back, and become a final text, whose words can be played."""
    await browser.run("talk.focus()")
    await browser.press(" ", "Space", " ")
    await browser.until("talk.textContent === 'Stop'", "the button stops")
    await browser.until("document.querySelector('.stable')?.textContent.trim()", "stable text")
    await browser.screenshot(folder / "talking.png", 1000, 800)
    await browser.until("document.querySelectorAll('#transcript li:first-child .word').length >= 4", "a final text")
    await browser.press("Escape", "Escape")
    await browser.until("talk.textContent === 'Talk' && !player.hidden", "Escape stops")
    text = plain(await browser.run("document.querySelector('#transcript li p').textContent"))
    assert text == WORDS, f"the page shows {text}"
    assert await browser.run("sawVolatile"), "no volatile words"
    texts = await browser.run("stableTexts")
    assert any(plain(text) != WORDS for _, text in texts), f"no words before the final ones: {texts}"
    for number in {number for number, _ in texts}:
        growing = [plain(text) for other, text in texts if other == number]
        for earlier, later in zip(growing, growing[1:]):
            assert later[: len(earlier)] == earlier, f"{earlier} was taken back: {later}"
    # A row of pixels above the middle, which silence does not reach.
    row = "wave.getContext('2d').getImageData(8, wave.height * 0.4, wave.width, 1).data"
    assert len(set((await browser.run(f"[...{row}].filter((_, index) => index % 4 === 3)")))) > 1, "the waveform is empty"
    await plays(browser, "forward")


async def opens_file(browser, folder):
    """Opens a file: its words can be played with the mouse and the keyboard, and downloaded."""
    await browser.choose(SPEECH)
    await browser.until("document.getElementById('status').textContent.startsWith('Done')", "done")
    text = plain(await browser.run("transcript.textContent.replace(/[0-9:]+/g, '')"))
    assert text == WORDS, f"the page shows {text}"
    await plays(browser, "meters")
    await browser.run("document.querySelector('.time').focus()")
    await browser.press("Enter", "Enter", "\r")
    await browser.until("!player.paused", "Enter on a time plays")
    await browser.press("ArrowRight", "ArrowRight")
    await browser.until("!player.paused && player.currentTime >= word('forward').start", "the right arrow plays the next word")
    await browser.press("Escape", "Escape")
    for kind, mark in (("txt", "forward"), ("srt", " --> "), ("vtt", "WEBVTT"), ("json", '"words"')):
        browser.session, session = None, browser.session  # downloads are events of the browser
        done = browser.event("Browser.downloadProgress", lambda progress: progress["state"] == "completed")
        browser.session = session
        await browser.click(f"document.querySelector('[data-format={kind}]')")
        await done
        text = (folder / f"go-forward.{kind}").read_text()
        assert mark in text and "forward" in text, f"go-forward.{kind}: {text}"


async def reports_refusals(browser, folder):
    """A refused microphone and an error of the server are reported in words."""
    alert = "document.getElementById('alert')"
    # Chromium's fake microphone needs no permission, so the browser's refusal is a script's.
    await browser.run("navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('no', 'NotAllowedError') }")
    await browser.click("talk")
    await browser.until(f"!{alert}.hidden && {alert}.textContent.includes('may not use the microphone')", "a refused microphone")
    await browser.run("delete navigator.mediaDevices.getUserMedia")
    broken = folder / "broken.wav"
    broken.write_bytes(b"no audio")
    await browser.choose(broken)
    await browser.until(f"!{alert}.hidden && !{alert}.textContent.includes('microphone') && talk.textContent === 'Talk'", "a broken file")
    browser.complaints = [text for text in browser.complaints if "status of 4" not in text]


async def is_accessible(browser, folder):
    """Names, roles, contrast, and widths, with everything shown that is hidden at first."""
    await browser.run("document.querySelector('.word').classList.add('now')")
    await browser.run("document.getElementById('key-form').hidden = false")
    await browser.run("Object.assign(document.getElementById('alert'), { hidden: false, textContent: 'An error of the server.' })")
    await browser.run(
        "document.querySelector('#transcript').insertAdjacentHTML('beforeend',"
        "'<li id=sample><button class=time disabled>0:02</button><p><span class=stable>settled</span> <span class=volatile>not yet</span></p></li>')"
    )
    for theme in ("light", "dark"):
        await browser.theme(theme)
        low = await browser.run("lowContrast()")
        assert not low, f"low contrast in the {theme} theme: {low}"
        await browser.screenshot(folder / f"{theme}.png", 1000, 900)
        await browser.screenshot(folder / f"{theme}-phone.png", 360, 1000)
    tree = await browser.call("Accessibility.getFullAXTree")
    found = set()
    for node in tree["nodes"]:
        if node["ignored"]:
            continue
        role, name = node["role"]["value"], node.get("name", {}).get("value", "")
        found.add((role, name))
        focusable = any(entry["name"] == "focusable" and entry["value"]["value"] for entry in node.get("properties", []))
        if role in ("button", "combobox", "textbox", "slider", "link", "image") or focusable:
            assert name.strip(), f"a {role} has no name: {node}"
    wanted = {
        ("heading", "Syrinx"), ("combobox", "Engine"), ("combobox", "Language"), ("button", "Talk"), ("image", "Waveform"),
        ("list", "Transcript"), ("button", "Play from 0:00"), ("group", "Download the transcript"), ("main", ""),
    }  # fmt: skip
    assert wanted <= found, f"the accessibility tree lacks {wanted - found}; it has {found}"
    assert {"alert", "status"} <= {role for role, _ in found}, "there is no alert or status"


async def asks_for_key(browser, url):
    """A server with keys: the page asks for one, reports a wrong one, and works with the right one."""
    await browser.open(url)
    field = "document.getElementById('key')"
    await browser.until(f"!{field}.form.hidden && !document.getElementById('alert').hidden", "the page asks for a key")
    await browser.run(f"document.getElementById('alert').hidden = true; {field}.value = 'wrong'; {field}.form.requestSubmit()")
    await browser.until("document.getElementById('alert').textContent && !document.getElementById('alert').hidden", "a wrong key")
    await browser.run(f"{field}.value = '{KEY}'; {field}.form.requestSubmit()")
    await browser.until(f"{field}.form.hidden", "the key is accepted")
    await browser.choose(SPEECH)
    await browser.until("word('forward') && talk.textContent === 'Talk'", "a file is recognized with the key")
    await browser.click("talk")
    await browser.until("document.querySelector('.stable')?.textContent.trim()", "stable text with the key")
    await browser.press("Escape", "Escape")
    await browser.until("talk.textContent === 'Talk'", "Escape stops")
    assert await browser.run("localStorage.length === 0 && !document.cookie"), "the page stores something for good"
    unexpected = [text for text in browser.complaints if "401" not in text]
    assert not unexpected, f"the console has {unexpected}"


async def main(command, folder):
    async with chromium(folder) as browser:
        async with server(command) as url:
            await browser.open(url)
            await browser.until("document.getElementById('engine').options.length > 1", "the engines")
            await talks(browser, folder)
            await reports_refusals(browser, folder)
            await opens_file(browser, folder)
            await is_accessible(browser, folder)
            assert not browser.complaints, f"the console has {browser.complaints}"
        keys = folder / "keys"
        keys.write_text(f"# for the test\n{KEY}\n")
        keys.chmod(0o600)
        async with server(command, "--api-key-file", keys) as url:
            await asks_for_key(browser, url)
    print("the page recognizes a voice and a file, plays words, and is accessible")


with tempfile.TemporaryDirectory() as temporary:
    kept = Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
    kept.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(sys.argv[1], kept))
