import AudioPlayerClient
import AudioThreads
import Testing

@testable import AudioPlayerClientLive

@Suite struct FeederMailboxTests {
  private let mailbox = FeederMailbox("a")

  @Test func `a request wakes the feeder and returns the feeder's answer`() async throws {
    let bell = Gate()
    let interruption = Gate()
    mailbox.onRequest { bell.open() }
    mailbox.interrupt { interruption.open() }
    async let answer = mailbox.send(.skip)
    await bell.wait()
    await interruption.wait()
    let request = try #require(mailbox.next())
    request.answer.resolve(.success(5))
    #expect(try await answer == 5)
    #expect(mailbox.next().map { _ in true } == nil)
  }

  @Test func `an interruption handler that is set while a request waits is called at once`()
    async throws
  {
    let bell = Gate()
    mailbox.onRequest { bell.open() }
    let asking = Task { [mailbox] in try await mailbox.send(.skip) }
    await bell.wait()
    let interruption = Gate()
    mailbox.interrupt { interruption.open() }
    #expect(interruption.isOpen)
    asking.cancel()
    await #expect(throws: CancellationError.self) { _ = try await asking.value }
  }

  @Test func `requests after the end are refused`() async {
    let bell = Gate()
    mailbox.onRequest { bell.open() }
    let asking = Task { [mailbox] in try await mailbox.send(.skip) }
    await bell.wait()
    mailbox.close()
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) { _ = try await asking.value }
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      _ = try await mailbox.send(.skip)
    }
  }
}
