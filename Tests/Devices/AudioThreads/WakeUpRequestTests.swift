import AudioThreads
import Testing

@Suite struct WakeUpRequestTests {
  @Test func `a request made twice is taken once`() {
    let request = WakeUpRequest()
    #expect(!request.take())
    request.make()
    request.make()
    #expect(request.take())
    #expect(!request.take())
  }
}
