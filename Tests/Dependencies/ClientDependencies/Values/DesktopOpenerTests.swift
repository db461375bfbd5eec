import Foundation
import Glibc
import Testing

@testable import ClientDependencies

/// The tests install their own program in place of `xdg-open`.
@Suite struct DesktopOpenerTests: ~Copyable {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "DesktopOpenerTests-\(UUID().uuidString)")

  private let clock = TestClock()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // An error is ignored, because nothing depends on the folder anymore.
    try? FileManager.default.removeItem(at: folder)
  }

  @Test func `the URL is the program's only argument, without shell expansion`() async throws {
    try install("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" > '\(folder.path)/arguments'\n")
    let url = try #require(URL(string: "https://example.com/?q=$(touch%20x)&a=b;c"))
    #expect(await opener.open(url))
    let arguments = try String(
      contentsOf: folder.appending(path: "arguments"), encoding: .utf8)
    #expect(arguments == "1\n\(url.absoluteString)\n")
  }

  @Test func `opening fails if the program refuses the URL`() async throws {
    try install("#!/bin/sh\nexit 3\n")
    #expect(await opener.open(URL(filePath: "/song.wav")) == false)
  }

  @Test func `opening fails if the program is missing or does not start`() async throws {
    #expect(await opener.open(URL(filePath: "/song.wav")) == false)
    try install("#!/no/such/interpreter\n")
    #expect(await opener.open(URL(filePath: "/song.wav")) == false)
  }

  @Test func `text without a scheme is not passed to the program`() async throws {
    try install("#!/bin/sh\nexit 0\n")
    #expect(await opener.open(try #require(URL(string: "--version"))) == false)
    #expect(await opener.open(URL(filePath: "/song.wav")))
  }

  @Test func `opening succeeds if the program still runs at the timeout`() async throws {
    try installEndless()
    let opening = Task { [opener] in await opener.open(URL(filePath: "/song.wav")) }
    let program = try await startedProgram()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: opener.timeout)
    #expect(await opening.value)
    #expect(kill(program, SIGKILL) == 0)
  }

  @Test func `a canceled task does not wait for the program, which continues`() async throws {
    try installEndless()
    let opening = Task { [opener] in await opener.open(URL(filePath: "/song.wav")) }
    let program = try await startedProgram()
    opening.cancel()
    #expect(await opening.value == false)
    #expect(kill(program, SIGKILL) == 0)
  }

  /// Installs a program that reports its process ID and keeps running, as a browser does.
  private func installEndless() throws {
    let pipe = folder.appending(path: "number").path
    try #require(mkfifo(pipe, 0o600) == 0)
    try install("#!/bin/sh\necho $$ > '\(pipe)'\nexec sleep 60 2> /dev/null\n")
  }

  /// Waits for the program on a thread that no task needs, and returns its process ID.
  private func startedProgram() async throws -> pid_t {
    let pipe = folder.appending(path: "number")
    let number = await withCheckedContinuation { continuation in
      Thread {
        let number = try? String(
          decoding: FileHandle(forReadingFrom: pipe).readToEnd() ?? Data(), as: UTF8.self)
        continuation.resume(returning: number ?? "")
      }.start()
    }
    return try #require(pid_t(number.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  private var opener: DesktopOpener {
    DesktopOpener(path: "/no/such/folder:\(folder.path)", clock: clock)
  }

  /// Installs the program with a child process.
  ///
  /// A program cannot start while it is open for writing. If this process wrote the program, a
  /// process that another test starts meanwhile could inherit the open file.
  private func install(_ script: String) throws {
    let text = folder.appending(path: "script")
    try script.write(to: text, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: text.path)
    let copy = try Process.run(
      URL(filePath: "/bin/cp"),
      arguments: ["-p", text.path, folder.appending(path: "xdg-open").path])
    copy.waitUntilExit()
    try #require(copy.terminationStatus == 0)
  }
}
