public import AudioCore

/// Why the loudness of audio cannot be measured.
public enum LoudnessError: Error, Equatable {
  /// libebur128 measures 1 to 64 channels, at rates from 16 Hz to 2.8 MHz.
  case unsupported(AudioFormat)

  /// A buffer has another format than the first one; measure each format separately.
  case formatChanged(expected: AudioFormat, actual: AudioFormat)
}

extension LoudnessError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .unsupported(let format):
      "cannot measure the loudness of \(format); libebur128 takes 1 to 64 channels at 16 Hz to "
        + "2822400 Hz"
    case .formatChanged(let expected, let actual):
      "the audio changes from \(expected) to \(actual); measure each part separately"
    }
  }
}
