#!/usr/bin/env python3
"""Builds the packages of tutorials, and makes the changes that, according to the pages, make a test fail.

  Tests/Support/tutorials.py

A package consists of the page's own manifest, sources, and tests. Its tests must pass, and after each change fail with the text
that the page promises. Without the product ClientDependenciesTestSupport, the test process must end with a message that
names the product.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
# All packages find Syrinx at "../syrinx" and share its build.
work = root / ".build/tutorials"
support = '.product(name: "ClientDependenciesTestSupport", package: "syrinx")'
missing = 'Add the product "ClientDependenciesTestSupport"'
failures = []


def blocks(page):
    """Returns the Swift blocks of a page, each with the paragraph before it."""
    text = (root / page).read_text()
    return [
        (text[: match.start()].rstrip().split("\n\n")[-1], match[1])
        for match in re.finditer(r"^```swift\n(.*?)^```$", text, re.M | re.S)
    ]


def block(page, line):
    """Returns the first Swift block of a page that contains a line with this beginning."""
    return next(code for _, code in blocks(page) if re.search(f"^ *{re.escape(line)}", code, re.M))


class Package:
    def __init__(self, name, files):
        self.name = name
        self.folder = work / name
        shutil.rmtree(self.folder, ignore_errors=True)
        for path, text in files.items():
            self.write(path, text)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def test(self):
        # Otherwise SwiftPM would use the build plan of the previous package.
        for plan in (work / "build").glob("*.yaml"):
            plan.unlink()
        return subprocess.run(
            ["swift", "test", "--package-path", self.folder, "--scratch-path", work / "build"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check(self, claim, isPassing, *texts):
        run = self.test()
        lacking = [text for text in texts if text not in run.stdout]
        if (run.returncode == 0) == isPassing and not lacking:
            return print(f"ok {self.name}: {claim}", flush=True)
        print(run.stdout)
        print(f"FAILED {self.name}: {claim}; status {run.returncode}, lacking {lacking}", flush=True)
        failures.append(claim)

    def passes(self):
        self.check("the page's test passes", True, "Test run with 1 test")

    def fails(self, claim, path, old, new, *texts):
        """Checks that the test fails after a change of a file, and undoes the change."""
        text = (self.folder / path).read_text()
        if text.count(old) != 1:
            return failures.append(f"{path} has '{old}' {text.count(old)} times")
        self.write(path, text.replace(old, new))
        self.check(claim, False, *texts)
        self.write(path, text)

    def fails_without_support(self, message=missing):
        text = (self.folder / "Package.swift").read_text()
        changed = re.sub(r',\s*\.product\(name: "\w+TestSupport", package: "syrinx"\)', "", text)
        self.write("Package.swift", changed)
        self.check("without the product, a message names it", False, message)
        self.write("Package.swift", text)


def manifest(name, lists):
    """Returns a complete manifest with the lists that a page shows."""
    return f"""// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "{name}",
  {lists.strip().rstrip(",")}
)
"""


def feature():
    """Checks the tutorial of Reducers, which gives the path of each of its files."""
    files = {}
    for paragraph, code in blocks("Sources/Features/Reducers/Reducers.docc/WritingAFeature.md"):
        path = re.search(r"Write\s+`memos/([^`]+)`", paragraph)
        if not path:
            continue
        below = re.search(r"with\s+`([^`]+)` below these imports", paragraph)
        if below:
            imports = code.split("\n\n")[0]
            code = code.replace(imports, f"{imports}\n{below[1]}", 1)
        files[path[1]] = code
    package = Package("memos", files)
    source, test = "Sources/Memos/Memo.swift", "Tests/MemosTests/MemoTests.swift"
    package.passes()
    package.fails("a changed condition fails the test with the difference", source,
                  "!isComplete", "isComplete", "problem", "Some audio was lost.")
    package.fails("a change that the test does not state fails it", test,
                  '    $0.problem = "Some audio was lost."\n', "", "problem", "Some audio was lost.")
    package.fails("an effect that is still running at the end fails the test", test,
                  "{ _ in false }", "{ _ in try await Task.sleep(for: .seconds(600)); return false }",
                  "an effect was still running")
    package.fails("an endpoint that the test does not replace fails it", test,
                  "$0.audioRecorder.startRecording = { _ in false }", "_ = $0",
                  "Unimplemented: 'AudioRecorderClient.startRecording'")
    package.fails_without_support()


def quick_start():
    """Checks the quick start of ClientDependencies, which leaves the engine to the reader."""
    page = "Sources/Dependencies/ClientDependencies/ClientDependencies.docc/QuickStart.md"
    parts = ["import ClientDependenciesMacros", "extension PlayerClient: DependencyKey",
             "@MainActor\nfinal class Jukebox"]
    engine = """
actor PlayerEngine {
  func play(_ url: URL) throws {}
  func setVolume(_ volume: Double) {}
}
"""
    source, test = "Sources/Jukebox/Jukebox.swift", "Tests/JukeboxTests/JukeboxTests.swift"
    package = Package("jukebox", {
        "Package.swift": manifest("jukebox", block(page, "dependencies: [")),
        source: "\n".join(block(page, part) for part in parts) + engine,
        test: "import Foundation\n@testable import Jukebox\n"
        + block(page, "import ClientDependenciesTestSupport"),
    })
    package.passes()
    package.fails("an endpoint that the test does not override fails it", source,
                  "    try await player.play(url: song)\n",
                  "    try await player.play(url: song)\n    await player.setVolume(volume: 1)\n",
                  "Unimplemented: 'PlayerClient.setVolume'")
    # The test imports the product itself, so the compiler or the linker names it.
    package.fails_without_support("ClientDependenciesTestSupport")


def read_me():
    """README's program and its test, which Samples/Memo has as well, with README's manifest."""
    sample = root / "Samples/Memo"
    files = {
        str(file.relative_to(sample)): file.read_text()
        for folder in ("Sources", "Tests") for file in (sample / folder).rglob("*.swift")
    }
    package = Package("memo", files | {
        "Package.swift": manifest("memo", block("README.md", "dependencies: ["))
    })
    test = "Tests/MemoTests/MemoTests.swift"
    package.passes()
    package.fails("an endpoint that the test does not override fails it", test,
                  "$0.speechClient.startTask = ", "_ = $0.speechClient\n    let _: @Sendable (SpeechRequest) -> "
                  "AsyncThrowingStream<SpeechRecognitionResult, any Error> = ",
                  "Unimplemented: 'SpeechClient.startTask'")
    package.fails_without_support()


def promises():
    """Checks the pages that name an endpoint whose use makes a test fail."""
    calls = {
        "AudioPlayerClient.play": "try? await player.play(url: URL(filePath: \"a.wav\"))",
        "AudioRecorderClient.capture": "_ = await recorder.capture(request: CaptureRequest())",
        "SpeechClient.recognition": "_ = await speech.recognition(request: SpeechRequest(microphone: .speech))",
    }
    pages = [root / "README.md", *root.glob("Sources/**/*.docc/*.md")]
    named = set()
    for page in pages:
        named |= set(re.findall(r"reports\s+\"Unimplemented:\s+'([\w.]+)'\"\s+and\s+fails the test", page.read_text()))
    if named != set(calls):
        failures.append(f"pages promise {named}")
    modules = ["AudioPlayerClient", "AudioRecorderClient", "ClientDependencies", "SpeechClient"]
    tests = "".join(f"\n  @Test func `{name}`() async {{ {call} }}" for name, call in calls.items())
    imports = "\n".join(f"import {name}" for name in [*modules, "Foundation", "Testing"])
    package = Package("promises", {
        "Package.swift": manifest("promises", f"""
  dependencies: [.package(path: "../syrinx")],
  targets: [.testTarget(name: "PromisesTests", dependencies: [.product(name: "SyrinxClients", package: "syrinx"), {support}])]"""),
        "Tests/PromisesTests/Tests.swift": f"""{imports}

@Suite struct Tests {{
  @Dependency(\\.audioPlayer) private var player
  @Dependency(\\.audioRecorder) private var recorder
  @Dependency(\\.speechClient) private var speech
{tests}
}}
""",
    })
    package.check("each endpoint that a page names fails its test", False, "failed after",
                  "with 3 issues", *[f"Unimplemented: '{name}'" for name in calls])


def causes():
    """Checks the table of Testing.md, with a test for each row."""
    page = "Sources/Dependencies/ClientDependencies/ClientDependencies.docc/Testing.md"
    table = (root / page).read_text().split("## What fails a test", 1)[1].split("\n\n")[1]
    rows = [row.split("|")[1].strip() for row in table.splitlines()[2:]]
    tests = {
        "an unimplemented endpoint is called": "await player.stop()",
        "a value without a test value is read": "_ = DependencyValues._current[Live.self]",
        "an unimplemented clock or scheduler is used": "try? await clock.sleep(for: .seconds(1))",
        "`TestClock.sleepers(atLeast:)` waits 30 s of real time": "await TestClock().sleepers(atLeast: 1)",
        "in the live context, a value without a live value is read":
            "withDependencies { $0.context = .live } operation: { _ = DependencyValues._current[AudioPlayerClient.self] }",
        "the object of `withDependencies(from:)` has no dependencies": "withDependencies(from: Model()) {}",
        "a dependency is prepared after it was prepared or read":
            "_ = DependencyValues._current[Tested.self]; prepareDependencies { $0[Tested.self] = 2 }",
        "making a value needs that same value": "_ = DependencyValues._current[Cycle.self]",
    }
    if rows != list(tests):
        failures.append(f"{page} has the rows {rows}")
    package = Package("causes", {
        "Package.swift": manifest("causes", f"""
  dependencies: [.package(path: "../syrinx")],
  targets: [.testTarget(name: "CausesTests", dependencies: [.product(name: "SyrinxClients", package: "syrinx"), {support}])]"""),
        "Tests/CausesTests/Tests.swift": """import AudioPlayerClient
import ClientDependencies
import Testing

private final class Model {}
private enum Live: DependencyKey { static let liveValue = 1 }
private enum Tested: TestDependencyKey { static let testValue = 1 }
private enum Cycle: TestDependencyKey {
  static var testValue: Int { DependencyValues._current[Cycle.self] }
  static let previewValue = 1
}

@Suite struct Tests {
  @Dependency(\\.audioPlayer) private var player
  @Dependency(\\.continuousClock) private var clock
""" + "".join(
            f"\n  @Test func test{number}() async {{ {body} }}\n"
            for number, body in enumerate(tests.values())) + "}\n",
    })
    package.check("each row of the table of Testing.md fails its test", False,
                  *[f"Test test{number}() failed" for number in range(len(tests))])


def known_pages():
    """Checks that each page with a manifest or a promise is covered by this script or the named check."""
    covered = {
        "README.md": "read_me, promises", "CHANGELOG.md": "lists changes",
        "CMakeLists-notes/README.md": "nightly.sh cmake",
        "Building.md": "nightly.sh dependencies", "ClientDependencies.md": "promises",
        "ComingFromSwiftDependencies.md": "nightly.sh point-free, DependencyTests", "Escaping.md": "causes",
        "Macros.md": "promises", "QuickStart.md": "quick_start", "Testing.md": "causes",
        "TestingWithoutHardware.md": "promises", "WritingAFeature.md": "feature",
    }
    for page in [*root.glob("*.md"), *root.glob("*/*.md"), *root.glob("Sources/**/*.docc/*.md")]:
        name = page.name if page.name != "README.md" else str(page.relative_to(root))
        if re.search(r"fails?\s+(the|its|that)\s+test|\.package\(", page.read_text()) and name not in covered:
            failures.append(f"{page.relative_to(root)} has a manifest or a promise that no check covers")


work.mkdir(parents=True, exist_ok=True)
link = work / "syrinx"
if not link.is_symlink():
    link.symlink_to("../..")
for tutorial in (known_pages, read_me, promises, causes, quick_start, feature):
    tutorial()
if failures:
    sys.exit("\n".join(["pages are not true:", *failures]))
