public import AudioCore

/// The reason that audio could not be converted.
public enum ResamplingError: Error, Equatable {
  /// The two rates are too far apart; `reason` explains it.
  case unsupported(from: AudioFormat, to: AudioFormat, reason: String)

  /// A buffer has another format than the resampler's input.
  case wrongFormat(expected: AudioFormat, actual: AudioFormat)

  /// Audio was added after `finish`; call `reset` first.
  case finished

  /// soxr failed during the conversion; `reason` is its message.
  case failed(reason: String)
}

extension ResamplingError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .unsupported(let from, let to, let reason):
      "cannot convert \(from) to \(to): \(reason); convert in two steps, or choose a nearer rate"
    case .wrongFormat(let expected, let actual):
      "this resampler takes \(expected), not \(actual); make one for each format"
    case .finished:
      "this resampler has finished; reset it before more audio"
    case .failed(let reason):
      "the conversion failed: \(reason)"
    }
  }
}
