import AudioCore
import BenchmarkTools
import Foundation
import SoundFile

/// The clips, their transcripts, and a working folder.
struct SpeechBench {
  let clips: [Clip]
  let folder: URL

  struct Clip {
    let url: URL
    let words: String
    let seconds: Double
  }

  /// The project's folder.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let shared = root.appending(path: "../shared/data/speech").standardizedFileURL
  private static let samples = root.appending(path: "Samples/sounds")

  /// Whether the clips have a transcript with a bound for the word error rate.
  let isShared: Bool

  init() throws {
    let chosen = Options.value("--clips").map { URL(filePath: $0) }
    let hasShared = FileManager.default.fileExists(atPath: Self.shared.path)
    isShared = chosen == nil && hasShared
    clips =
      if let folder = chosen ?? (hasShared ? Self.shared : nil) {
        try Self.clips(in: folder)
      } else {
        try Self.ownClips()
      }
    guard !clips.isEmpty else { throw Program.Failure(description: "there are no clips") }
    folder = FileManager.default.temporaryDirectory
      .appending(path: "syrinx-speech-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }

  /// How often the clips are recognized in one run.
  var times: Int { max(1, Options.number("--times", or: 3)) }

  var seconds: Double { clips.reduce(0) { $0 + $1.seconds } }

  /// A file of at least this many seconds: the clips over and over.
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

  static func buffer(of url: URL) throws -> AudioBuffer {
    let reader = try SoundFileReader(url: url)
    return try reader.read(
      atMost: reader.announcedFrameCount ?? FrameCount(.seconds(60), at: .speech))
  }

  private static func clips(in folder: URL) throws -> [Clip] {
    let table = try String(
      contentsOf: folder.appending(path: "transcripts.tsv"), encoding: .utf8)
    return try table.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "\t").map(String.init)
      let url = folder.appending(path: (cells.first ?? "") + ".wav")
      guard cells.count > 1, FileManager.default.fileExists(atPath: url.path) else { return nil }
      return try clip(url, cells[1])
    }
  }

  private static func ownClips() throws -> [Clip] {
    try [
      ("go-forward", "go forward ten meters"), ("window", "open the window and close the door"),
      ("two-utterances", "turn left and go back go forward ten meters"),
    ].map { try clip(samples.appending(path: "\($0).wav"), $1) }
  }

  private static func clip(_ url: URL, _ words: String) throws -> Clip {
    Clip(url: url, words: words, seconds: try buffer(of: url).duration.inSeconds)
  }
}
