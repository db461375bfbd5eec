import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureConverterTests {
  private let device = AudioFormat(sampleRate: 48_000, channelCount: 1)
  /// The time on the host at which the device was opened.
  private let opening = ContinuousClock.now

  /// Blocks of 10 ms from a device that has been open for 5 s, with a gap after half a second.
  ///
  /// The gap lasts 100 ms in frames, but 103 ms by the device's clock.
  private var captured: [CapturedAudio] {
    (0..<100).map { index in
      let isLate = index >= 50
      let first = FrameCount(index * 480 + (isLate ? 4_800 : 0))
      let time = Duration.milliseconds(5_000 + 10 * index + (isLate ? 103 : 0))
      var buffer = AudioSignal.sine(440).buffer(480, format: device, firstFrame: first)
      buffer.hostTime = opening + time
      return CapturedAudio(
        buffer: buffer, time: time, gap: index == 50 ? CaptureGap(lost: 4_800) : nil)
    }
  }

  private func converter(
    of device: AudioFormat? = nil, to format: AudioFormat
  ) throws -> CaptureConverter {
    try CaptureConverter(nil, of: device ?? self.device, to: format)
  }

  private func converted() throws -> [CapturedAudio] {
    let converter = try converter(to: .speech)
    let blocks = try captured.flatMap { try converter.process($0) }
    let rest = try #require(try converter.flush())
    return blocks + [rest]
  }

  @Test func `every block has the time of its own first frame, even after frames were held back`()
    throws
  {
    for block in try converted() {
      let nominal = block.buffer.firstFrame.duration(at: 16_000)
      let isLate = block.buffer.firstFrame >= 9_600
      #expect(block.time == nominal + (isLate ? .milliseconds(3) : .zero))
    }
  }

  @Test func `every block's capturedAt is the device's time of the block's first frame`() throws {
    for block in try converted() {
      let nominal = block.buffer.firstFrame.duration(at: 16_000)
      let isLate = block.buffer.firstFrame >= 9_600
      #expect(block.capturedAt == .seconds(5) + nominal + (isLate ? .milliseconds(3) : .zero))
      #expect(block.buffer.hostTime == opening + block.capturedAt)
    }
  }

  private func silence(_ frames: FrameCount, from first: FrameCount = 0) -> AudioBuffer {
    AudioBuffer(silence: frames, format: .speech, firstFrame: first)
  }

  @Test func `the time of a capture begins at its first frame and advances with its frames`() throws
  {
    let converter = try converter(of: .speech, to: .speech)
    let blocks = try [
      CapturedAudio(buffer: silence(100), time: .seconds(7)),
      CapturedAudio(buffer: silence(160, from: 100), time: .seconds(9)),
    ].flatMap { try converter.process($0) }
    #expect(blocks.map(\.time) == [.zero, .microseconds(6_250)])
  }

  @Test func `capture times never decrease after a gap`() throws {
    let converter = try converter(of: .speech, to: .speech)
    let blocks = try [
      CapturedAudio(buffer: silence(16_000), time: .zero),
      CapturedAudio(
        buffer: silence(160, from: 16_160), time: .milliseconds(900), gap: CaptureGap(lost: 160)),
      CapturedAudio(buffer: silence(160, from: 16_320), time: .milliseconds(910)),
    ].flatMap { try converter.process($0) }
    #expect(blocks.map(\.time) == [.zero, .seconds(1), .milliseconds(1_010)])
  }

  @Test func `every captured frame is delivered, and one block reports the gap`() throws {
    let blocks = try converted()
    #expect(blocks.map(\.buffer.frameCount).reduce(0, +) == 16_000)
    #expect(blocks.compactMap(\.gap) == [CaptureGap(lost: 1_600)])
    #expect(blocks.first { $0.gap != nil }?.time == .milliseconds(603))
  }

  @Test(arguments: [16_000, 22_050, 44_100, 48_000, 96_000] as [SampleRate])
  func `the sum of lost and captured frames is exact, however small the gaps`(
    rate: SampleRate
  ) throws {
    let converter = try converter(to: AudioFormat(sampleRate: rate, channelCount: 1))
    var blocks: [CapturedAudio] = []
    var next: FrameCount = 0
    for index in 1...300 {
      let lost = FrameCount(index.isMultiple(of: 3) ? index % 7 : 0)
      let captured = AudioSignal.sine(440).buffer(
        FrameCount(331 + index), format: device, firstFrame: next + lost)
      let time = captured.firstFrame.duration(at: 48_000)
      let gap = lost > 0 ? CaptureGap(lost: lost) : nil
      blocks += try converter.process(CapturedAudio(buffer: captured, time: time, gap: gap))
      next = captured.endFrame
    }
    blocks += [try converter.flush()].compactMap(\.self)
    #expect(blocks.isOneTimeline)
    #expect(blocks.compactMap(\.gap).count == 86)
    let end = next.converted(from: 48_000, to: rate)
    #expect(abs(blocks.endFrame.rawValue - end.rawValue) <= 1)
  }

  @Test func `a gap at the end of a capture is reported in a block without frames`() throws {
    let converter = try converter(to: device)
    _ = try converter.process(captured[0])
    let nothing = CapturedAudio(
      buffer: AudioBuffer(silence: 0, format: device, firstFrame: 960), time: .seconds(6),
      gap: CaptureGap(lost: 480))
    let end = try converter.process(nothing)
    #expect(end.map(\.gap) == [CaptureGap(lost: 480)])
    #expect(end.map(\.buffer) == [nothing.buffer])
  }

  @Test(arguments: [16_000, 44_100] as [SampleRate])
  func `after the device returns, ten thousand gaps of one frame each are all counted`(
    rate: SampleRate
  ) throws {
    let converter = try converter(of: .speech, to: .speech)
    let before = AudioBuffer(silence: 1, format: .speech)
    var blocks = try converter.process(CapturedAudio(buffer: before, time: .zero))
    converter.deviceReturned(after: .seconds(1))
    let returned = AudioFormat(sampleRate: rate, channelCount: 1)
    for index in 0..<10_000 {
      let first = FrameCount(index * 45)
      let buffer = AudioBuffer(silence: 44, format: returned, firstFrame: first)
      let gap = index > 0 ? CaptureGap(lost: 1) : nil
      blocks += try converter.process(
        CapturedAudio(buffer: buffer, time: first.duration(at: rate), gap: gap))
    }
    blocks += [try converter.flush()].compactMap(\.self)
    #expect(blocks.isOneTimeline)
    #expect(blocks.compactMap(\.gap).first?.lost == 16_000)
    let end = 16_001 + FrameCount(449_999).converted(from: rate, to: 16_000)
    #expect(abs(blocks.endFrame.rawValue - end.rawValue) <= 1, "\(blocks.endFrame)")
    // The converted audio between gaps may be a frame too long or short, but the gaps are exact,
    // and so is their sum.
    #expect(blocks.compactMap(\.gap?.lost).reduce(0, +) - 16_000 > 3_000)
  }

  @Test func `the absence of a device is a gap in the times and the frame numbers of a capture`()
    throws
  {
    let converter = try converter(to: device)
    var blocks = try converter.process(captured[0])
    converter.deviceReturned(after: .seconds(2))
    let back = AudioBuffer(silence: 480, format: device)
    let first = CapturedAudio(buffer: back, time: .milliseconds(20))
    #expect(converter.gapEnding(with: first) == .milliseconds(2_020))
    blocks += try converter.process(first)
    #expect(blocks.map(\.buffer.firstFrame) == [0, 97_440])
    #expect(blocks.map(\.time) == [.zero, .milliseconds(2_030)])
    #expect(blocks.map(\.capturedAt) == [.seconds(5), .milliseconds(7_030)])
    #expect(blocks.map(\.gap?.lost) == [nil, 96_960])
  }

  @Test func `a device lost and reopened before the first frame causes no gap`() throws {
    let converter = try converter(to: device)
    converter.deviceReturned(after: .seconds(2))
    #expect(converter.gapEnding(with: captured[0]) == .zero)
    let blocks = try converter.process(captured[0])
    #expect(blocks.map(\.buffer.firstFrame) == [0] && blocks[0].gap == nil)
    #expect(blocks[0].time == .zero && blocks[0].capturedAt == .seconds(5))
  }

  @Test func `NaN and infinite samples are counted in the next converted block`() throws {
    let converter = try converter(to: .speech)
    var damaged = captured[0]
    damaged.nonFiniteCount = 3
    let blocks = try [damaged, captured[1], captured[2]].flatMap { try converter.process($0) }
    #expect(blocks.map(\.nonFiniteCount).reduce(0, +) == 3)
  }
}
