import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct DiskSpaceTests {
  /// Returns the reports for a file that grows by 1,000 bytes a second.
  ///
  /// Each element of `seconds` is the free disk space, in seconds of that growth.
  private func reports(_ seconds: [Int]) -> [Double?] {
    var disk = DiskSpace(rate: 8_000)
    return seconds.map {
      disk.left(frames: 80_000, bytes: 10_000, free: $0 * 1_000)?.inSeconds
    }
  }

  @Test
  func `low disk space is reported below one minute, and again only after more than two minutes`() {
    #expect(reports([100, 60, 59, 30]) == [nil, nil, 59, nil])
    #expect(reports([59, 119, 59, 121, 59]) == [59, nil, nil, nil, 59])
  }

  @Test func `an empty file yields no estimate of the remaining time`() {
    var disk = DiskSpace(rate: 8_000)
    #expect(disk.left(frames: 0, bytes: 44, free: 0) == nil)
    #expect(disk.left(frames: 8_000, bytes: 0, free: 0) == nil)
  }

  @Test func `the estimate of the remaining time reflects louder audio within 20 s`() throws {
    var disk = DiskSpace(rate: 1_000)
    // The file grows by 1,000 bytes a second for a long time, then by 10,000.
    for second in 1...100 {
      let left = disk.left(frames: .init(1_000 * second), bytes: 1_000 * second, free: 500_000)
      #expect(left == nil)
    }
    let left = (1...20).map {
      disk.left(frames: .init(100_000 + 1_000 * $0), bytes: 100_000 + 10_000 * $0, free: 500_000)
    }
    let second = try #require(left.firstIndex { $0 != nil })
    #expect((8..<20).contains(second))
  }

  @Test func `a single burst of an encoder does not distort the estimate of its rate`() {
    var disk = DiskSpace(rate: 1_000)
    let bytes = [1_000, 2_000, 3_000, 3_000, 3_000, 6_000]
    let left = bytes.enumerated().map { index, bytes in
      disk.left(frames: .init(1_000 * (index + 1)), bytes: bytes, free: 80_000)
    }
    #expect(left.allSatisfy { $0 == nil })
  }

  @Test func `the estimate of the remaining time continues when a new file begins`() {
    var disk = DiskSpace(rate: 1_000)
    let left = [1, 2, 3, 1, 2].map {
      disk.left(frames: .init(1_000 * $0), bytes: 1_000 * $0, free: 59_000)
    }
    #expect(left == [.seconds(59), nil, nil, nil, nil])
  }

  @Test func `the free disk space is measured after every second of audio`() {
    var disk = DiskSpace(rate: 8_000)
    let due = stride(from: 0, through: 24_000, by: 4_000).filter { disk.isDue(at: FrameCount($0)) }
    #expect(due == [8_000, 16_000, 24_000])
  }
}
