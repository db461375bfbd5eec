import Testing

@testable import SyrinxCommand

struct LoopCountTests {
  @Test
  func `a number from 1 to a million, or forever`() {
    #expect(LoopCount(argument: "1") == .times(1))
    #expect(LoopCount(argument: "1000000") == .times(1_000_000))
    #expect(LoopCount(argument: "forever") == .forever)
  }

  @Test(arguments: ["0", "-1", "1000001", "1.5", "", "Forever", "99999999999999999999"])
  func `anything else is refused`(argument: String) {
    #expect(LoopCount(argument: argument) == nil)
  }

  @Test(arguments: ["1", "12", "forever"])
  func `help shows a value as it is typed`(argument: String) {
    #expect(LoopCount(argument: argument)?.defaultValueDescription == argument)
  }
}
