/// Determines whether a buffer continues the previous one in the same format.
package struct Continuity: Sendable {
  /// The position of a buffer relative to the previous one.
  package enum Step: Equatable, Sendable {
    /// The first buffer.
    case first
    /// The buffer continues without a gap.
    case continues
    /// This number of frames is missing before the buffer.
    case gap(FrameCount)
    /// The buffer begins before the end of the previous one, or has another format.
    case restart

    /// Whether frames held from the previous buffer cannot be joined to this one.
    package var isBreak: Bool {
      switch self {
      case .first, .continues: false
      case .gap, .restart: true
      }
    }
  }

  private var last: (format: AudioFormat, end: FrameCount)?

  /// Creates a checker that has not received a buffer yet.
  package init() {}

  /// Adds the next buffer and returns its position relative to the previous one.
  package mutating func note(_ buffer: AudioBuffer) -> Step {
    defer { last = (buffer.format, buffer.endFrame) }
    guard let last else { return .first }
    guard last.format == buffer.format, buffer.firstFrame >= last.end else { return .restart }
    return buffer.firstFrame == last.end ? .continues : .gap(buffer.firstFrame - last.end)
  }
}

/// The host time and the number of silenced samples that an operator passes on with its output.
package struct BufferTrail: Sendable {
  /// The latest buffer, without its samples.
  private var latest: AudioBuffer?
  private var silencedSampleCount = 0

  /// Creates a trail that has not received a buffer yet.
  package init() {}

  /// Adds the next buffer of the source.
  package mutating func note(_ buffer: AudioBuffer) {
    latest = buffer.with([])
    silencedSampleCount += buffer.silencedSampleCount
  }

  /// Returns an output buffer with its host time, and with the silenced samples that were not
  /// passed on yet.
  package mutating func marked(_ buffer: AudioBuffer) -> AudioBuffer {
    var marked = buffer
    if let latest { marked.setTime(from: latest) }
    (marked.silencedSampleCount, silencedSampleCount) = (silencedSampleCount, 0)
    return marked
  }
}

/// The reason that buffers of a stream cannot be processed.
public enum AudioStreamError: Error, Equatable {
  /// The format of an input of a mix differs from that of the first input.
  ///
  /// Resample it or map its channels before the mix.
  case formatsDiffer(expected: AudioFormat, actual: AudioFormat)

  /// A buffer has too few channels for a map that reads at least `needed` channels.
  case tooFewChannels(needed: Int, actual: AudioFormat)

  /// A buffer of a mix begins before frames that the same input has already delivered.
  case outOfOrder(expected: FrameCount, actual: FrameCount)
}

extension AudioStreamError: CustomStringConvertible {
  /// A short description for users.
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

/// Moves audio on the timeline, so that its first frame has a given index.
public struct Renumberer: AudioProcessor, Sendable {
  private let firstFrame: FrameCount
  private var shift: FrameCount?

  /// Creates a renumberer whose first frame is `firstFrame`.
  public init(from firstFrame: FrameCount) {
    self.firstFrame = firstFrame
  }

  /// Returns the buffer at its new position.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    let shift = shift ?? firstFrame - buffer.firstFrame
    self.shift = shift
    var moved = buffer
    moved.firstFrame += shift
    return [moved]
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Numbers the frames from `firstFrame` on; gaps stay.
  public func numbered(from firstFrame: FrameCount = 0) -> ProcessedAudio<Self, Renumberer, Failure>
  {
    processed(by: Renumberer(from: firstFrame))
  }
}
