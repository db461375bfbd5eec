import AudioCore
import Foundation
import Testing

@testable import AudioPlayerClientLive

@Suite struct SourceConverterTests {
  private let target = AudioFormat(sampleRate: 48_000, channelCount: 1)

  private func tone(_ frames: FrameCount, rate: SampleRate) -> AudioBuffer {
    AudioSignal.sine(300).buffer(frames, format: AudioFormat(sampleRate: rate, channelCount: 1))
  }

  @Test
  func `nextFrame is the output frame of the next buffer, even if earlier samples are held back`()
    throws
  {
    var converter = SourceConverter(to: target)
    var count = try converter.convert(tone(4_410, rate: 44_100)).count
    #expect(converter.nextFrame == 4_800)
    #expect(converter.outputFrame == count && count < 4_800)
    count += try converter.convert(tone(8_000, rate: 8_000)).count
    #expect(converter.nextFrame == 4_800 + 48_000)
    count += try converter.flush().count
    #expect(count == 4_800 + 48_000)
    #expect(converter.nextFrame == count && converter.outputFrame == count)
  }

  @Test func `each channel of mono to 5.1 audio goes to the loudspeaker at its position`() throws {
    var converter = SourceConverter(to: AudioFormat(sampleRate: 48_000, channelCount: 6))
    var frames: [[Float]] = []
    for count in [6, 4, 5, 2, 1] {
      let frame = (1...count).map { Float($0) }
      let format = AudioFormat(sampleRate: 48_000, channelCount: count)
      frames.append(try converter.convert(AudioBuffer(format: format, samples: frame)))
    }
    #expect(
      frames == [
        [1, 2, 3, 4, 5, 6], [1, 2, 0, 0, 3, 4], [1, 2, 3, 0, 4, 5], [1, 2, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
      ])
  }

  @Test func `after a restart the output continues at the given frame without old audio`() throws {
    var converter = SourceConverter(to: target)
    _ = try converter.convert(tone(4_410, rate: 44_100))
    converter.restart(at: 7)
    #expect(converter.nextFrame == 7 && converter.outputFrame == 7)
    #expect(try converter.flush().isEmpty)
  }

  private let sine = AudioSignal { frame, rate in
    Float(sin(2 * Double.pi * (Double(frame) * 441 / Double(rate.hertz) + 0.21)))
  }

  /// Converts frames of the sine in buffers of `step` frames.
  private func converted(
    _ count: Int, from rate: SampleRate, to target: AudioFormat, channels: Int = 1, step: Int
  ) throws -> [Float] {
    let format = AudioFormat(sampleRate: rate, channelCount: channels)
    var converter = SourceConverter(to: target)
    var samples: [Float] = []
    for start in stride(from: 0, to: count, by: step) {
      let piece = sine.buffer(
        FrameCount(min(step, count - start)), format: format, firstFrame: FrameCount(start))
      samples += try converter.convert(piece)
    }
    return try samples + converter.flush()
  }

  @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (16_000, 48_000), (22_050, 48_000)])
  func `a sine that begins and ends abruptly keeps its amplitude up to its first and last frame`(
    rate: Int, target: Int
  ) throws {
    let format = AudioFormat(sampleRate: SampleRate(hertz: target), channelCount: 2)
    let count = rate / 4 + 7
    let samples = try converted(
      count, from: SampleRate(hertz: rate), to: format, channels: 2, step: 300)
    let expected = FrameCount(count).converted(
      from: SampleRate(hertz: rate), to: format.sampleRate)
    #expect(samples.count == expected.rawValue * 2)
    let reference = sine.buffer(expected, format: format).samples
    let errors = zip(samples, reference).map { abs($0 - $1) }
    #expect(errors.max() ?? 1 < 1.2e-2, "\(errors.max() ?? 1)")
  }

  @Test func `audio at the target's rate passes unchanged`() throws {
    let samples = try converted(1_000, from: 48_000, to: target, step: 77)
    #expect(samples == sine.buffer(1_000, format: target).samples)
  }

  @Test(arguments: [1, 100, 589])
  func `very short audio, whose edges cannot be mirrored, keeps its length`(count: Int) throws {
    let samples = try converted(count, from: 44_100, to: target, step: 50)
    let expected = FrameCount(count).converted(from: 44_100, to: 48_000)
    #expect(samples.count == expected.rawValue)
  }

  @Test func `audio keeps its length even if its rate shares no divisor with the device's rate`()
    throws
  {
    #expect(try converted(4_000, from: 44_101, to: target, step: 1_000).count == 4_354)
  }
}
