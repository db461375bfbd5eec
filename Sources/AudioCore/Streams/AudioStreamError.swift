/// Why buffers of a stream cannot be processed.
public enum AudioStreamError: Error, Equatable {
  /// An input of a mix has another format than the first one; resample or map its channels before.
  case formatsDiffer(expected: AudioFormat, actual: AudioFormat)

  /// A buffer does not fit a channel map, which reads `needed` channels or more.
  case tooFewChannels(needed: Int, actual: AudioFormat)

  /// A buffer of a mix lies before frames that the same input gave already.
  case outOfOrder(expected: FrameCount, actual: FrameCount)
}

extension AudioStreamError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .formatsDiffer(let expected, let actual):
      "cannot mix \(actual) with \(expected); resample it or map its channels before the mix"
    case .tooFewChannels(let needed, let actual):
      "the channel map reads channel \(needed - 1), counted from 0, but the audio is \(actual)"
    case .outOfOrder(let expected, let actual):
      "a buffer begins at frame \(actual.rawValue), before frame \(expected.rawValue), where the"
        + " one before it ended; number the buffers in rising order"
    }
  }
}
