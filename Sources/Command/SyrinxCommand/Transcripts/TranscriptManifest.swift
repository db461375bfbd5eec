import AudioCore
import FilePaths
import SpeechClient

/// The engine, model, and options that a transcript depends on.
extension JSONRecord {
  init(engine: String, styles: [TranscriptStyle], options: SpeechOptions) {
    self = [
      "engine": engine, "formats": styles.map(\.name), "locale": options.language,
      "keyPhrases": options.keyPhrases.unlessEmpty?.map { option in
        option.phrase.text + (option.phrase.threshold.map { ":\($0)" } ?? "")
      },
      "context": options.contextualPhrases.unlessEmpty, "alternatives": options.alternatives,
      "engineOptions": options.engineSettings.unlessEmpty?.map { "\($0.name)=\($0.value)" },
      "endSilence": options.endSilence, "longestUtterance": options.longestUtterance,
      "tailPadding": options.tailPadding,
    ]
  }
}

/// The finished files, according to the entries of a manifest, which are lines of JSON.
///
/// Transcribing the same version of a file in the same way always gives the same entry. So a file
/// is done if the last entry for its transcripts equals the one that it would get now. Only
/// checksums stay in memory. Entries are compared as text because they are many, and equal text is
/// what counts.
struct TranscriptManifest: Sendable {
  /// The entries by their transcripts.
  private var entries: [RunChecksum: RunChecksum] = [:]
  /// The end of each entry.
  private let recipe: String

  init(recipe: JSONRecord) throws {
    self.recipe = String(try recipe.jsonLine().dropFirst())
  }

  /// Adds a line of the manifest; a line that is cut is no entry of any file.
  mutating func add(_ line: [UInt8]) {
    guard let transcript = Self.transcript(of: line) else { return }
    entries[transcript] = RunChecksum(line)
  }

  /// Whether the last entry for the transcripts of this input is its own.
  func contains(_ input: TranscriptionInput) -> Bool {
    guard let line = entry(for: input).map({ Array($0.utf8) }),
      let transcript = Self.transcript(of: line)
    else { return false }
    return entries[transcript] == RunChecksum(line)
  }

  /// A line after which the input is not done; nil if it has never been.
  func voidEntry(for input: TranscriptionInput) -> String? {
    guard let file = input.place.jsonText else { return nil }
    let line = Self.begin + file + Self.afterFile + "replaced\":true}"
    return Self.transcript(of: Array(line.utf8)).flatMap { entries[$0] } == nil ? nil : line
  }

  /// The line for an input that has been transcribed; nil if it has no version.
  func entry(for input: TranscriptionInput) -> String? {
    guard let version = input.version, let file = input.place.jsonText else { return nil }
    return Self.begin + file + Self.afterFile + "size\":\(version.byteCount),\"modified\":"
      + "\(version.modifiedSeconds).\(version.modifiedNanoseconds.digits(9)),\(recipe)"
  }

  private static let begin = "{\"file\":\""
  /// In JSON, no string contains this.
  private static let afterFile = "\",\""

  /// The path of the transcripts in a line, without their extension.
  private static func transcript(of line: [UInt8]) -> RunChecksum? {
    guard line.starts(with: begin.utf8) else { return nil }
    let file = line.dropFirst(begin.utf8.count)
    let end = Array(afterFile.utf8)
    var index = file.startIndex
    while let quote = file[index...].firstIndex(of: end[0]) {
      if file[quote...].starts(with: end) {
        return RunChecksum(FilePath(bytes: file[..<quote]).withoutExtension.bytes)
      }
      index = quote + 1
    }
    return nil
  }
}

/// 128 bits that stand for some bytes while the command runs.
struct RunChecksum: Hashable, Sendable {
  private let low: Int
  private let high: Int

  init(_ bytes: [UInt8]) {
    let parts = (0...1).map { seed in
      var hasher = Hasher()
      hasher.combine(seed)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      return hasher.finalize()
    }
    (low, high) = (parts[0], parts[1])
  }
}

extension FilePath {
  /// The path without the extension of its name and the dot before that.
  var withoutExtension: FilePath {
    FilePath(bytes: bytes.dropLast(name.bytes.count - stem.bytes.count))
  }

  /// The text as it stands in a string of JSON.
  fileprivate var jsonText: String? {
    let isPlain = bytes.allSatisfy { byte in
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain { return String(decoding: bytes, as: UTF8.self) }
    return (try? jsonLine()).map { String($0.dropFirst().dropLast()) }
  }
}

/// A checksum that is the same in every run: FNV-1a with 64 bits.
func stableChecksum(_ text: String) -> String {
  let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
    ($0 ^ UInt64($1)) &* 0x100_0000_01B3
  }
  return String(value, radix: 16)
}
