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
