public import AudioCore

/// Why audio could not be converted.
public enum ResamplingError: Error, Equatable {
  /// The two formats are too far apart for soxr; the text is its own.
  case unsupported(from: AudioFormat, to: AudioFormat, reason: String)

  /// A buffer had another format than the resampler was made for.
  case wrongFormat(expected: AudioFormat, actual: AudioFormat)

  /// More audio came after `finish`; call `reset` first.
  case finished

  /// soxr failed while converting; the text is its own.
  case failed(reason: String)
}

extension ResamplingError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .unsupported(let from, let to, let reason):
      "cannot convert \(from) to \(to): \(reason); convert in two steps, or choose a nearer rate"
    case .wrongFormat(let expected, let actual):
      "this resampler takes \(expected), not \(actual); make one for each format"
    case .finished:
      "this resampler has finished; reset it before more audio comes"
    case .failed(let reason):
      "the conversion failed: \(reason)"
    }
  }
}
