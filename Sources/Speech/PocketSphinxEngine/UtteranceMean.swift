import AudioCore

/// The mean of an utterance's cepstra so far, and the times at which a decoder gets it.
///
/// Accuracy depends on this mean more than on anything else: subtracting it removes the loudness
/// and the coloration of the voice, the room, and the microphone. Each utterance has its own, so its
/// words depend on no other utterance.
struct UtteranceMean {
  /// What the decoder does with the samples that wait.
  enum Action: Equatable {
    case wait
    case search
    case setMeanAndSearch
  }

  /// Audio before the first search.
  static let priming = FrameCount(.milliseconds(1500), at: .speech)
  /// Audio between two updates of the mean.
  static let interval = FrameCount(.milliseconds(500), at: .speech)

  /// PocketSphinx's own default, for an utterance in which all frames are silent.
  static let usual: [Float] = [40, 3, -1]

  /// Whether the decoder has been given samples of the utterance.
  private(set) var isSearching = false

  private var sums: [Float] = []
  private var count: Float = 0
  private var sinceMean: FrameCount = 0

  /// Nil before the first frame.
  var value: [Float]? {
    count > 0 ? sums.map { $0 / count } : nil
  }

  /// Adds a frame, unless its energy, the first coefficient, is that of digital silence.
  mutating func add(_ cepstrum: some Collection<Float>) {
    guard let energy = cepstrum.first, energy >= 0 else { return }
    if sums.isEmpty { sums = Array(repeating: 0, count: cepstrum.count) }
    for (index, value) in cepstrum.enumerated() { sums[index] += value }
    count += 1
  }

  /// Counts the samples whose frames have been added.
  mutating func add(_ samples: FrameCount) -> Action {
    sinceMean = sinceMean + samples
    guard sinceMean >= (isSearching ? Self.interval : Self.priming) else {
      return isSearching ? .search : .wait
    }
    (isSearching, sinceMean) = (true, 0)
    return .setMeanAndSearch
  }
}
