import AudioCore
import FilePaths
import Foundation
import SoundFile
import SpeechEngine
import TestTools

@testable import MoonshineEngine

/// The engine with the model that `SYRINX_MOONSHINE_MODEL` names, or else with the installed model.
enum RealModel {
  private static let environment = ProcessInfo.processInfo.environment

  static var folder: FilePath {
    get throws {
      if let named = environment["SYRINX_MOONSHINE_MODEL"] { return FilePath(named) }
      return try ONNXComponents.path("moonshine-base-en")
    }
  }

  private static let made = Result {
    SpeechEngine.moonshine(
      modelDirectory: try folder.url,
      library: try ONNXComponents.path("onnxruntime/libonnxruntime.so").url)
  }

  static var engine: SpeechEngine {
    get throws { try made.get() }
  }

  static func session(
    _ options: SpeechSessionOptions = SpeechSessionOptions()
  ) throws -> any SpeechEngineSession {
    try engine.makeSession(options)
  }
}

/// A recording and its text.
struct Clip {
  let name: String
  let words: String
  let samples: [Float]

  /// Reads a sound file from the directory `Samples`.
  init(sample name: String, words: String) throws {
    try self.init(name, words: words, file: Checkout.file("Samples/sounds/\(name).wav"))
  }

  private init(_ name: String, words: String, file: URL) throws {
    (self.name, self.words) = (name, words)
    samples = try SoundFileReader(url: file).read(atMost: 1_000_000).samples
  }

  static var goForward: Clip {
    get throws { try Clip(sample: "go-forward", words: "go forward ten meters") }
  }

  /// The texts that the model may return for `goForward`.
  static let goForwardTexts = ["meters", "metres"].flatMap { unit in
    ["ten", "10"].flatMap { ["Go forward \($0) \(unit).", "Go forward \($0) \(unit)"] }
  }

  /// The folder of recordings that do not ship with the project.
  static var folder: URL? {
    ProcessInfo.processInfo.environment["SYRINX_SPEECH_DATA"].map { URL(filePath: $0) }
  }

  static var all: [Clip] {
    get throws {
      guard let folder else { return [] }
      let table = try String(contentsOf: folder.appending(path: "transcripts.tsv"), encoding: .utf8)
      return try table.split(separator: "\n").map { line in
        let columns = line.split(separator: "\t").map(String.init)
        return try Clip(
          columns[0], words: columns[1], file: folder.appending(path: "\(columns[0]).wav"))
      }
    }
  }
}

extension SpeechEngineSession {
  /// Recognizes a whole utterance.
  func recognize(_ samples: [Float]) throws -> SpeechHypothesis {
    try beginUtterance()
    try process(samples)
    return try finishUtterance()
  }
}

extension SpeechHypothesis {
  var text: String { words.text }
}

extension [SpeechHypothesis.Word] {
  var text: String { map(\.text).joined(separator: " ") }
}

enum WordDistance {
  /// Returns the number of words that are wrong, missing, or additional.
  static func between(_ one: [String], _ other: [String]) -> Int {
    var row = Array(0...other.count)
    for (index, word) in one.enumerated() {
      var last = row[0]
      row[0] = index + 1
      for (place, otherWord) in other.enumerated() {
        let cost = min(last + (word == otherWord ? 0 : 1), row[place] + 1, row[place + 1] + 1)
        (last, row[place + 1]) = (row[place + 1], cost)
      }
    }
    return row[other.count]
  }
}
