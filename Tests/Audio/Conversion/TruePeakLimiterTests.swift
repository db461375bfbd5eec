import AudioCore
import Testing

@testable import Conversion

@Suite struct TruePeakLimiterTests {
  private let format = AudioFormat(sampleRate: 44_100, channelCount: 2)

  /// A block of the limiter has 110 frames; the last block is shorter.
  @Test(arguments: [1, 109, 110, 111, 5_000])
  func `the true-peak limiter returns every frame once for any buffer lengths`(length: Int) {
    let sound = AudioSignal.noise(seed: 3, amplitude: 1).buffer(.milliseconds(100), format: format)
    let output = limited(sound, length)
    var next: FrameCount = 0
    for buffer in output {
      #expect(buffer.firstFrame == next)
      next = buffer.endFrame
    }
    #expect(next == sound.frameCount)
    let samples = output.flatMap(\.samples)
    // -1 dBFS is 0.8913.
    #expect(samples.allSatisfy { abs($0) < 0.892 })
    #expect(samples == limited(sound, sound.frameCount.rawValue).flatMap(\.samples))
  }

  @Test func `audio shorter than a limiter block is returned unchanged`() {
    let sound = AudioBuffer(format: format, samples: [0.5, -0.5, 0.25, 0])
    #expect(limited(sound, 2) == [sound])
    var limiter = TruePeakLimiter(format)
    #expect(limiter.flush().isEmpty)
    #expect(limiter.lowestGain == 1)
  }

  /// Returns the limited audio, passed in buffers of at most `length` frames.
  private func limited(_ sound: AudioBuffer, _ length: Int) -> [AudioBuffer] {
    var limiter = TruePeakLimiter(format)
    let count = sound.frameCount.rawValue
    let output = stride(from: 0, to: count, by: length).flatMap { start in
      limiter.process(sound.frames(FrameCount(start)..<FrameCount(min(count, start + length))))
    }
    let rest = limiter.flush()
    #expect(limiter.heldFrames == 0)
    return output + rest
  }
}
