import Testing

@testable import SyrinxCommand

struct ByteSizeTests {
  @Test(arguments: [("1", 1), ("10000", 10_000), ("20k", 20_000), ("3M", 3_000_000)])
  func `a number, or thousands, millions or billions`(argument: String, bytes: Int) {
    #expect(ByteSize(argument: argument)?.byteCount == bytes)
    #expect(ByteSize(argument: "4G")?.byteCount == 4_000_000_000)
  }

  @Test(arguments: [
    "", "k", "0", "-1", "1.5M", "1K", "10 k", "9999999999999999999", "99999999999G",
  ])
  func `anything else is refused`(argument: String) {
    #expect(ByteSize(argument: argument) == nil)
  }
}
