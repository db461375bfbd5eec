import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct CapturePolicyTests {
  private func block(_ index: Int, gap: Int? = nil) -> CapturedAudio {
    CapturedAudio(
      buffer: AudioBuffer(silence: 160, format: .speech, firstFrame: FrameCount(index * 160)),
      time: .milliseconds(10 * index), gap: gap.map { CaptureGap(lost: FrameCount($0)) })
  }

  @Test func `the oldest blocks are dropped, and the next block reports the loss`() {
    let policy = PipePolicy<CapturedAudio>.droppingOldest(after: .milliseconds(30))
    var queue: [CapturedAudio] = []
    for index in 0..<5 { policy.enqueue(&queue, block(index)) }
    #expect(queue.map(\.buffer.firstFrame) == [320, 480, 640])
    #expect(queue.map { $0.gap?.lost } == [320, nil, nil])
  }

  @Test func `a long queue drops an eighth of its audio at a time`() {
    let policy = PipePolicy<CapturedAudio>.droppingOldest(after: .milliseconds(800))
    var queue: [CapturedAudio] = []
    for index in 0..<80 { policy.enqueue(&queue, block(index)) }
    #expect(queue.count == 80)
    policy.enqueue(&queue, block(80))
    #expect(queue.map(\.buffer.firstFrame.rawValue) == (10...80).map { $0 * 160 })
    #expect(queue.map { $0.gap?.lost } == [1_600] + Array(repeating: nil, count: 70))
  }

  @Test func `lost frames do not count toward the queue's limit`() {
    let policy = PipePolicy<CapturedAudio>.droppingOldest(after: .milliseconds(30))
    var queue: [CapturedAudio] = []
    for index in [0, 1, 100] {
      policy.enqueue(&queue, block(index, gap: index == 100 ? 15_680 : nil))
    }
    #expect(queue.count == 3)
  }

  @Test func `gaps of the device and of a slow consumer add up`() {
    let policy = PipePolicy<CapturedAudio>.droppingOldest(after: .milliseconds(10))
    var queue: [CapturedAudio] = []
    policy.enqueue(&queue, block(0, gap: 7))
    policy.enqueue(&queue, block(1, gap: 5))
    #expect(queue.map { $0.gap?.lost } == [172])
  }

  @Test func `if the first block is dropped, the next block describes the device`() {
    let policy = PipePolicy<CapturedAudio>.droppingOldest(after: .milliseconds(10))
    let device = PCMConfiguration(
      device: "a", format: .speech, sampleFormat: .int16, period: 160, buffer: 640)
    var queue: [CapturedAudio] = []
    var first = block(0)
    first.device = device
    policy.enqueue(&queue, first)
    policy.enqueue(&queue, block(1))
    policy.enqueue(&queue, block(2))
    #expect(queue.map(\.device) == [device])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a single block is kept, even if it exceeds the limit`(limit: Duration) {
    let policy = PipePolicy<CapturedAudio>.droppingOldest(after: limit)
    var queue: [CapturedAudio] = []
    policy.enqueue(&queue, block(0))
    #expect(queue.count == 1)
  }
}
