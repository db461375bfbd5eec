import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureRechunkerTests {
  /// A block whose timestamp is 1 s + 1 ms per block later.
  private func block(_ first: Int, _ count: Int, lost: FrameCount? = nil) -> CapturedAudio {
    CapturedAudio(
      buffer: AudioSignal.noise(seed: 3).buffer(
        FrameCount(count), format: .speech, firstFrame: FrameCount(first)),
      time: FrameCount(first).duration(at: 16_000), gap: lost.map(CaptureGap.init),
      capturedAt: .seconds(1) + FrameCount(first).duration(at: 16_000))
  }

  private func cut(_ blocks: [CapturedAudio], to size: FrameCount) -> [CapturedAudio] {
    var rechunker = CaptureRechunker(size: size)
    return blocks.flatMap { rechunker.process($0) } + rechunker.flush()
  }

  @Test(arguments: [1, 7, 160, 256, 1_000, 5_000])
  func `every buffer has the requested size and the times of its own first frame`(size: FrameCount)
  {
    let cut = cut((0..<10).map { block($0 * 320, 320) }, to: size)
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

  @Test func `a gap cuts a buffer short and is reported with the next one`() {
    let cut = cut([block(0, 320), block(420, 320, lost: 100)], to: 200)
    #expect(cut.map(\.buffer.firstFrame) == [0, 200, 420, 620])
    #expect(cut.map(\.buffer.frameCount) == [200, 120, 200, 120])
    #expect(cut.map(\.gap?.lost) == [nil, nil, 100, nil])
  }

  @Test func `a gap at the very end is reported without a frame`() {
    let cut = cut([block(0, 320), block(420, 0, lost: 100)], to: 200)
    #expect(cut.map(\.buffer.frameCount) == [200, 120, 0])
    #expect(cut.last?.gap?.lost == 100)
  }
}
