import AudioCore
import BenchmarkTools
import Foundation
import Resampling
import SoundFile

/// The clips, their transcripts, and a working folder.
struct SpeechBench {
  /// The clips that all measurements use.
  let clips: [Clip]
  /// Clips of more sources, with categories, for figures that need many clips; empty if not
  /// installed.
  let moreClips: [Clip]
  let folder: URL

  struct Clip: Sendable {
    let url: URL
    let words: String
    /// The kind of speech, such as digits; empty if the table has none.
    let category: String
    let seconds: Double

    var name: String { url.deletingPathExtension().lastPathComponent }
  }

  /// The project's folder.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let shared = root.appending(path: "../shared/data").standardizedFileURL
  private static let samples = root.appending(path: "Samples/sounds")

  /// Whether the clips are those in `../shared/data/speech`; results on other clips have no bounds
  /// for the word error rate.
  let isShared: Bool

  init() throws {
    let chosen = Options.value("--clips").map { URL(filePath: $0) }
    let shared = Self.shared.appending(path: "speech")
    isShared = chosen == nil && FileManager.default.fileExists(atPath: shared.path)
    clips =
      if let folder = chosen ?? (isShared ? shared : nil) {
        try Self.clips(in: folder)
      } else {
        try Self.ownClips()
      }
    let more = Self.shared.appending(path: "speech-more")
    let hasMore = isShared && FileManager.default.fileExists(atPath: more.path)
    moreClips = hasMore ? try Self.clips(in: more) : []
    guard !clips.isEmpty else { throw Program.Failure(description: "there are no clips") }
    folder = FileManager.default.temporaryDirectory
      .appending(path: "syrinx-speech-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }

  /// The clips of both folders.
  var allClips: [Clip] { clips + moreClips }

  /// How many times each clip is recognized in one run.
  var times: Int { max(1, Options.number("--times", or: 3)) }

  var seconds: Double { clips.reduce(0) { $0 + $1.seconds } }

  /// Returns a file of at least `seconds` seconds, in which the clips are repeated.
  func speech(seconds: Double) throws -> URL {
    let url = folder.appending(path: "speech-\(Int(seconds)).wav")
    let writer = try SoundFileWriter(url: url, format: .speech, encoding: .wav16)
    var written = 0.0
    while written < seconds {
      for clip in clips where written < seconds {
        try writer.write(Self.buffer(of: clip.url))
        written += clip.seconds
      }
    }
    try writer.close()
    return url
  }

  /// Returns the audio of a file at 16 kHz, mono.
  ///
  /// If the file's header has no length, only the first minute is read.
  static func buffer(of url: URL) throws -> AudioBuffer {
    let reader = try SoundFileReader(url: url)
    let buffer = try reader.read(
      atMost: reader.announcedFrameCount ?? FrameCount(.seconds(60), at: reader.format.sampleRate))
    return try buffer.converted()
  }

  private static func clips(in folder: URL) throws -> [Clip] {
    let table = try String(
      contentsOf: folder.appending(path: "transcripts.tsv"), encoding: .utf8)
    return try table.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "\t").map(String.init)
      let url = ["wav", "flac"].map { folder.appending(path: "\(cells.first ?? "").\($0)") }
        .first { FileManager.default.fileExists(atPath: $0.path) }
      guard cells.count > 1, let url else { return nil }
      return try clip(url, cells[1], category: cells.count > 2 ? cells[2] : "")
    }
  }

  private static func ownClips() throws -> [Clip] {
    try [
      ("go-forward", "go forward ten meters"), ("window", "open the window and close the door"),
      ("two-utterances", "turn left and go back go forward ten meters"),
    ].map { try clip(samples.appending(path: "\($0).wav"), $1) }
  }

  private static func clip(_ url: URL, _ words: String, category: String = "") throws -> Clip {
    Clip(
      url: url, words: words, category: category,
      seconds: try buffer(of: url).duration.inSeconds)
  }
}

extension AudioBuffer {
  /// Returns the audio at 16 kHz, mono, or in another format.
  func converted(to format: AudioFormat = .speech) throws -> AudioBuffer {
    let resampler = try Resampler(from: self.format, to: format)
    let samples = try resampler.process(self).samples + resampler.flush().samples
    return AudioBuffer(format: format, samples: samples)
  }
}
