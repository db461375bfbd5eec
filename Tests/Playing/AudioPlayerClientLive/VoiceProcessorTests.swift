import AudioCore
import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

/// The frames and the errors of the voice processing; a test in `Tests/SyrinxTestSupport` measures
/// its effect.
@Suite struct VoiceProcessorTests {
  private let tone = AudioSignal.sine(440, amplitude: 0.3)

  /// Returns the results for buffers of a tone.
  private func results(
    of buffers: [AudioBuffer], by processor: VoiceProcessor
  ) throws -> [AudioBuffer] {
    var processor = processor
    var results: [AudioBuffer] = []
    for buffer in buffers { results += try processor.process(buffer) }
    return results + (try processor.flush())
  }

  private var plain: VoiceProcessor { VoiceProcessor(reference: nil, noiseSuppression: nil) }

  @Test(arguments: [1, 2])
  func `without suppression, each frame keeps its samples, its index, and its time`(
    channels: Int
  ) throws {
    let format = AudioFormat(sampleRate: .speech, channelCount: channels)
    let begin = ContinuousClock.now
    let buffers = stride(from: 0, to: 16_000, by: 333).map { first in
      var buffer = tone.buffer(333, format: format, firstFrame: FrameCount(first))
      buffer.hostTime = begin + buffer.firstFrame.duration(at: .speech)
      return buffer
    }
    let results = try results(of: buffers, by: plain)
    let (given, got) = (buffers.flatMap(\.samples), results.flatMap(\.samples))
    #expect(got.count == given.count)
    #expect(zip(given, got).dropFirst(320 * channels).allSatisfy { abs($0 - $1) < 0.01 })
    var next: FrameCount = 0
    for result in results {
      #expect(result.firstFrame == next)
      let offset = try #require(result.hostTime) - begin - next.duration(at: .speech)
      #expect(abs(offset.inSeconds) < 0.000_001)
      next = result.endFrame
    }
  }

  @Test func `gaps are kept, and audio shorter than a 10 ms frame is not lost`() throws {
    let buffers = [0..<100, 500..<1_000, 2_000..<2_001].map { frames in
      tone.buffer(
        FrameCount(frames.count), format: .speech, firstFrame: FrameCount(frames.lowerBound))
    }
    let results = try results(of: buffers, by: plain)
    var frames: [Range<Int>] = []
    for result in results {
      let (first, end) = (result.firstFrame.rawValue, result.endFrame.rawValue)
      if let last = frames.last, last.upperBound == first {
        frames[frames.count - 1] = last.lowerBound..<end
      } else {
        frames.append(first..<end)
      }
    }
    #expect(frames == [0..<100, 500..<1_000, 2_000..<2_001])
  }

  @Test func `heldFrames counts the input frames that have not been returned yet`() throws {
    var processor = plain
    #expect(processor.heldFrames == 0)
    #expect(try processor.process(tone.buffer(100, format: .speech)).isEmpty)
    #expect(processor.heldFrames == 100)
    let next = tone.buffer(400, format: .speech, firstFrame: 100)
    let count = try processor.process(next).reduce(0) { $0 + $1.frameCount }
    #expect(processor.heldFrames + count == 500)
  }

  @Test func `noise is suppressed, and quiet speech is amplified`() throws {
    let noise = AudioSignal.noise(seed: 3, amplitude: 0.02).buffer(.seconds(4), format: .speech)
    let quieter = try results(of: [noise], by: VoiceProcessor(reference: nil))
    let end = quieter.flatMap(\.samples).suffix(16_000)
    #expect(power(end) < power(noise.samples.suffix(16_000)) / 8)
    let processor = VoiceProcessor(
      reference: nil, noiseSuppression: nil, gainControl: Decibels(-12))
    let vowel = AudioSignal { frame, rate in
      let time = Double(frame) / Double(rate.hertz)
      let isSpoken = time.truncatingRemainder(dividingBy: 0.4) < 0.25
      return isSpoken ? Float(time * 150).truncatingRemainder(dividingBy: 1) * 0.02 - 0.01 : 0
    }
    let quiet = vowel.buffer(.seconds(8), format: .speech)
    let louder = try results(of: [quiet], by: processor).flatMap(\.samples).suffix(32_000)
    #expect(power(louder) > 10 * power(quiet.samples.suffix(32_000)))
  }

  private func power(_ samples: some Collection<Float>) -> Double {
    samples.reduce(0) { $0 + Double($1 * $1) } / Double(samples.count)
  }

  @Test func `a processor accepts an echo tail of any length`() throws {
    let processor = VoiceProcessor(reference: { [] }, tail: .seconds(1 << 30))
    let results = try results(of: [tone.buffer(480, format: .speech)], by: processor)
    #expect(results.reduce(0) { $0 + $1.frameCount } == 480)
  }

  @Test func `the error for a missing library names the library and Debian's package`() throws {
    let error = #expect(throws: AudioPlayerError.self) {
      _ = try SpeexVoice(
        at: .speech, tail: nil, noise: nil, level: nil, library: "libnothing.so.1")
    }
    let text = try #require(error).description
    #expect(text.hasPrefix("the voice cannot be processed: "))
    #expect(text.contains("libnothing.so.1") && text.contains("libspeexdsp1"))
  }
}
