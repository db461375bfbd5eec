/// A synthetic signal: a value for every frame, the same in all channels, the same in every run.
///
/// Any stretch of it can be asked for on its own: the frames that two neighbouring buffers give are
/// those that one buffer over both would give.
public struct AudioSignal: Sendable {
  private let value: @Sendable (_ frame: Int, _ rate: SampleRate) -> Float

  /// A signal from a function of the frame's index and the rate; it should stay within ±1.
  public init(_ value: @escaping @Sendable (_ frame: Int, _ rate: SampleRate) -> Float) {
    self.value = value
  }

  /// The sample of one frame.
  public func sample(at frame: FrameCount, rate: SampleRate) -> Float {
    value(frame.rawValue, rate)
  }

  /// The frames from `firstFrame` on as a buffer, every channel alike.
  public func buffer(
    _ frameCount: FrameCount, format: AudioFormat, firstFrame: FrameCount = 0
  ) -> AudioBuffer {
    var samples: [Float] = []
    samples.reserveCapacity(frameCount.rawValue * format.channelCount)
    for frame in firstFrame.rawValue..<(firstFrame + frameCount).rawValue {
      let sample = value(frame, format.sampleRate)
      for _ in 0..<format.channelCount { samples.append(sample) }
    }
    return AudioBuffer(format: format, samples: samples, firstFrame: firstFrame)
  }

  /// The first `duration` of the signal as a buffer.
  public func buffer(_ duration: Duration, format: AudioFormat) -> AudioBuffer {
    buffer(FrameCount(duration, at: format.sampleRate), format: format)
  }
}
