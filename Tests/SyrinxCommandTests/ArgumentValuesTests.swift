import ArgumentParser
import AudioPlayerClient
import Testing

@testable import SyrinxCommand

struct ChecksTests {
  @Test(arguments: [nil, 0, 0.5, 1])
  func `a value in its range is accepted`(value: Double?) throws {
    try check("--volume", value, in: 0...1, "a factor")
  }

  @Test(arguments: [-0.001, 1.001, .nan, .infinity, -.infinity])
  func `a value outside its range is named with the range`(value: Double) {
    let error = #expect(throws: ValidationError.self) {
      try check("--volume", value, in: 0...1, "a factor")
    }
    #expect(
      error?.message == "--volume \(value) is out of range; give a factor from 0.0 to 1.0.")
  }
}

struct ByteSizeTests {
  @Test(arguments: [("1", 1), ("10000", 10_000), ("20k", 20_000), ("3M", 3_000_000)])
  func `a size is a number of bytes, with k, M, or G for thousands, millions, or billions`(
    argument: String, bytes: Int
  ) {
    #expect(ByteSize(argument: argument)?.byteCount == bytes)
    #expect(ByteSize(argument: "4G")?.byteCount == 4_000_000_000)
  }

  @Test(arguments: [
    "", "k", "0", "-1", "1.5M", "1K", "10 k", "9999999999999999999", "99999999999G",
  ])
  func `any other size is refused`(argument: String) {
    #expect(ByteSize(argument: argument) == nil)
  }
}

struct ChannelListTests {
  @Test
  func `channels count from 1`() {
    #expect(ChannelList(argument: "1")?.indices == [0])
    #expect(ChannelList(argument: "3,1,1")?.indices == [2, 0, 0])
  }

  @Test(arguments: [
    "", ",", "1,", "0", "-1", "1;2", "1 2", "65", "one", "\(Int.min)", "\(Int.max)",
  ])
  func `any other list of channels is refused`(argument: String) {
    #expect(ChannelList(argument: argument) == nil)
  }
}

struct PlaybackRepetitionTests {
  @Test
  func `a loop count is a number from 1 to a million, or forever`() {
    #expect(PlaybackRepetition(argument: "1") == .times(1))
    #expect(PlaybackRepetition(argument: "1000000") == .times(1_000_000))
    #expect(PlaybackRepetition(argument: "forever") == .forever)
  }

  @Test(arguments: ["0", "-1", "1000001", "1.5", "", "Forever", "99999999999999999999"])
  func `any other loop count is refused`(argument: String) {
    #expect(PlaybackRepetition(argument: argument) == nil)
  }

  @Test(arguments: ["1", "12", "forever"])
  func `the help shows a loop count as it is typed`(argument: String) {
    #expect(PlaybackRepetition(argument: argument)?.defaultValueDescription == argument)
  }
}
