public import AudioCore

/// What a virtual card's microphone hears.
public struct VirtualMicrophone: Sendable {
  /// Fills interleaved samples in the microphone's format from the given frame on and says how many
  /// frames it filled; fewer than there is room for is its end.
  public typealias Fill =
    @Sendable (_ samples: UnsafeMutableBufferPointer<Float>, _ firstFrame: FrameCount) -> FrameCount

  /// The format that it hears in, nil where it hears in any.
  public let format: AudioFormat?

  /// Makes the ear of one capture: every capture hears from the beginning.
  let makeFill: @Sendable (AudioFormat) throws -> Fill

  /// A microphone from a function that is called at each opening, with the format that was settled
  /// on.
  public init(
    format: AudioFormat? = nil, _ makeFill: @escaping @Sendable (AudioFormat) throws -> Fill
  ) {
    self.format = format
    self.makeFill = makeFill
  }

  /// A microphone that hears a signal for ever, in any format.
  public static func signal(_ signal: AudioSignal) -> VirtualMicrophone {
    VirtualMicrophone { format in
      { samples, firstFrame in
        let frames = FrameCount(samples.count / format.channelCount)
        _ = samples.update(
          fromContentsOf: signal.buffer(frames, format: format, firstFrame: firstFrame).samples)
        return frames
      }
    }
  }

  /// A microphone that hears a buffer once, in the buffer's format, and then comes to its end.
  public static func buffer(_ buffer: AudioBuffer) -> VirtualMicrophone {
    VirtualMicrophone(format: buffer.format) { format in
      { samples, firstFrame in
        let room = FrameCount(samples.count / format.channelCount)
        let start = min(firstFrame, buffer.frameCount)
        let end = min(start + room, buffer.frameCount)
        let heard = buffer.frames(start..<end)
        _ = samples.update(fromContentsOf: heard.samples)
        return heard.frameCount
      }
    }
  }
}
