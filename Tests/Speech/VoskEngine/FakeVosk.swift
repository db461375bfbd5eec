import AudioCore
import Foundation
import SpeechEngine
import Synchronization
import TestTools

@testable import VoskEngine

/// A library with libvosk's interface, built for one test, and a model for it.
final class FakeVosk {
  let folder: URL

  /// - Parameters:
  ///   - script: the behavior of the library; see `fake-vosk.c`.
  ///   - flags: flags for the compiler.
  init(script: [String] = [], flags: String...) throws {
    folder = Self.newFolder()
    // A copy, because the loader treats the same file as the same library.
    try FileManager.default.copyItem(at: Self.built(flags), to: folder)
    try script.map { $0 + "\n" }.joined()
      .write(to: model.appending(path: "script"), atomically: true, encoding: .utf8)
  }

  // The lock is held during a build, because waiting tests usually need the same build.
  private static let builds = Mutex<[[String]: URL]>([:])

  /// Returns the folder of the build with these flags, which is built once for all tests.
  private static func built(_ flags: [String]) throws -> URL {
    try builds.withLock { builds in
      if let folder = builds[flags] { return folder }
      if builds.isEmpty { atexit { FakeVosk.removeBuilds() } }
      let folder = newFolder()
      try run("bash", [support("fake-vosk.sh"), folder.path] + flags)
      builds[flags] = folder
      return folder
    }
  }

  private static func removeBuilds() {
    let folders = builds.withLock { $0.values.map(\.self) }
    for folder in folders { try? FileManager.default.removeItem(at: folder) }
  }

  private static func newFolder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "syrinx-vosk-\(UUID())")
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  var library: URL { folder.appending(path: "libvosk.so") }
  var model: URL { folder.appending(path: "vosk-model-small-en-us-0.1") }
  var engine: SpeechEngine { .vosk(library: library, modelDirectory: model) }

  /// Adds a line to the script.
  func behave(_ line: String) throws {
    let script = try String(contentsOf: model.appending(path: "script"), encoding: .utf8)
    try (script + line + "\n")
      .write(to: model.appending(path: "script"), atomically: true, encoding: .utf8)
  }

  /// Makes the library log its calls, starting with the next model.
  func keepLog() throws { try behave("log \(folder.path)/log") }

  var log: [String] {
    let text = try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// Makes the library return these bytes as a result of this kind.
  func answer(_ kind: String, _ bytes: [UInt8]) throws {
    let file = folder.appending(path: kind)
    try Data(bytes).write(to: file)
    try behave("\(kind) \(file.path)")
  }

  func loaded() throws -> VoskModel {
    let library = try VoskLibrary(path: library.path)
    guard let files = VoskModelFiles(directory: model.path) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try VoskModel(files, with: library)
  }
}

/// The words that the library recognizes, each at its own level of the samples.
enum FakeWord: Int {
  case go = 1
  case forward, ten, meters, stop, other, left
}

/// Returns audio with words of 0.25 s, each after 0.1 s of silence, and with `silence` at the end.
func speech(_ words: FakeWord..., silence: Duration = .milliseconds(200)) -> [Float] {
  words.flatMap { word in
    [Float](repeating: 0, count: 1_600)
      + [Float](repeating: Float(word.rawValue * 1_000) / 32_768, count: 4_000)
  } + [Float](repeating: 0, count: FrameCount(silence, at: .speech).rawValue)
}

/// Returns the frames of the word at this index in `speech`.
func frames(_ index: Int) -> Range<FrameCount> {
  let first = FrameCount(index * 5_600 + 1_600)
  return first..<first + 4_000
}

extension SpeechEngineSession {
  /// Recognizes an utterance in steps of 0.1 s.
  func understand(_ samples: [Float]) throws -> SpeechHypothesis {
    try beginUtterance()
    for first in stride(from: 0, to: samples.count, by: 1_600) {
      try process(Array(samples[first..<min(first + 1_600, samples.count)]))
    }
    return try finishUtterance()
  }
}

extension SpeechHypothesis {
  var texts: [String] { words.map(\.text) }
}

/// Returns the path of a file below Tests/Support/Vosk.
func support(_ name: String) -> String {
  Checkout.file("Tests/Support/Vosk/\(name)").path
}

/// The error output of a program that a test needs.
struct ToolError: Error, CustomStringConvertible {
  let description: String
}

/// Runs a program to its end and returns its output; throws its error output.
@discardableResult
func run(_ tool: String, _ arguments: [String]) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [tool] + arguments
  let (output, error) = (Pipe(), Pipe())
  (process.standardOutput, process.standardError) = (output, error)
  try process.run()
  let text = output.fileHandleForReading.readDataToEndOfFile()
  let complaint = error.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw ToolError(
      description: "\(tool) \(arguments): \(String(decoding: complaint, as: UTF8.self))")
  }
  return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
}
