import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct FeederConverterTests {
  private let target = AudioFormat(sampleRate: 48_000, channelCount: 1)

  private func tone(_ frames: FrameCount, rate: SampleRate) -> AudioBuffer {
    AudioSignal.sine(300).buffer(frames, format: AudioFormat(sampleRate: rate, channelCount: 1))
  }

  @Test func `it knows which of its frames a buffer begins with, before it gives it`() throws {
    var converter = FeederConverter(to: target)
    var given = try converter.convert(tone(4_410, rate: 44_100)).count
    #expect(converter.nextFrame == 4_800)
    #expect(converter.outputFrame == given && given < 4_800)
    given += try converter.convert(tone(8_000, rate: 8_000)).count
    #expect(converter.nextFrame == 4_800 + 48_000)
    given += try converter.finish().count
    #expect(given == 4_800 + 48_000)
    #expect(converter.nextFrame == given && converter.outputFrame == given)
  }

  @Test func `files of other layouts are heard from the loudspeakers of their positions`() throws {
    var converter = FeederConverter(to: AudioFormat(sampleRate: 48_000, channelCount: 6))
    var heard: [[Float]] = []
    for count in [6, 4, 5, 2, 1] {
      let frame = (1...count).map { Float($0) }
      let format = AudioFormat(sampleRate: 48_000, channelCount: count)
      heard.append(try converter.convert(AudioBuffer(format: format, samples: frame)))
    }
    #expect(
      heard == [
        [1, 2, 3, 4, 5, 6], [1, 2, 0, 0, 3, 4], [1, 2, 3, 0, 4, 5], [1, 2, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
      ])
  }

  @Test func `another stream begins where it is told`() throws {
    var converter = FeederConverter(to: target)
    _ = try converter.convert(tone(4_410, rate: 44_100))
    converter.restart(at: 7)
    #expect(converter.nextFrame == 7 && converter.outputFrame == 7)
    #expect(try converter.finish().isEmpty)
  }
}
