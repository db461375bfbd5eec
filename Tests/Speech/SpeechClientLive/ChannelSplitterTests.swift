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
    try splitter.split(buffer).map { channel, buffer in
      [Float(channel), Float(buffer.firstFrame.rawValue), buffer.samples[0]]
    }
  }

  @Test func `each channel gets its samples at their frames`() throws {
    var splitter = ChannelSplitter()
    _ = try splitter.split(buffer(0.1, 0.2))
    var audio = AudioBuffer(format: stereo, samples: [1, 2, 3, 4, 5, 6], firstFrame: 1_600)
    audio.silencedSampleCount = 3
    let parts = try splitter.split(audio)
    #expect(parts.map(\.channel) == [0, 1])
    #expect(parts.map(\.buffer.samples) == [[1, 3, 5], [2, 4, 6]])
    #expect(parts.allSatisfy { $0.buffer.firstFrame == 1_600 && $0.buffer.format == .speech })
    #expect(parts.map(\.buffer.silencedSampleCount) == [3, 0])
  }

  @Test func `channels are not divided before they have differed for a tenth of a second`() throws {
    var splitter = ChannelSplitter()
    let halves = [0..<800, 800..<1_600].map {
      buffer(0.1, 0.2).frames(FrameCount($0.lowerBound)..<FrameCount($0.upperBound))
    }
    #expect(try parts(&splitter, halves[0]) == [[0, 0, 0.1]])
    #expect(try parts(&splitter, halves[1]) == [[0, 800, 0.1], [1, 0, 0.2], [1, 800, 0.2]])
  }

  @Test func `channels that differ by noise 40 dB below the sound, or by a click, are equal`()
    throws
  {
    var splitter = ChannelSplitter()
    let noise = AudioSignal.noise(seed: 1, amplitude: 0.001)
    for tenth in 0..<30 {
      var samples: [Float] = []
      for frame in (tenth * 1_600)..<((tenth + 1) * 1_600) {
        // A speaker, and then a pause, in which only the noise is left.
        let sound: Float = tenth < 15 ? 0.2 : 0
        let click: Float = frame == 20_000 || frame == 30_000 ? 1 : 0
        let difference = noise.sample(at: FrameCount(frame), rate: .speech)
        samples += [sound, sound + difference + click]
      }
      let audio = AudioBuffer(
        format: stereo, samples: samples, firstFrame: FrameCount(tenth * 1_600))
      #expect(try splitter.split(audio).map(\.channel) == [0], "\(tenth)")
    }
  }

  @Test func `equal channels are skipped, even with the rounding of 16 bits`() throws {
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

  @Test func `a channel that equals a later channel is skipped`() throws {
    var splitter = ChannelSplitter()
    #expect(try parts(&splitter, buffer(0.1, 0.2, 0.2, 0.1)).map { $0[0] } == [0, 1])
    #expect(try parts(&splitter, buffer(0.1, 0.2, 0.3, 0.1)).map { $0[0] } == [0, 1, 2, 2])
  }

  @Test func `mono audio is its only channel`() throws {
    var splitter = ChannelSplitter()
    #expect(try splitter.split(buffer(0.5)).map(\.buffer) == [buffer(0.5)])
    #expect(splitter.channelCount == 1)
  }

  @Test func `a channel that disappears is silent until it returns`() throws {
    var splitter = ChannelSplitter()
    _ = try splitter.split(buffer(0.1, 0.2))
    #expect(try parts(&splitter, buffer(0.1, at: 1)) == [[0, 1_600, 0.1], [1, 1_600, 0]])
    #expect(
      try parts(&splitter, buffer(0.1, 0.2, 0.3, at: 2))
        == [[0, 3_200, 0.1], [1, 3_200, 0.2], [2, 3_200, 0.3]])
    #expect(splitter.channelCount == 3)
  }

  @Test func `too many channels are an error`() throws {
    var splitter = ChannelSplitter()
    let many = AudioBuffer(silence: 10, format: AudioFormat(sampleRate: .speech, channelCount: 17))
    #expect(throws: AudioStreamError.tooManyChannels(limit: 16, actual: many.format)) {
      try splitter.split(many)
    }
  }
}
