import Foundation
import Testing

@testable import ClientDependencies

/// With a program of the test in the place of `xdg-open`.
@Suite struct DesktopOpenerTests: ~Copyable {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "DesktopOpenerTests-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // Nothing depends on the folder any more.
    try? FileManager.default.removeItem(at: folder)
  }

  @Test func `the program gets the URL as its only argument, and no shell reads it`() async throws {
    try install("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" > '\(folder.path)/arguments'\n")
    let url = try #require(URL(string: "https://example.com/?q=$(touch%20x)&a=b;c"))
    #expect(await opener.open(url))
    let arguments = try String(
      contentsOf: folder.appending(path: "arguments"), encoding: .utf8)
    #expect(arguments == "1\n\(url.absoluteString)\n")
  }

  @Test func `a URL that the program refuses is not taken`() async throws {
    try install("#!/bin/sh\nexit 3\n")
    #expect(await opener.open(URL(filePath: "/song.wav")) == false)
  }

  @Test func `without the program, or where it does not start, no URL is taken`() async throws {
    #expect(await opener.open(URL(filePath: "/song.wav")) == false)
    try install("#!/no/such/interpreter\n")
    #expect(await opener.open(URL(filePath: "/song.wav")) == false)
  }

  @Test func `a text without a scheme, which could be an option, is not handed to it`() async throws
  {
    try install("#!/bin/sh\nexit 0\n")
    #expect(await opener.open(try #require(URL(string: "--version"))) == false)
    #expect(await opener.open(URL(filePath: "/song.wav")))
  }

  private var opener: DesktopOpener {
    DesktopOpener(path: "/no/such/folder:\(folder.path)")
  }

  /// A child process writes the program: while another test starts a process of its own, that one
  /// may hold open what this process writes, and what is open for writing does not start.
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
