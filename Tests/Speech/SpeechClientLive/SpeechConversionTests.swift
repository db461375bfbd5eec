import AudioCore
import Testing

@testable import SpeechClientLive

@Suite struct SpeechConversionTests {
  private let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

  private func frames(_ pieces: [SpeechConversion.Piece]) -> FrameCount {
    pieces.reduce(0) { if case .audio(let buffer) = $1 { $0 + buffer.frameCount } else { $0 } }
  }

  @Test func `every format becomes 16 kHz mono of the same length`() throws {
    var conversion = SpeechConversion()
    let tone = AudioSignal.sine(440).buffer(.seconds(1), format: stereo)
    let pieces = try conversion.add(tone) + conversion.flush()
    #expect(pieces.first == .gap(to: 0))
    #expect(frames(pieces) == 16_000)
    for case .audio(let buffer) in pieces { #expect(buffer.format == .speech) }
  }

  @Test func `a jump ahead is a gap after the rest of the earlier audio`() throws {
    var conversion = SpeechConversion()
    let second = AudioBuffer(silence: 48_000, format: stereo)
    _ = try conversion.add(second)
    var later = second
    later.firstFrame = 96_000
    let pieces = try conversion.add(later)
    let gap = pieces.firstIndex(of: .gap(to: 32_000))
    #expect(gap != nil)
    if let gap, case .audio(let after)? = pieces[(gap + 1)...].first {
      #expect(after.firstFrame == 32_000)
    }
  }

  @Test func `samples that overflow in the resampler do not reach the recognizer`() throws {
    var conversion = SpeechConversion()
    let samples = (0..<96_000).map { $0 / 14 % 2 == 0 ? Float.greatestFiniteMagnitude : -3.4e38 }
    let loudest = AudioBuffer(format: stereo, samples: samples)
    for case .audio(let buffer) in try conversion.add(loudest) + conversion.flush() {
      #expect(buffer.samples.allSatisfy { $0.isFinite })
    }
  }

  @Test(arguments: [1, 2400, 2401])
  func `a gap of at most 50 ms is bridged with silence, and times stay right`(missing: Int) throws {
    var conversion = SpeechConversion()
    var pieces = try conversion.add(AudioBuffer(silence: 48_000, format: stereo))
    let second = AudioBuffer(
      silence: 48_000, format: stereo, firstFrame: FrameCount(48_000 + missing))
    pieces += try conversion.add(second) + conversion.flush()
    let gaps = pieces.filter { if case .gap = $0 { true } else { false } }
    #expect(gaps.count == (missing > 2400 ? 2 : 1))
    let silence = missing > 2400 ? 0 : missing / 3
    #expect(frames(pieces) == FrameCount(32_000 + silence))
    guard case .audio(let last)? = pieces.last else { return }
    #expect(last.endFrame == FrameCount(32_000 + missing / 3))
  }

  @Test func `buffers that all begin at 0 follow one another`() throws {
    var conversion = SpeechConversion()
    let buffer = AudioBuffer(silence: 1600, format: .speech)
    let pieces = try conversion.add(buffer) + conversion.add(buffer) + conversion.add(buffer)
    let starts = pieces.compactMap { piece -> FrameCount? in
      if case .audio(let buffer) = piece { buffer.firstFrame } else { nil }
    }
    #expect(starts == [0, 1600, 3200])
  }

  @Test func `audio after a change of format is converted to 16 kHz, too`() throws {
    var conversion = SpeechConversion()
    let first = try conversion.add(AudioBuffer(silence: 16_000, format: .speech))
    let second = AudioBuffer(silence: 48_000, format: stereo, firstFrame: 48_000)
    let pieces = try first + conversion.add(second) + conversion.flush()
    #expect(frames(pieces) == 32_000)
  }
}
