import AudioCore
import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct ItemReaderTests {
  private let mailbox = FeederMailbox("a")

  /// Returns all steps of a reader: the frames of the source, and −1 for the start of a repetition.
  private func frames(_ reader: ItemReader) async throws -> [Int] {
    var frames: [Int] = []
    while true {
      if let buffer = try await reader.next() {
        frames += buffer.samples.map { Int(($0 - 0.25) * 65_536) }
      } else if try await reader.beginRepetition() {
        frames.append(-1)
      } else {
        return frames
      }
    }
  }

  private func reader(
    _ range: PlaybackRange = PlaybackRange(), times: Int = 1
  ) async throws -> ItemReader {
    let item = PlaybackItem(
      source: .buffers([staircase(3), staircase(0), staircase(7, from: 3)]), range: range,
      repetition: .times(times))
    return try await .open(item, index: 4, item.source.makeSource(mailbox))
  }

  @Test func `each repetition of a range goes from its start to the frame before its end`()
    async throws
  {
    let range = PlaybackRange(start: .frame(2), end: .frame(5))
    #expect(try await frames(reader(range, times: 2)) == [2, 3, 4, -1, 2, 3, 4])
    #expect(try await frames(reader(.init(start: .frame(8)))) == [8, 9])
    #expect(try await frames(reader(.init(end: .time(.microseconds(250))))) == [0, 1])
  }

  @Test(arguments: [(5, 5), (7, 3), (10, 20), (99, 100)])
  func `an empty range returns no audio`(
    start: Int, end: Int
  ) async throws {
    let range = PlaybackRange(start: .frame(FrameCount(start)), end: .frame(FrameCount(end)))
    let reader = try await reader(range, times: 3)
    #expect(try await frames(reader).isEmpty)
    #expect(reader.isEmpty)
  }

  @Test(arguments: [(0, 0), (1, 0), (3, 2)])
  func `the requested number of repetitions is played, at least one`(times: Int, begun: Int)
    async throws
  {
    #expect(try await frames(reader(times: times)).count { $0 == -1 } == begun)
  }

  @Test func `a repetition without audio is the last repetition, unless a seek started it`()
    async throws
  {
    let reader = try await reader(times: 9)
    #expect(try await !reader.beginRepetition())
    try await reader.seek(to: .frame(0), in: 4)
    let begun = [try await reader.beginRepetition(), try await reader.beginRepetition()]
    #expect(begun == [true, false])
    #expect(reader.repetition == 5)
  }

  @Test func `a range that begins after the end throws startAfterEnd`() async throws {
    let reader = try await reader(.init(start: .frame(80)))
    #expect(try await frames(reader).isEmpty)
    #expect(
      reader.emptyError
        == .startAfterEnd(nil, start: .milliseconds(10), length: .microseconds(1_250)))
    #expect(try await self.reader().emptyError == .emptySource(nil))
  }

  @Test func `a seek stays within the item's range`() async throws {
    let reader = try await reader(.init(start: .frame(2), end: .frame(6)), times: 2)
    try await reader.seek(to: .frame(0))
    #expect(reader.itemPosition.frame == 2)
    try await reader.seek(to: .frame(5))
    #expect(try await frames(reader) == [5, -1, 2, 3, 4, 5])
    try await reader.seek(to: .frame(50))
    #expect(
      reader.itemPosition
        == ItemPosition(item: 4, frame: 6, rate: 8_000, length: .microseconds(1_250)))
  }

  @Test
  func `a buffer whose rate differs from the item's advances the position by its own duration`()
    async throws
  {
    let fast = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let item = PlaybackItem(
      source: .buffers([
        staircase(800), AudioBuffer(silence: 4_800, format: fast), staircase(800),
      ]),
      range: PlaybackRange(start: .frame(1_000), end: .frame(2_000)), repetition: .times(2))
    let reader = try await ItemReader.open(
      item, index: 0, item.source.makeSource(mailbox))
    var lengths: [SampleRate: FrameCount] = [:]
    while let buffer = try await reader.next() {
      lengths[buffer.format.sampleRate, default: 0] += buffer.frameCount
    }
    #expect(try await reader.beginRepetition())
    #expect(lengths == [48_000: 3_600, 8_000: 400])
    #expect(reader.itemPosition.frame == 1_000)
    try await reader.seek(to: .frame(1_500))
    #expect(reader.itemPosition.frame == 1_500)
    #expect(reader.itemPosition.length == .milliseconds(300))
    #expect(try await reader.next()?.frameCount == 600)
  }
}
