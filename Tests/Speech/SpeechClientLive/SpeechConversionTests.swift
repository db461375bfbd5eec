import AudioCore
import Testing

@testable import SpeechClientLive

@Suite struct SpeechConversionTests {
  private let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

  @Test func `audio in any format becomes 16 kHz mono of the same length`() throws {
    var conversion = SpeechConversion()
    let tone = AudioSignal.sine(440).buffer(.seconds(1), format: stereo)
    let samples = try conversion.process(tone) + conversion.flush()
    #expect(samples.count == 16_000)
  }

  @Test func `before a jump in the frame index, flush returns the rest of the earlier audio`()
    throws
  {
    var conversion = SpeechConversion()
    let second = AudioBuffer(silence: 48_000, format: stereo)
    #expect(!conversion.continues(with: second))
    var earlier = try conversion.process(second)
    var later = second
    later.firstFrame = 96_000
    #expect(!conversion.continues(with: later))
    earlier += try conversion.flush()
    #expect(earlier.count == 16_000)
    let samples = try conversion.process(later) + conversion.flush()
    #expect(samples.count == 16_000)
  }

  @Test func `samples that overflow in the resampler do not reach the recognizer`() throws {
    var conversion = SpeechConversion()
    let samples = (0..<96_000).map { $0 / 14 % 2 == 0 ? Float.greatestFiniteMagnitude : -3.4e38 }
    let loudest = AudioBuffer(format: stereo, samples: samples)
    let converted = try conversion.process(loudest) + conversion.flush()
    #expect(converted.allSatisfy { $0.isFinite })
  }

  @Test(arguments: [1, 2400, 2401])
  func `a gap of at most 50 ms is bridged with silence`(missing: Int) throws {
    var conversion = SpeechConversion()
    var samples = try conversion.process(AudioBuffer(silence: 48_000, format: stereo))
    let second = AudioBuffer(
      silence: 48_000, format: stereo, firstFrame: FrameCount(48_000 + missing))
    #expect(conversion.continues(with: second) == (missing <= 2400))
    if missing > 2400 { samples += try conversion.flush() }
    samples += try conversion.process(second) + conversion.flush()
    #expect(samples.count == 32_000 + (missing > 2400 ? 0 : missing / 3))
  }

  @Test func `buffers that all begin at frame 0 are treated as consecutive`() throws {
    var conversion = SpeechConversion()
    let buffer = AudioBuffer(silence: 1600, format: .speech)
    for _ in 0..<3 {
      #expect(try conversion.process(buffer).count == 1600)
      #expect(conversion.continues(with: buffer))
    }
  }

  @Test func `audio after a change of format is also converted to 16 kHz`() throws {
    var conversion = SpeechConversion()
    var samples = try conversion.process(AudioBuffer(silence: 16_000, format: .speech))
    let second = AudioBuffer(silence: 48_000, format: stereo, firstFrame: 48_000)
    #expect(!conversion.continues(with: second))
    samples += try conversion.flush()
    samples += try conversion.process(second) + conversion.flush()
    #expect(samples.count == 32_000)
  }
}
