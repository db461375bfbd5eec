import AudioCore
import Resampling
import SyrinxTestSupport
import Testing

@Suite struct StreamResamplerTests {
  private let noise = AudioSignal.noise(seed: 9)

  private func all(_ buffers: [AudioBuffer], to format: AudioFormat) throws -> [AudioBuffer] {
    var resampler = StreamResampler(to: format)
    return try buffers.flatMap { try resampler.process($0) } + resampler.flush()
  }

  @Test func `resampling a stream equals resampling the whole audio`() throws {
    let input = noise.buffer(9_600, format: mono(48_000))
    let buffers = stride(from: 0, to: 9_600, by: 480).map {
      input.frames(FrameCount($0)..<FrameCount($0 + 480))
    }
    let output = try all(buffers, to: .speech)
    #expect(try output.flatMap(\.samples) == converted(input, to: .speech).samples)
    #expect(zip(output, output.dropFirst()).allSatisfy { $0.endFrame == $1.firstFrame })
  }

  @Test func `resampling keeps a gap's duration`() throws {
    let buffers = [
      noise.buffer(4_800, format: mono(48_000)),
      noise.buffer(4_800, format: mono(48_000), firstFrame: 9_600),
    ]
    let output = try all(buffers, to: .speech)
    let second = output.drop { $0.firstFrame < 3_200 }
    #expect(output.prefix { $0.firstFrame < 3_200 }.last?.endFrame == 1_600)
    #expect(second.first?.firstFrame == 3_200)
    #expect(second.last?.endFrame == 4_800)
    let alone = AudioBuffer(format: mono(48_000), samples: buffers[1].samples)
    #expect(try second.flatMap(\.samples) == converted(alone, to: .speech).samples)
  }

  @Test func `a gap shorter than a frame repeats no frame index`() throws {
    // At the new rate, the first buffer begins at frame 0.5 and has 167.5 frames. Both numbers are
    // rounded up, so the second buffer would begin one frame before the end of the first buffer.
    let buffers = [(3, 1_005), (1_009, 600)].map { begin, count in
      noise.buffer(FrameCount(count), format: mono(48_000), firstFrame: FrameCount(begin))
    }
    let output = try all(buffers, to: mono(8_000))
    #expect(output.first?.firstFrame == 1)
    #expect(zip(output, output.dropFirst()).allSatisfy { $0.endFrame <= $1.firstFrame })
    #expect(output.last?.endFrame == 269)
  }

  @Test func `audio after a change of format is also converted`() throws {
    let output = try all(
      [noise.buffer(4_800, format: mono(48_000)), AudioBuffer(silence: 800, format: .speech)],
      to: .speech)
    #expect(output.allSatisfy { $0.format == .speech })
    #expect(output.last == AudioBuffer(silence: 800, format: .speech))
  }

  @Test func `resampling to a rate keeps the channels`() {
    let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let diagram = StreamDiagram(inputs: ["a|"]) { _ in AudioBuffer(silence: 480, format: stereo) }
    let result = diagram.run(symbol: { "\($0.format.channelCount)x\($0.frameCount.rawValue) " }) {
      $0[0].resampled(toRate: 16_000)
    }
    #expect(result.output == "-[2x160 |]")
  }

  @Test func `buffers in the output format are yielded unchanged and without delay`() {
    let diagram = StreamDiagram(inputs: ["a-b|"]) { _ in AudioBuffer(silence: 7, format: .speech) }
    let result = diagram.run(symbol: { "\($0.frameCount.rawValue)" }) {
      $0[0].resampled(to: .speech)
    }
    #expect(result.output == "7-7|")
  }

  @Test func `rates too far apart end the stream with an error`() {
    let diagram = StreamDiagram(inputs: ["a-|"]) { _ in AudioBuffer(silence: 7, format: mono(1)) }
    let result = diagram.run(symbol: { "\($0)" }) { $0[0].resampled(toRate: 2_000_000_000) }
    #expect(result.output == "^--")
  }

  @Test func `the audio that a stream resampler holds does not grow over hours`() throws {
    var resampler = StreamResampler(to: mono(70))
    var (given, most): (FrameCount, Int) = (0, 0)
    for number in 0..<14_400 {
      let input = AudioBuffer(silence: 100, format: mono(100), firstFrame: FrameCount(number * 100))
      given = try resampler.process(input).last?.endFrame ?? given
      most = max(most, (number + 1) * 70 - given.rawValue)
    }
    #expect(most < 1_000)
  }
}
