import AudioCore

/// When a decoder may search, and when it is given the mean of what has been heard so far.
struct MeanSchedule {
  /// What to do with the samples that wait.
  enum Action: Equatable {
    case wait
    case search
    case setMeanAndSearch
  }

  /// How much of a stream is heard before its first search.
  static let priming = FrameCount(.milliseconds(1500), at: .speech)
  /// How often the mean is set anew.
  static let interval = FrameCount(.milliseconds(500), at: .speech)

  /// Whether the decoder has been given samples of this utterance.
  private(set) var isSearching = false

  private var heardInStream: FrameCount = 0
  private var sinceMean: FrameCount = 0

  mutating func beginUtterance() {
    isSearching = false
    sinceMean = 0
  }

  mutating func add(_ samples: FrameCount) -> Action {
    heardInStream = min(heardInStream + samples, Self.priming)
    sinceMean = sinceMean + samples
    guard heardInStream >= Self.priming else { return .wait }
    guard isSearching, sinceMean < Self.interval else {
      isSearching = true
      sinceMean = 0
      return .setMeanAndSearch
    }
    return .search
  }
}
