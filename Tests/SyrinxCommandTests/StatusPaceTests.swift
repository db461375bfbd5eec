import Testing

@testable import SyrinxCommand

struct StatusPaceTests {
  @Test
  func `at most ten statuses a second come through`() {
    var pace = StatusPace()
    let shown = stride(from: 0, to: 1_000, by: 7).filter { pace.admits(.milliseconds($0)) }
    #expect(shown.count <= 10)
    #expect(shown.first == 0)
  }

  @Test
  func `a slower source comes through whole`() {
    var pace = StatusPace()
    #expect((0..<10).allSatisfy { pace.admits(.milliseconds($0 * 100)) })
  }
}
