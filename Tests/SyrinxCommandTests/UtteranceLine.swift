import Foundation

/// A line of `--json` as a program reads it, by its documentation alone.
struct UtteranceLine: Decodable {
  struct Word: Decodable {
    let word: String
    let start: Double
    let end: Double
    let confidence: Double?
  }

  let file: String?
  let utterance: Int
  let final: Bool
  let text: String
  let start: Double
  let end: Double
  let words: [Word]

  init(_ line: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }
}
