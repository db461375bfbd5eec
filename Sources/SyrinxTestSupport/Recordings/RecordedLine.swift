import AudioCore
import AudioRecorderClient

/// The first line of a recording: what it is.
struct RecordedHeader: Codable, Equatable {
  static let speech = RecordedHeader(format: "syrinx-speech", version: 1)
  static let capture = RecordedHeader(format: "syrinx-capture", version: 1)

  var format: String
  var version: Int
}

/// Each line after the first: what happened in a task, and when.
struct RecordedLine: Codable {
  /// Which call it belongs to, counted from 0.
  var task: Int
  /// Nanoseconds since that call.
  var ns: Int64
  // Exactly one of the five is set.
  var result: RecordedResult?
  var event: RecordedEvent?
  var block: RecordedBlock?
  var failed: RecordedFailure?
  var finished: Bool?
}

/// A block of a capture; its samples follow those of the block before in the WAV file.
struct RecordedBlock: Codable {
  var frames: Int
  var firstFrame: Int
  var timeNs: Int64
  var capturedAtNs: Int64
  var lost: Int?
  /// How many samples were silenced, nil for none.
  var nonFinite: Int?

  init(_ captured: CapturedAudio) {
    frames = captured.buffer.frameCount.rawValue
    firstFrame = captured.buffer.firstFrame.rawValue
    timeNs = captured.time.inNanoseconds
    capturedAtNs = captured.capturedAt.inNanoseconds
    lost = captured.gap?.lost.rawValue
    nonFinite = captured.nonFiniteCount > 0 ? captured.nonFiniteCount : nil
  }

  func value(_ sound: AudioBuffer) -> CapturedAudio {
    var buffer = sound
    buffer.firstFrame = FrameCount(firstFrame)
    return CapturedAudio(
      buffer: buffer, time: .nanoseconds(timeNs),
      gap: lost.map { CaptureGap(lost: FrameCount($0)) },
      capturedAt: .nanoseconds(capturedAtNs), nonFiniteCount: nonFinite ?? 0)
  }
}

/// A word of which a newer version may write another one.
protocol RecordedName: RawRepresentable<String>, Codable {}

extension RecordedName {
  init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(rawValue: name) else {
      throw UnknownName(name: name, of: "\(Self.self)".lowercased())
    }
    self = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// A recording has a word that this version does not know: it is read to its end or not at all.
struct UnknownName: Error, CustomStringConvertible {
  let name: String
  let of: String

  var description: String {
    "\"\(name)\" is no \(of) that this version knows; read it with the version that made it"
  }
}
