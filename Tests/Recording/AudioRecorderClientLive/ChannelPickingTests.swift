import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct ChannelPickingTests {
  private let device = AudioFormat(sampleRate: 48_000, channelCount: 4)

  /// Returns the frames of a buffer after picking channels, in `format` or unchanged.
  private func picked(
    _ channels: [Int]?, from buffer: AudioBuffer, to format: AudioFormat? = nil
  ) throws -> AudioBuffer {
    let format = try format ?? buffer.format.picking(channels)
    let converter = try CaptureConverter(channels, of: buffer.format, to: format)
    let blocks = try converter.process(CapturedAudio(buffer: buffer, time: .zero))
    return try #require(blocks.first).buffer
  }

  @Test func `channels come in the requested order`() throws {
    let buffer = AudioBuffer(format: device, samples: [0, 1, 2, 3, 10, 11, 12, 13], firstFrame: 9)
    let picked = try picked([2, 0], from: buffer)
    #expect(picked.format.channelCount == 2)
    #expect(picked.samples == [2, 0, 12, 10])
    #expect(picked.firstFrame == 9)
  }

  @Test func `without a selection all channels are unchanged`() throws {
    let buffer = AudioSignal.sine(440).buffer(10, format: device)
    #expect(try picked(nil, from: buffer).samples == buffer.samples)
  }

  @Test(arguments: [(nil, 6), ([0, 1, 2, 3, 4, 5], 6), (nil, 4), (nil, 2)])
  func `recording a device in mono averages all of its channels`(
    channels: [Int]?, count: Int
  ) throws {
    let device = AudioFormat(sampleRate: 48_000, channelCount: count)
    let mono = AudioFormat(sampleRate: 48_000, channelCount: 1)
    for index in 0..<count {
      let frame = (0..<count).map { Float($0 == index ? 1 : 0) }
      let mixed = try picked(
        channels, from: AudioBuffer(format: device, samples: frame), to: mono)
      #expect(mixed.samples == [1 / Float(count)])
    }
  }

  @Test func `a channel that the device lacks is refused with an error that contains its number`() {
    let error = #expect(throws: AudioRecorderError.self) { try device.picking([1, 4]) }
    #expect(
      error.map { "\($0)".contains("channel 5 was picked (index 4), and the device has 4") } == true
    )
  }
}
