import AudioPlayerClient
import AudioThreads
import Testing

@testable import AudioPlayerClientLive

@Suite struct FeederMailboxTests {
  private let mailbox = FeederMailbox("a")

  @Test func `a request wakes the feeder, and its answer comes back`() async throws {
    let bell = Gate()
    let interruption = Gate()
    mailbox.ring { bell.open() }
    mailbox.interrupt { interruption.open() }
    async let answer = mailbox.ask(.skip)
    await bell.wait()
    await interruption.wait()
    let request = try #require(mailbox.next())
    request.answer.give(.success(5))
    #expect(try await answer == 5)
    #expect(mailbox.next().map { _ in true } == nil)
  }

  @Test func `what is to be interrupted is, where a request waits already`() async throws {
    let bell = Gate()
    mailbox.ring { bell.open() }
    let asking = Task { [mailbox] in try await mailbox.ask(.skip) }
    await bell.wait()
    let interruption = Gate()
    mailbox.interrupt { interruption.open() }
    #expect(interruption.isOpen)
    asking.cancel()
    await #expect(throws: CancellationError.self) { _ = try await asking.value }
  }

  @Test func `nobody is asked any more after the end`() async {
    let bell = Gate()
    mailbox.ring { bell.open() }
    let asking = Task { [mailbox] in try await mailbox.ask(.skip) }
    await bell.wait()
    mailbox.close()
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) { _ = try await asking.value }
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      _ = try await mailbox.ask(.skip)
    }
  }
}
