import AudioCore
import AudioRecorderClient
import SpeechClient

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
  // One of the four says what happened.
  var result: RecordedResult?
  var block: RecordedBlock?
  var failed: RecordedFailure?
  var finished: Bool?
}

/// A result of a speech client.
struct RecordedResult: Codable {
  struct Word: Codable {
    var word: String
    var startNs: Int64
    var durationNs: Int64
    var confidence: Double?
  }

  var utterance: Int
  var final: Bool
  var words: [Word]

  init(_ result: SpeechRecognitionResult) {
    utterance = result.utterance
    final = result.isFinal
    words = result.bestTranscription.segments.map {
      Word(
        word: $0.substring, startNs: $0.timestamp.inNanoseconds,
        durationNs: $0.duration.inNanoseconds, confidence: $0.confidence)
    }
  }

  var value: SpeechRecognitionResult {
    let segments = words.map {
      TranscriptionSegment(
        substring: $0.word, timestamp: .nanoseconds($0.startNs),
        duration: .nanoseconds($0.durationNs), confidence: $0.confidence)
    }
    return SpeechRecognitionResult(
      utterance: utterance, bestTranscription: Transcription(segments: segments), isFinal: final)
  }
}

/// A block of a capture; its samples follow those of the block before in the WAV file.
struct RecordedBlock: Codable {
  var frames: Int
  var firstFrame: Int
  var timeNs: Int64
  var capturedAtNs: Int64
  var lost: Int?

  init(_ captured: CapturedAudio) {
    frames = captured.buffer.frameCount.rawValue
    firstFrame = captured.buffer.firstFrame.rawValue
    timeNs = captured.time.inNanoseconds
    capturedAtNs = captured.capturedAt.inNanoseconds
    lost = captured.gap?.lost.rawValue
  }

  func value(_ sound: AudioBuffer) -> CapturedAudio {
    var buffer = sound
    buffer.firstFrame = FrameCount(firstFrame)
    return CapturedAudio(
      buffer: buffer, time: .nanoseconds(timeNs),
      gap: lost.map { CaptureGap(lost: FrameCount($0)) },
      capturedAt: .nanoseconds(capturedAtNs))
  }
}

/// An error of a task; of those that are no `SpeechClientError` only the sentence is kept.
struct RecordedFailure: Codable {
  enum Kind: String, Codable {
    case unavailable, engineFailed, noResources, other
  }

  var kind: Kind
  var reason: String

  init(_ error: any Error) {
    switch error {
    case SpeechClientError.unavailable(let reason): (kind, self.reason) = (.unavailable, reason)
    case SpeechClientError.engineFailed(let reason): (kind, self.reason) = (.engineFailed, reason)
    case SpeechClientError.noResources(let reason): (kind, self.reason) = (.noResources, reason)
    default: (kind, reason) = (.other, "\(error)")
    }
  }

  var value: any Error {
    switch kind {
    case .unavailable: SpeechClientError.unavailable(reason: reason)
    case .engineFailed: SpeechClientError.engineFailed(reason: reason)
    case .noResources: SpeechClientError.noResources(reason: reason)
    case .other: ReplayError.recorded(reason)
    }
  }
}
