import AudioCore
import Testing

@testable import SpeechClientLive

@Suite struct ChannelSplitterTests {
  private let stereo = AudioFormat(sampleRate: .speech, channelCount: 2)

  /// Returns a tenth of a second in which each channel has one value.
  private func buffer(_ values: Float..., at tenth: Int = 0) -> AudioBuffer {
    let format = AudioFormat(sampleRate: .speech, channelCount: values.count)
    return AudioBuffer(
      format: format, samples: Array(repeatElement(values, count: 1_600).joined()),
      firstFrame: FrameCount(tenth * 1_600))
  }

  /// Returns the channel, the first frame, and the first sample of each buffer.
  private func parts(
    _ splitter: inout ChannelSplitter, _ buffer: AudioBuffer
  ) throws -> [[Float]] {
    try splitter.split(buffer).flatMap { channel, buffers in
      buffers.map { [Float(channel), Float($0.firstFrame.rawValue), $0.samples[0]] }
    }
  }

  @Test func `each channel gets its samples at their frames`() throws {
    var splitter = ChannelSplitter()
    var audio = AudioBuffer(format: stereo, samples: [1, 2, 3, 4, 5, 6], firstFrame: 7)
    audio.silencedSampleCount = 3
    let parts = try splitter.split(audio)
    #expect(parts.map(\.channel) == [0, 1])
    #expect(parts.flatMap(\.buffers).map(\.samples) == [[1, 3, 5], [2, 4, 6]])
    #expect(parts.flatMap(\.buffers).allSatisfy { $0.firstFrame == 7 && $0.format == .speech })
    #expect(parts.flatMap(\.buffers).map(\.silencedSampleCount) == [3, 0])
  }

  @Test func `equal channels are left out, even with the rounding of 16 bits`() throws {
    var splitter = ChannelSplitter()
    for tenth in 0..<30 {
      let parts = try parts(&splitter, buffer(0.5, 0.50005, 0.5, at: tenth))
      #expect(parts == [[0, Float(tenth * 1_600), 0.5]])
    }
  }

  @Test func `a channel that begins to differ repeats the second before`() throws {
    var splitter = ChannelSplitter()
    for tenth in 0..<30 { _ = try splitter.split(buffer(0, 0, at: tenth)) }
    let parts = try parts(&splitter, buffer(0.1, 0, at: 30))
    #expect(parts[0] == [0, 48_000, 0.1])
    #expect(parts.dropFirst().map { $0[1] } == (20...30).map { Float($0 * 1_600) })
    #expect(parts.dropFirst().allSatisfy { $0[0] == 1 && $0[2] == 0 })
    // Later equality does not matter.
    #expect(try self.parts(&splitter, buffer(0, 0, at: 31)).count == 2)
  }

  @Test func `a channel that equals a later channel is left out`() throws {
    var splitter = ChannelSplitter()
    #expect(try parts(&splitter, buffer(0.1, 0.2, 0.2, 0.1)).map { $0[0] } == [0, 1])
    #expect(try parts(&splitter, buffer(0.1, 0.2, 0.3, 0.1)).map { $0[0] } == [0, 1, 2, 2])
  }

  @Test func `mono audio is its only channel`() throws {
    var splitter = ChannelSplitter()
    #expect(try splitter.split(buffer(0.5)).map(\.buffers) == [[buffer(0.5)]])
  }

  @Test func `too many channels, and a channel that disappears, are errors`() throws {
    var splitter = ChannelSplitter()
    let many = AudioBuffer(silence: 10, format: AudioFormat(sampleRate: .speech, channelCount: 17))
    #expect(throws: AudioStreamError.tooManyChannels(limit: 16, actual: many.format)) {
      try splitter.split(many)
    }
    _ = try splitter.split(buffer(0.1, 0.2))
    #expect(throws: AudioStreamError.tooFewChannels(needed: 2, actual: .speech)) {
      try splitter.split(buffer(0.1))
    }
    #expect(try parts(&splitter, buffer(0.1, 0.2, 0.3)).map { $0[0] } == [0, 1, 2])
  }
}
