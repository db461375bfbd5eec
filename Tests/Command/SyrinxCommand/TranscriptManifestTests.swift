import ArgumentParser
import FilePaths
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct TranscriptManifestTests {
  private let version: FileVersion

  init() throws {
    let folder = try TestFolder()
    try Data("1234".utf8).write(to: folder.file("a"))
    version = try #require(FileVersion(FilePath(folder.file("a")).status))
  }

  private func manifest(
    _ lines: [String] = [], engine: String = "e", options: [String] = []
  ) throws -> TranscriptManifest {
    let recipe = JSONRecord(
      engine: engine, styles: [.json], options: try SpeechOptions.parse(options))
    var manifest = try TranscriptManifest(recipe: recipe)
    for line in lines { manifest.add(Array(line.utf8)) }
    return manifest
  }

  private func input(_ place: FilePath) -> TranscriptionInput {
    TranscriptionInput(file: place, place: place, version: version)
  }

  private func entry(_ place: FilePath, engine: String = "e") throws -> String {
    try #require(try manifest(engine: engine).entry(for: input(place)))
  }

  @Test
  func `a manifest entry contains the file, its size and date, the engine, and the given options`()
    throws
  {
    let manifest = try manifest(options: [
      "--locale", "en-US", "--end-silence", "1.5", "--engine-option", "lw=5",
    ])
    let line = try #require(manifest.entry(for: input("2024/a.wav")))
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(
      object.keys.sorted() == [
        "endSilence", "engine", "engineOptions", "file", "formats", "locale", "modified", "size",
      ])
    #expect(object["file"] as? String == "2024/a.wav" && object["size"] as? Int == 4)
    #expect(object["engineOptions"] as? [String] == ["lw=5"])
  }

  @Test(arguments: [
    "a.wav", #"quote"x",y\.wav"#, "line\nfeed.wav", "caf\u{EFE9}.wav", "é.wav", "none",
    ".hidden.wav",
  ])
  func `a file with any name counts as transcribed once the manifest has its entry`(name: String)
    throws
  {
    let place = FilePath("2024/\(name)")
    #expect(try !manifest().contains(input(place)))
    #expect(try manifest([try entry(place)]).contains(input(place)))
    #expect(try !manifest([try entry(place)]).contains(input("2024/other.wav")))
  }

  @Test func `a file transcribed with another version, engine, or option is unfinished`() throws {
    let lines = [try entry("a.wav")]
    #expect(try manifest(lines).contains(input("a.wav")))
    #expect(try !manifest(lines, engine: "f").contains(input("a.wav")))
    #expect(try !manifest(lines, options: ["--context", "x"]).contains(input("a.wav")))
    var changed = input("a.wav")
    changed.version = FileVersion(FilePath("/proc/self/exe").status)
    #expect(try !manifest(lines).contains(changed))
    changed.version = nil
    #expect(try !manifest(lines).contains(changed))
  }

  @Test
  func `only the last manifest entry for a transcript path applies`()
    throws
  {
    let lines = [try entry("a.wav"), try entry("a.wav", engine: "f")]
    #expect(try !manifest(lines).contains(input("a.wav")))
    #expect(try manifest(lines, engine: "f").contains(input("a.wav")))
    #expect(try manifest(lines.reversed()).contains(input("a.wav")))
    let other = [try entry("a.wav"), try entry("a.flac")]
    #expect(try !manifest(other).contains(input("a.wav")))
  }

  @Test func `a truncated line affects no other entry`() throws {
    let whole = try entry("a.wav")
    for count in 0..<whole.count {
      #expect(try !manifest([String(whole.prefix(count))]).contains(input("a.wav")))
    }
    let cut = String(try entry("b.wav").prefix(20))
    #expect(try manifest([whole, cut]).contains(input("a.wav")))
  }

  @Test func `a checksum is the same in every run`() {
    #expect(stableChecksum("") == "cbf29ce484222325" && stableChecksum("a") == "af63dc4c8601ec8c")
  }
}
