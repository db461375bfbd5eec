import AudioCore
import AudioRecorderClient
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite struct StreamConsumerTests {
  /// Returns a block whose `capturedAt` is 1 s after its `time`.
  private func block(_ first: Int, _ count: Int, lost: FrameCount? = nil) -> CapturedAudio {
    CapturedAudio(
      buffer: AudioSignal.noise(seed: 3).buffer(
        FrameCount(count), format: .speech, firstFrame: FrameCount(first)),
      time: FrameCount(first).duration(at: 16_000), gap: lost.map(CaptureGap.init),
      capturedAt: .seconds(1) + FrameCount(first).duration(at: 16_000))
  }

  private func cut(
    _ blocks: [CapturedAudio], to size: FrameCount
  ) async throws -> [CapturedAudio] {
    let pipe = PolicyPipe<CapturedAudio>(policy: .droppingOldest(after: .seconds(60)))
    let device = PCMConfiguration(
      device: "a", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
    let consumer = try StreamConsumer(
      pipe, CaptureRequest(framesPerBuffer: size), device: device)
    for block in blocks { _ = consumer.process(block, number: 0) }
    consumer.finish()
    pipe.finish()
    return try await pipe.stream().reduce(into: []) { $0.append($1) }
  }

  @Test(arguments: [1, 7, 160, 256, 1_000, 5_000])
  func `every buffer has the requested size and the times of its own first frame`(size: FrameCount)
    async throws
  {
    let cut = try await cut((0..<10).map { block($0 * 320, 320) }, to: size)
    #expect(cut.dropLast().allSatisfy { $0.buffer.frameCount == size })
    #expect(
      cut.flatMap(\.buffer.samples)
        == AudioSignal.noise(seed: 3).buffer(3_200, format: .speech).samples)
    for (index, block) in cut.enumerated() {
      let first = FrameCount(index * size.rawValue)
      #expect(block.buffer.firstFrame == first)
      #expect(block.time == first.duration(at: 16_000))
      #expect(block.capturedAt == .seconds(1) + first.duration(at: 16_000))
    }
  }

  @Test func `a gap cuts a buffer short and is reported with the next buffer`() async throws {
    let cut = try await cut([block(0, 320), block(420, 320, lost: 100)], to: 200)
    #expect(cut.map(\.buffer.firstFrame) == [0, 200, 420, 620])
    #expect(cut.map(\.buffer.frameCount) == [200, 120, 200, 120])
    #expect(cut.map(\.gap?.lost) == [nil, nil, 100, nil])
  }

  @Test func `a gap at the end of a capture is reported with an empty buffer`() async throws {
    let cut = try await cut([block(0, 320), block(420, 0, lost: 100)], to: 200)
    #expect(cut.map(\.buffer.frameCount) == [200, 120, 0])
    #expect(cut.last?.gap?.lost == 100)
  }
}
