import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct DiskSpaceTests {
  /// What is told of a file that grows by 1,000 bytes a second, with room for so many seconds more.
  private func told(_ seconds: [Int]) -> [Double?] {
    var disk = DiskSpace(rate: 8_000)
    return seconds.map {
      disk.left(frames: 80_000, bytes: 10_000, free: $0 * 1_000)?.inSeconds
    }
  }

  @Test func `less than a minute is told once, and again after there were two`() {
    #expect(told([100, 60, 59, 30]) == [nil, nil, 59, nil])
    #expect(told([59, 119, 59, 121, 59]) == [59, nil, nil, nil, 59])
  }

  @Test func `a file that is still empty says nothing`() {
    var disk = DiskSpace(rate: 8_000)
    #expect(disk.left(frames: 0, bytes: 44, free: 0) == nil)
    #expect(disk.left(frames: 8_000, bytes: 0, free: 0) == nil)
  }

  @Test func `it asks after every second of audio`() {
    var disk = DiskSpace(rate: 8_000)
    let due = stride(from: 0, through: 24_000, by: 4_000).filter { disk.isDue(at: FrameCount($0)) }
    #expect(due == [8_000, 16_000, 24_000])
  }
}
