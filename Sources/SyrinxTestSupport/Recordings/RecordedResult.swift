import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import SpeechClient

/// A result of a speech client.
///
/// Values that older recordings do not contain are optional.
struct RecordedResult: Codable {
  struct Word: Codable {
    var word: String
    var startNs: Int64
    var durationNs: Int64
    var confidence: Double?
    var alternatives: [String]?
  }

  struct Metadata: Codable {
    var wordsPerMinute: Double
    var pauseNs: Int64
    var startNs: Int64
    var durationNs: Int64
  }

  var utterance: Int
  var final: Bool
  var words: [Word]
  var stable: Int?
  var alternatives: [[Word]]?
  var metadata: Metadata?
  /// Whether the timestamps of all words are estimates.
  var estimated: Bool?
  /// The detected language, and its probability.
  var language: String?
  var languageProbability: Double?
  /// The channel, counted from 0.
  var channel: Int?

  init(_ result: SpeechRecognitionResult) {
    utterance = result.utterance
    final = result.isFinal
    words = result.bestTranscription.segments.map(Word.init)
    stable = result.isFinal || result.stableSegmentCount == 0 ? nil : result.stableSegmentCount
    let others = result.transcriptions.dropFirst().map { $0.segments.map(Word.init) }
    alternatives = others.isEmpty ? nil : others
    metadata = result.speechRecognitionMetadata.map(Metadata.init)
    estimated = result.bestTranscription.hasEstimatedTimes ? true : nil
    (language, languageProbability) = (result.language?.tag, result.language?.probability)
    channel = result.channel
  }

  var value: SpeechRecognitionResult {
    var result = SpeechRecognitionResult(
      utterance: utterance, bestTranscription: transcription(words),
      alternatives: (alternatives ?? []).map(transcription), isFinal: final,
      stableSegmentCount: stable ?? 0, speechRecognitionMetadata: metadata?.value)
    result.language = language.map { SpokenLanguage($0, probability: languageProbability ?? 0) }
    result.channel = channel
    return result
  }

  private func transcription(_ words: [Word]) -> Transcription {
    Transcription(segments: words.map(\.segment), hasEstimatedTimes: estimated ?? false)
  }
}

/// An event of a speech client that is not a result.
struct RecordedEvent: Codable {
  enum Kind: String, RecordedName {
    case speechStarted, speechEnded, progressed, lagging, dropped
  }

  var kind: Kind
  /// The time or duration of the event, in nanoseconds; for dropped audio, the start of its range.
  var ns: Int64
  var endNs: Int64?
  /// The reason for dropped audio; nil in older recordings.
  var reason: Reason?
  /// The error of an engine.
  var failed: RecordedFailure?
  /// The number of samples that were NaN or infinite.
  var samples: Int?

  enum Reason: String, RecordedName {
    case engineTooSlow, engineFailed, gap, nonFinite, unintelligible
  }

  /// Returns nil for a result, which is recorded in another field of the line.
  init?(_ event: SpeechRecognitionEvent) {
    switch event {
    case .result: return nil
    case .speechStarted(let time): (kind, ns) = (.speechStarted, time.inNanoseconds)
    case .speechEnded(let time): (kind, ns) = (.speechEnded, time.inNanoseconds)
    case .progressed(let time): (kind, ns) = (.progressed, time.inNanoseconds)
    case .lagging(let lag): (kind, ns) = (.lagging, lag.inNanoseconds)
    case .dropped(let range, let why):
      (kind, ns) = (.dropped, range.lowerBound.inNanoseconds)
      endNs = range.upperBound.inNanoseconds
      switch why {
      case .engineTooSlow: reason = .engineTooSlow
      case .engineFailed(let error): (reason, failed) = (.engineFailed, RecordedFailure(error))
      case .unintelligible: reason = .unintelligible
      case .gap: reason = .gap
      case .nonFinite(let count): (reason, samples) = (.nonFinite, count)
      }
    }
  }

  var value: SpeechRecognitionEvent {
    let time = Duration.nanoseconds(ns)
    return switch kind {
    case .speechStarted: .speechStarted(at: time)
    case .speechEnded: .speechEnded(at: time)
    case .progressed: .progressed(to: time)
    case .lagging: .lagging(by: time)
    case .dropped:
      .dropped(time..<max(time, .nanoseconds(endNs ?? ns)), reason: dropReason)
    }
  }

  private var dropReason: SpeechRecognitionEvent.DropReason {
    switch reason {
    case nil, .engineTooSlow: .engineTooSlow
    case .engineFailed:
      .engineFailed(failed?.value as? SpeechClientError ?? .engineFailed(reason: "unknown"))
    case .unintelligible: .unintelligible
    case .gap: .gap
    case .nonFinite: .nonFinite(sampleCount: samples ?? 1)
    }
  }
}

extension RecordedResult.Word {
  init(_ segment: TranscriptionSegment) {
    word = segment.substring
    startNs = segment.timestamp.inNanoseconds
    durationNs = segment.duration.inNanoseconds
    confidence = segment.confidence
    let others = segment.alternativeSubstrings
    alternatives = others.isEmpty ? nil : others
  }

  fileprivate var segment: TranscriptionSegment {
    TranscriptionSegment(
      substring: word, timestamp: .nanoseconds(startNs), duration: .nanoseconds(durationNs),
      confidence: confidence, alternativeSubstrings: alternatives ?? [])
  }
}

extension RecordedResult.Metadata {
  init(_ metadata: SpeechRecognitionMetadata) {
    wordsPerMinute = metadata.speakingRate
    pauseNs = metadata.averagePauseDuration.inNanoseconds
    startNs = metadata.speechStartTimestamp.inNanoseconds
    durationNs = metadata.speechDuration.inNanoseconds
  }

  var value: SpeechRecognitionMetadata {
    SpeechRecognitionMetadata(
      speakingRate: wordsPerMinute, averagePauseDuration: .nanoseconds(pauseNs),
      speechStartTimestamp: .nanoseconds(startNs), speechDuration: .nanoseconds(durationNs))
  }
}

/// An error of a task.
///
/// An error of a client is recorded whole; of any other error, only the description is recorded.
struct RecordedFailure: Codable {
  enum Kind: String, RecordedName {
    case unavailable, engineFailed, noResources, invalidGrammar, invalidRequest, other
  }

  var kind: Kind
  var reason: String
  /// The error of a player; nil for other errors, and in recordings of older versions.
  var player: AudioPlayerError?
  /// The error of a recorder; nil for other errors, and in recordings of older versions.
  var recorder: AudioRecorderError?

  init(_ error: any Error) {
    (player, recorder) = (error as? AudioPlayerError, error as? AudioRecorderError)
    switch error {
    case SpeechClientError.unavailable(let reason): (kind, self.reason) = (.unavailable, reason)
    case SpeechClientError.engineFailed(let reason): (kind, self.reason) = (.engineFailed, reason)
    case SpeechClientError.noResources(let reason): (kind, self.reason) = (.noResources, reason)
    case SpeechClientError.invalidGrammar(let reason):
      (kind, self.reason) = (.invalidGrammar, reason)
    case SpeechClientError.invalidRequest(let reason):
      (kind, self.reason) = (.invalidRequest, reason)
    default: (kind, reason) = (.other, "\(error)")
    }
  }

  var value: any Error {
    if let player { return player }
    if let recorder { return recorder }
    return switch kind {
    case .unavailable: SpeechClientError.unavailable(reason: reason)
    case .engineFailed: SpeechClientError.engineFailed(reason: reason)
    case .noResources: SpeechClientError.noResources(reason: reason)
    case .invalidGrammar: SpeechClientError.invalidGrammar(reason: reason)
    case .invalidRequest: SpeechClientError.invalidRequest(reason: reason)
    case .other: ReplayError.recorded(reason)
    }
  }
}

/// The first line of a recording: its format and version.
struct RecordedHeader: Codable, Equatable {
  static let speech = RecordedHeader(format: "syrinx-speech", version: 1)
  static let capture = RecordedHeader(format: "syrinx-capture", version: 1)
  static let playback = RecordedHeader(format: "syrinx-playback", version: 1)

  var format: String
  var version: Int
}

/// A line of a recording after the first line: an event of a task, and its time.
struct RecordedLine: Codable {
  /// The number of the client call that started the task, counted from 0.
  var task: Int
  /// The nanoseconds since the start of the task.
  var ns: Int64
  // Exactly one of these values is set.
  var result: RecordedResult?
  var event: RecordedEvent?
  var block: RecordedBlock?
  var playback: RecordedPlayback?
  var failed: RecordedFailure?
  var finished: Bool?
}

/// A block of a capture.
///
/// Its samples follow those of the previous block in the WAV file.
struct RecordedBlock: Codable {
  var frames: Int
  var firstFrame: Int
  var timeNs: Int64
  var capturedAtNs: Int64
  var lost: Int?
  /// The number of silenced samples, nil for none.
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

/// A name in a recording; a newer version may have recorded a name that this version lacks.
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

/// An unknown name, which makes the whole recording unreadable.
struct UnknownName: Error, CustomStringConvertible {
  let name: String
  let of: String

  var description: String {
    "unknown \(of) \"\(name)\"; use the version that recorded it"
  }
}
