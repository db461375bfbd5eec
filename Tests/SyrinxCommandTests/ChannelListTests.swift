import Testing

@testable import SyrinxCommand

struct ChannelListTests {
  @Test
  func `people count from 1`() {
    #expect(ChannelList(argument: "1")?.indices == [0])
    #expect(ChannelList(argument: "3,1,1")?.indices == [2, 0, 0])
  }

  @Test(arguments: [
    "", ",", "1,", "0", "-1", "1;2", "1 2", "65", "one", "\(Int.min)", "\(Int.max)",
  ])
  func `anything else is refused`(argument: String) {
    #expect(ChannelList(argument: argument) == nil)
  }
}
