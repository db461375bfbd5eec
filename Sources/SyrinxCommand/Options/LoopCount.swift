import ArgumentParser
import AudioPlayerClient

/// The value of `--loop` and `--repeat`: how often each file, or the list, is played.
enum LoopCount: Equatable, ExpressibleByArgument {
  case times(Int)
  case forever

  static let limit = 1_000_000

  init?(argument: String) {
    if argument == "forever" {
      self = .forever
    } else if let count = Int(argument), (1...Self.limit).contains(count) {
      self = .times(count)
    } else {
      return nil
    }
  }

  /// The value as it is typed.
  var defaultValueDescription: String {
    switch self {
    case .times(let count): "\(count)"
    case .forever: "forever"
    }
  }

  var repetition: PlaybackRepetition {
    switch self {
    case .times(let count): .times(count)
    case .forever: .forever
    }
  }
}
