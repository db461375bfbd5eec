import Foundation

/// A line of `--json`, decoded as the help documents it.
struct UtteranceLine: Decodable {
  struct Word: Decodable {
    let word: String
    let start: Double
    let end: Double
    let confidence: Double?
  }

  let event: String
  let file: String?
  let utterance: Int
  let final: Bool
  let text: String
  let start: Double
  let end: Double
  let words: [Word]
  let stable: String?
  let alternatives: [String]?
  let wordsPerMinute: Double?

  init(_ line: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }

  /// Returns the results in the lines; on a busy machine, other lines report lag.
  static func results(of lines: [String]) throws -> [UtteranceLine] {
    try lines.filter { !LagLine.tells($0) }.map(UtteranceLine.init)
  }
}

/// A line that reports how far recognition lags.
struct LagLine: Decodable {
  let seconds: Double

  /// Decodes a line about lag; nil for any other line.
  init?(_ line: String) throws {
    guard Self.tells(line) else { return nil }
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }

  static func tells(_ line: String) -> Bool { line.contains(#""event":"lagging""#) }
}
