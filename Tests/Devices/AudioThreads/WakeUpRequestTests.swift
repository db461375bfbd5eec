import AudioThreads
import Testing

@Suite struct WakeUpRequestTests {
  @Test func `a wake-up request made twice is consumed once`() {
    let request = WakeUpRequest()
    #expect(!request.consume())
    request.make()
    request.make()
    #expect(request.consume())
    #expect(!request.consume())
  }
}
