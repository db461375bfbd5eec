import AudioCore
import SpeechEngine

/// The cepstral mean of a stream and how much of the stream it covers.
///
/// It depends only on the samples, so every session of a stream can begin with it.
struct StreamMean {
  private(set) var mean = CepstralMean()
  private(set) var schedule = MeanSchedule()

  mutating func beginUtterance() {
    mean.beginUtterance()
    schedule.beginUtterance()
  }

  /// Adds the next samples of the utterance.
  ///
  /// - Parameter each: called with the cepstrum of each 10 ms.
  /// - Returns: what the decoder does with the waiting samples.
  mutating func add(
    _ samples: [Int16], with frontEnd: borrowing FrontEnd,
    each: (UnsafeBufferPointer<Float>) -> Void = { _ in }
  ) -> MeanSchedule.Action {
    frontEnd.process(samples) { cepstrum in
      mean.add(cepstrum)
      each(cepstrum)
    }
    return schedule.add(FrameCount(samples.count))
  }
}

/// The mean of an utterance's cepstra, which starts from the mean of the utterances before.
///
/// Accuracy depends on this mean more than on anything else: subtracting it removes the loudness
/// and the coloration of the voice, the room, and the microphone.
struct CepstralMean: Equatable {
  /// The weight of the utterances before, in frames of 10 ms: two seconds.
  static let memory: Float = 200

  private var sums: [Float] = []
  private var weight: Float = 0

  /// Nil before the first frame.
  var value: [Float]? {
    weight > 0 ? sums.map { $0 / weight } : nil
  }

  /// Adds a frame, unless its energy, the first coefficient, is that of digital silence.
  mutating func add(_ cepstrum: some Collection<Float>) {
    guard let energy = cepstrum.first, energy >= 0 else { return }
    if sums.isEmpty { sums = Array(repeating: 0, count: cepstrum.count) }
    for (index, value) in cepstrum.enumerated() { sums[index] += value }
    weight += 1
  }

  /// Limits the weight of all frames so far to `memory`.
  mutating func beginUtterance() {
    guard weight > Self.memory else { return }
    sums = sums.map { $0 * Self.memory / weight }
    weight = Self.memory
  }
}

/// The times at which a decoder may search, and at which it gets the mean of the audio so far.
struct MeanSchedule {
  enum Action: Equatable {
    case wait
    case search
    case setMeanAndSearch
  }

  /// Audio of a stream before its first search.
  static let priming = FrameCount(.milliseconds(1500), at: .speech)
  /// Audio between two updates of the mean.
  static let interval = FrameCount(.milliseconds(500), at: .speech)

  /// Whether the decoder has been given samples of this utterance.
  private(set) var isSearching = false

  private var received: FrameCount = 0
  private var sinceMean: FrameCount = 0

  mutating func beginUtterance() {
    isSearching = false
    sinceMean = 0
  }

  mutating func add(_ samples: FrameCount) -> Action {
    received = min(received + samples, Self.priming)
    sinceMean = sinceMean + samples
    guard received >= Self.priming else { return .wait }
    guard isSearching, sinceMean < Self.interval else {
      isSearching = true
      sinceMean = 0
      return .setMeanAndSearch
    }
    return .search
  }
}

/// Computes a stream's cepstral mean as a session does, without a decoder.
final class PocketSphinxAdaptation: SpeechAdaptation {
  private let frontEnd: FrontEnd
  private var stream = StreamMean()

  init(model: ModelFiles) throws(SpeechEngineError) {
    frontEnd = try FrontEnd(model: model)
  }

  var state: any Sendable { stream }

  func add(_ utterance: [[Float]]) {
    stream.beginUtterance()
    frontEnd.begin()
    for samples in utterance { _ = stream.add(samples.inSixteenBits, with: frontEnd) }
  }
}
