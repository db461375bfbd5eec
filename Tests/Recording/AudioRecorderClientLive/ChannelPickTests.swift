import AudioCore
import AudioRecorderClient
import Resampling
import Testing

@testable import AudioRecorderClientLive

@Suite struct ChannelPickTests {
  private let device = AudioFormat(sampleRate: 48_000, channelCount: 4)

  @Test func `channels come in the requested order`() throws {
    var pick = try ChannelPick([2, 0], of: device)
    #expect(pick.format.channelCount == 2)
    let buffer = AudioBuffer(format: device, samples: [0, 1, 2, 3, 10, 11, 12, 13], firstFrame: 9)
    let picked = try pick.apply(buffer)
    #expect(picked.samples == [2, 0, 12, 10])
    #expect(picked.firstFrame == 9)
  }

  @Test func `without a selection all channels are unchanged`() throws {
    var pick = try ChannelPick(nil, of: device)
    let buffer = AudioSignal.sine(440).buffer(10, format: device)
    let picked = try pick.apply(buffer)
    #expect(picked.samples == buffer.samples && picked.format == pick.format)
  }

  @Test(arguments: [(nil, 6), ([0, 1, 2, 3, 4, 5], 6), (nil, 4), (nil, 2)])
  func `a recording of one channel mixes every microphone of the device`(
    channels: [Int]?, count: Int
  ) throws {
    let device = AudioFormat(sampleRate: 48_000, channelCount: count)
    let pick = try ChannelPick(channels, of: device)
    let mono = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let resampler = try Resampler(from: pick.format, to: mono)
    for index in 0..<count {
      let frame = (0..<count).map { Float($0 == index ? 1 : 0) }
      let mixed = try resampler.process(AudioBuffer(format: pick.format, samples: frame))
      #expect(mixed.samples == [1 / Float(count)])
    }
  }

  @Test func `a channel that the device lacks is refused by its number`() {
    let error = #expect(throws: AudioRecorderError.self) { try ChannelPick([1, 4], of: device) }
    #expect(
      error.map { "\($0)".contains("channel 5 was picked (index 4), and the device has 4") } == true
    )
  }
}
