import AudioCore
import ClientDependencies

/// What a preview's microphone hears.
enum PreviewMicrophone {
  static let signal = AudioSignal.sine(440, amplitude: 0.1)

  static func format(_ sampleRate: SampleRate?, _ channelCount: Int?) -> AudioFormat {
    AudioFormat(sampleRate: sampleRate ?? 48_000, channelCount: max(1, channelCount ?? 1))
  }

  /// Buffers of 20 ms at the pace of the clock, pulled: a consumer that is slow is not drowned.
  static func capture(_ request: CaptureRequest) -> AsyncThrowingStream<CapturedAudio, any Error> {
    @Dependency(\.continuousClock) var clock
    let format = format(request.sampleRate, request.channelCount)
    let position = PreviewPosition()
    return AsyncThrowingStream { [clock] in
      do { try await clock.sleep(for: .milliseconds(20)) } catch { return nil }
      let first = await position.advance(FrameCount(.milliseconds(20), at: format.sampleRate))
      let buffer = signal.buffer(
        FrameCount(.milliseconds(20), at: format.sampleRate), format: format, firstFrame: first)
      return CapturedAudio(buffer: buffer, time: first.duration(at: format.sampleRate))
    }
  }
}

/// Where a preview's microphone is on its time-line.
private actor PreviewPosition {
  private var next: FrameCount = 0

  func advance(_ frames: FrameCount) -> FrameCount {
    defer { next += frames }
    return next
  }
}
