/// Determines whether a buffer continues where the one before it ended, in the same format.
package struct Continuity: Sendable {
  /// How a buffer lies to the one before it.
  package enum Step: Equatable, Sendable {
    /// It is the first one.
    case first
    /// It goes on without a gap.
    case goesOn
    /// So many frames are missing before it.
    case gap(FrameCount)
    /// It lies before the end of the last one, or has another format.
    case restart

    /// Whether what was held of the last buffer cannot be joined to this one.
    package var isBreak: Bool {
      switch self {
      case .first, .goesOn: false
      case .gap, .restart: true
      }
    }
  }

  private var last: (format: AudioFormat, end: FrameCount)?

  /// Nothing has been seen.
  package init() {}

  /// Adds the next buffer and returns its position relative to the one before it.
  package mutating func note(_ buffer: AudioBuffer) -> Step {
    defer { last = (buffer.format, buffer.endFrame) }
    guard let last else { return .first }
    guard last.format == buffer.format, buffer.firstFrame >= last.end else { return .restart }
    return buffer.firstFrame == last.end ? .goesOn : .gap(buffer.firstFrame - last.end)
  }
}

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

/// Moves audio on the time-line, so that its first frame has a given index.
public struct Renumberer: AudioProcessor, Sendable {
  private let firstFrame: FrameCount
  private var shift: FrameCount?

  /// A machine whose first frame out is `firstFrame`.
  public init(from firstFrame: FrameCount) {
    self.firstFrame = firstFrame
  }

  /// Gives the buffer at its new place.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    let shift = shift ?? firstFrame - buffer.firstFrame
    self.shift = shift
    var moved = buffer
    moved.firstFrame += shift
    return [moved]
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// The same audio, numbered so that its first frame has the index `firstFrame`; gaps stay.
  public func numbered(from firstFrame: FrameCount = 0) -> ProcessedAudio<Self, Renumberer> {
    processed(by: Renumberer(from: firstFrame))
  }
}
