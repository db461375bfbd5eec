/// Cuts and joins buffers so that each has the same number of frames.
public struct Rechunker: AudioProcessor, Sendable {
  /// The handling of an incomplete buffer, such as the last buffer or the buffer before a gap.
  public enum Rest: Hashable, Sendable {
    /// The incomplete buffer stays shorter.
    case short
    /// The incomplete buffer is padded with silence; a gap within a buffer becomes silence of the
    /// gap's length.
    case padded
  }

  private let size: FrameCount
  private let rest: Rest
  private var continuity = ContinuityChecker()
  private var format = AudioFormat.speech
  private var firstFrame: FrameCount = 0
  private var samples: [Float] = []
  private var captureInfo = CaptureInfo()

  /// Creates a rechunker for buffers of `size` frames, which must be above 0.
  public init(size: FrameCount, rest: Rest = .short) {
    precondition(size > 0, "a buffer holds at least 1 frame, not \(size)")
    self.size = size
    self.rest = rest
  }

  /// The number of frames in the incomplete buffer.
  public var heldFrames: FrameCount { FrameCount(samples.count / format.channelCount) }

  /// Adds a buffer, and returns the completed output buffers.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    guard !buffer.isEmpty else { return [] }
    var output: [AudioBuffer] = []
    switch continuity.check(buffer) {
    case .first, .adjacent: break
    case .restart: output += flush()
    case .gap(let missing): output += bridge(missing)
    }
    if samples.isEmpty { (format, firstFrame) = (buffer.format, buffer.firstFrame) }
    samples += buffer.samples
    captureInfo.add(buffer)
    return output + fullBuffers()
  }

  /// Returns the incomplete buffer.
  public mutating func flush() -> [AudioBuffer] {
    guard !samples.isEmpty else { return [] }
    if rest == .padded { appendSilence(size - heldFrames) }
    defer { samples = [] }
    let rest = AudioBuffer(format: format, samples: samples, firstFrame: firstFrame)
    return [captureInfo.applied(to: rest)]
  }

  private mutating func bridge(_ missing: FrameCount) -> [AudioBuffer] {
    let fitsIn = rest == .padded && !samples.isEmpty && missing < size - heldFrames
    guard fitsIn else { return flush() }
    appendSilence(missing)
    return []
  }

  private mutating func appendSilence(_ count: FrameCount) {
    samples += repeatElement(0, count: count.rawValue * format.channelCount)
  }

  private mutating func fullBuffers() -> [AudioBuffer] {
    let step = size.rawValue * format.channelCount
    var output: [AudioBuffer] = []
    var start = 0
    while samples.count - start >= step {
      let block = Array(samples[start..<start + step])
      let buffer = AudioBuffer(format: format, samples: block, firstFrame: firstFrame)
      output.append(captureInfo.applied(to: buffer))
      firstFrame += size
      start += step
    }
    samples.removeFirst(start)
    return output
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Divides the audio into buffers of `size` frames each; `size` must be above 0.
  ///
  /// The last buffer, and a buffer before a gap or a change of format, may be incomplete. An
  /// incomplete buffer is shorter, or padded with silence if `rest` is `.padded`. Gaps in the
  /// indices stay. With `.padded`, however, a gap that ends within a buffer becomes silence of the
  /// gap's length, so every buffer is full and every frame keeps its index.
  ///
  /// At most `size` frames are held.
  public func rechunked(
    to size: FrameCount, rest: Rechunker.Rest = .short
  ) -> ProcessedAudio<Self, Rechunker, Failure> {
    processed(by: Rechunker(size: size, rest: rest))
  }
}
