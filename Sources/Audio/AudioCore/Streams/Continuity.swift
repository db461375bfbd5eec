/// Compares each buffer of a stream with the previous buffer.
package struct ContinuityChecker: Sendable {
  /// How a buffer follows the previous buffer.
  package enum Relation: Equatable, Sendable {
    /// There is no previous buffer.
    case first
    /// No frame is missing between the buffers.
    case adjacent
    /// This number of frames is missing between the buffers.
    case gap(FrameCount)
    /// The buffer has another format, or begins before the end of the previous buffer.
    case restart

    /// Whether an operator must flush its held frames before it processes the buffer.
    package var isBreak: Bool {
      switch self {
      case .first, .adjacent: false
      case .gap, .restart: true
      }
    }
  }

  private var previous: (format: AudioFormat, end: FrameCount)?

  /// Creates a checker that has not received a buffer yet.
  package init() {}

  /// Compares a buffer with the buffer of the previous call.
  package mutating func check(_ buffer: AudioBuffer) -> Relation {
    defer { previous = (buffer.format, buffer.endFrame) }
    guard let previous else { return .first }
    guard previous.format == buffer.format, buffer.firstFrame >= previous.end else {
      return .restart
    }
    let missing = buffer.firstFrame - previous.end
    return missing == 0 ? .adjacent : .gap(missing)
  }
}

/// Passes the host time and the number of silenced samples from an operator's input buffers to its
/// output buffers, which have other boundaries.
package struct CaptureInfo: Sendable {
  /// The last input buffer, without its samples.
  private var lastInput: AudioBuffer?
  /// The number of silenced samples in the input since the last output.
  private var silencedSampleCount = 0

  /// Creates a value that has not received an input buffer yet.
  package init() {}

  /// Adds an input buffer.
  package mutating func add(_ input: AudioBuffer) {
    lastInput = input.with([])
    silencedSampleCount += input.silencedSampleCount
  }

  /// Returns an output buffer with its host time, and with the number of silenced samples since the
  /// previous output buffer.
  package mutating func applied(to output: AudioBuffer) -> AudioBuffer {
    var output = output
    if let lastInput { output.setTime(from: lastInput) }
    (output.silencedSampleCount, silencedSampleCount) = (silencedSampleCount, 0)
    return output
  }
}

/// The reason that buffers of a stream cannot be processed.
public enum AudioStreamError: Error, Equatable {
  /// The format of an input of a mix differs from that of the first input.
  ///
  /// Resample the input or map its channels before the mix.
  case formatsDiffer(expected: AudioFormat, actual: AudioFormat)

  /// A buffer has too few channels for a map that reads at least `needed` channels.
  case tooFewChannels(needed: Int, actual: AudioFormat)

  /// A buffer has more channels than an operator accepts.
  case tooManyChannels(limit: Int, actual: AudioFormat)

  /// A buffer of a mix input begins before the end of that input's previous buffer.
  case outOfOrder(expected: FrameCount, actual: FrameCount)
}

extension AudioStreamError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .formatsDiffer(let expected, let actual):
      "cannot mix \(actual) with \(expected); resample one input or map its channels before the mix"
    case .tooFewChannels(let needed, let actual):
      "channel \(needed), counted from 1, is needed, but the audio is \(actual)"
    case .tooManyChannels(let limit, let actual):
      "the audio is \(actual), and at most \(limit) channels can be separated; select one channel"
    case .outOfOrder(let expected, let actual):
      "a buffer begins at frame \(actual.rawValue), before frame \(expected.rawValue), where the"
        + " previous buffer ended; number the buffers in rising order"
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
