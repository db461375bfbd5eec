import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import SoundCard
import Testing

@testable import ALSASoundCard

/// Tests the live buffers of a faulty card: their samples, positions, and gaps.
@Suite(.timeLimit(.minutes(5))) struct CaptureOnCardTests {
  init() throws {
    _ = try TestALSA.ready()
  }

  @Test func `after an overrun, the stream has a gap and continues at the current time`()
    async throws
  {
    let device = testCard("speed=1 xrun_at=9600")
    let captured = await withRecorder { await capture($0, from: device, upTo: 28_800) }
    #expect(captured.error == nil)
    try captured.checkTimeline()
    let first = try #require(captured.blocks.first?.buffer)
    #expect(first.firstFrame == 0 && first.samples.first == 0)
    let gaps = captured.blocks.indices.filter { captured.blocks[$0].gap != nil }
    #expect(gaps.count >= 1)
    // Every block is complete, except the last block before a gap.
    for (index, block) in captured.blocks.enumerated() where !gaps.contains(index + 1) {
      #expect(block.buffer.frameCount == 300)
    }
  }

  @Test func `the host times of capture and playback match their frame counts within 5 ms`()
    async throws
  {
    let device = testCard("speed=1")
    async let playback = EngineHarness().play(ramp(38_400), on: device)
    let captured = await withRecorder { await capture($0, from: device, upTo: 38_400) }
    let capturedOrigins = captured.blocks.compactMap { block in
      block.buffer.hostTime.map { $0 - block.buffer.firstFrame.duration(at: 48_000) }
    }
    let playedOrigins = try await playback.events.compactMap { event in
      event.progress.flatMap { progress in progress.hostTime.map { $0 - progress.played } }
    }
    #expect(capturedOrigins.count == captured.blocks.count && playedOrigins.count > 10)
    for origins in [capturedOrigins, playedOrigins] {
      // A busy machine may delay some reads of the clock, so up to a quarter of the values may
      // differ.
      let median = origins.sorted()[origins.count / 2]
      let far = origins.filter { abs(($0 - median).inSeconds) > 0.005 }
      #expect(far.count < origins.count / 4)
    }
  }

  @Test func `two consumers of one card get the same buffers and the same gaps`() async throws {
    let device = testCard("xrun_at=24000 speed=1")
    let (one, two) = await withRecorder { recorder in
      async let one = capture(recorder, from: device, upTo: 48_000)
      async let two = capture(recorder, from: device, upTo: 48_000)
      return await (one, two)
    }
    for captured in [one, two] {
      #expect(captured.error == nil)
      try captured.checkTimeline()
    }
    // If a consumer joined after the gap, it did not see the gap, so the gaps are not compared.
    let begins = try [one, two].map { try #require($0.blocks.first?.index) }
    guard begins.allSatisfy({ $0 < 19_200 }) else { return }
    #expect(one.lost == two.lost && (one.lost.first ?? 0) > 0)
  }

  @Test func `when a card is unplugged, the stream throws after all captured buffers`()
    async throws
  {
    let device = testCard("speed=1 gone_at=48000")
    let captured = await withRecorder { await capture($0, from: device) }
    #expect(captured.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    try captured.checkTimeline()
    #expect(captured.blocks.count >= 1)
  }

  private func withRecorder<Value: Sendable>(
    _ body: (AudioRecorderClient) async -> Value
  ) async -> Value {
    await withDependencies {
      $0.soundCard = .liveValue
      $0.continuousClock = ContinuousClock()
    } operation: {
      await body(AudioRecorderClient.liveValue)
    }
  }
}

extension PlaybackEvent {
  fileprivate var progress: PlaybackProgress? {
    if case .progress(let progress) = self { progress } else { nil }
  }
}

/// The result of a capture.
private struct Captured: Sendable {
  var blocks: [CapturedAudio] = []
  var error: AudioRecorderError?

  /// The number of missing frames in each gap.
  var lost: [Int] { blocks.compactMap { $0.gap?.lost.rawValue } }

  /// Checks that the indices are contiguous except for the gaps, and that the ramp matches them.
  func checkTimeline() throws {
    for (block, next) in zip(blocks, blocks.dropFirst()) {
      let missing = next.gap?.lost ?? 0
      #expect(next.buffer.firstFrame == block.buffer.endFrame + missing)
    }
    let start = try #require(blocks.first)
    let isContinuous = blocks.allSatisfy {
      $0.buffer.samples == ramp($0.buffer.frameCount.rawValue, from: $0.index)
    }
    #expect(isContinuous)
    let distances = blocks.map { block in
      let passed = block.buffer.firstFrame.rawValue - start.buffer.firstFrame.rawValue
      return (block.index - start.index - passed + 0x4000) & 0x7fff - 0x4000
    }
    // The two clocks are not read at the same time, and a busy machine may pause in between.
    let most = lost.isEmpty ? 1 : 4_800
    #expect(distances.allSatisfy { abs($0) < most }, "\(Set(distances))")
  }
}

/// Captures blocks of 300 frames until the timeline reaches `end`, or until an error.
private func capture(
  _ recorder: AudioRecorderClient, from device: String, upTo end: FrameCount? = nil
) async -> Captured {
  var captured = Captured()
  let request = CaptureRequest(
    device: AudioDevice.ID(rawValue: device), sampleRate: 48_000, channelCount: 1,
    droppingOldestAfter: .seconds(60), framesPerBuffer: 300)
  do {
    for try await block in await recorder.capture(request: request) {
      captured.blocks.append(block)
      if let end, block.buffer.endFrame >= end { break }
    }
  } catch {
    captured.error = error as? AudioRecorderError
  }
  return captured
}

extension CapturedAudio {
  /// The ramp's position at the first frame; it repeats after 32,768 frames.
  fileprivate var index: Int { Int((buffer.samples.first ?? 0) * 32_768) }
}
