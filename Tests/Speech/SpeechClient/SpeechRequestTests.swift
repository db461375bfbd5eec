import AudioCore
import SpeechClient
import Testing

@Suite struct SpeechRequestTests {
  @Test func `nonthrowing and throwing streams can be sources`() async throws {
    let buffer = AudioBuffer(silence: 160, format: .speech)
    let (safe, safeEnd) = AsyncStream.makeStream(of: AudioBuffer.self)
    let (failing, failingEnd) = AsyncThrowingStream.makeStream(of: AudioBuffer.self)
    safeEnd.yield(buffer)
    safeEnd.finish()
    failingEnd.yield(buffer)
    failingEnd.finish()
    for request in [SpeechRequest(buffers: safe), SpeechRequest(buffers: failing)] {
      guard case .buffers(let buffers) = request.source else {
        Issue.record("the source is no stream")
        continue
      }
      var received: [AudioBuffer] = []
      for try await buffer in buffers { received.append(buffer) }
      #expect(received == [buffer])
    }
  }
}
