import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct ChannelMapperTests {
  private let stereo = AudioFormat(sampleRate: 10, channelCount: 2)

  private func mapped(_ map: ChannelMap, _ samples: [Float], of channels: Int = 2) throws
    -> AudioBuffer
  {
    let format = AudioFormat(sampleRate: 10, channelCount: channels)
    let input = AudioBuffer(format: format, samples: samples, firstFrame: 7)
    let output = try all(ChannelMapper(map), input)
    #expect(output.count == 1 && output[0].firstFrame == 7)
    return output[0]
  }

  @Test func `channels are selected, reordered, and duplicated by index`() throws {
    let input: [Float] = [1, 2, 3, 4, 5, 6]
    #expect(try mapped(.channels([2]), input, of: 3).samples == [3, 6])
    #expect(try mapped(.channels([1, 0]), input, of: 3).samples == [2, 1, 5, 4])
    #expect(try mapped(.channels([0, 0]), input, of: 3).samples == [1, 1, 4, 4])
  }

  @Test func `mapping to a channel count averages stereo and duplicates mono`() throws {
    #expect(try mapped(.mono, [1, 0, 0.5, 0.5]).samples == [0.5, 0.5])
    #expect(try mapped(.count(2), [1, 2], of: 1).samples == [1, 1, 2, 2])
  }

  @Test func `a gain matrix has a row for each output channel`() throws {
    let output = try mapped(.gains([[0.5, 0.25], [], [0, 1]]), [1, 2])
    #expect(output.samples == [1, 0, 2])
    #expect(output.format.channelCount == 3)
  }

  @Test func `mapping a missing channel throws an error that names the channel`() throws {
    let error = AudioStreamError.tooFewChannels(needed: 3, actual: stereo)
    #expect(throws: error) { try mapped(.channels([0, 2]), [1, 2]) }
    #expect("\(error)".contains("channel 3, counted from 1"))
    #expect(throws: error) { try mapped(.gains([[1, 1, 0]]), [1, 2]) }
  }

  @Test func `the number of input channels may change within a stream`() throws {
    let output = try all(
      ChannelMapper(.mono), audio([1]), AudioBuffer(format: stereo, samples: [1, 0]))
    #expect(output == [audio([1]), audio([0.5])])
  }

  @Test func `each buffer is yielded without delay, and an error ends the stream`() {
    let result = audioDiagram("a-b|").run(symbol: drawn) { $0[0].channels(.channels([0])) }
    #expect(result.output == "[<0 1>]-[<2 3>]|")
    let failing = audioDiagram("a-b|").run(symbol: drawn) { $0[0].channels(.channels([1])) }
    #expect(failing == .init(output: "^---", taken: ["a---"]))
  }

  @Test func `a channel mapper holds no frames over hours of audio`() throws {
    #expect(try mostHeld(by: ChannelMapper(.count(2))) == 0)
  }
}
