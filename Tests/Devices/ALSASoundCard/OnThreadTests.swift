import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite(.timeLimit(.minutes(5))) struct OnThreadTests {
  @Test func `the result of the work is returned`() async throws {
    let value = try await onThread("test", for: "x") { () throws(SoundCardError) in 7 }
    #expect(value == 7)
  }

  @Test func `an error that the work throws reaches the caller`() async {
    await #expect(throws: SoundCardError.busy("x")) {
      try await onThread("test", for: "x") { () throws(SoundCardError) -> Int in
        throw .busy("x")
      }
    }
  }

  @Test func `a canceled call returns while the work blocks`() async throws {
    let hasBegun = try WakeUp()
    let mayEnd = try WakeUp()
    let task = Task {
      try await onThread("test", for: "x") { () throws(SoundCardError) in
        hasBegun.signal()
        return mayEnd.wait(atMost: .seconds(60))
      }
    }
    try await onThread("test", for: "x") { () throws(SoundCardError) in
      _ = hasBegun.wait(atMost: .seconds(60))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    mayEnd.signal()
  }

  @Test func `work that exceeds the limit throws notResponding and is released`()
    async throws
  {
    let mayEnd = try WakeUp()
    let clock = TestClock<Duration>()
    let answer = Task {
      try await onThread("test", for: "x", limit: .seconds(5), by: clock) {
        () throws(SoundCardError) in
        mayEnd.wait()
      }
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(5))
    await #expect(throws: SoundCardError.notResponding("x", operation: "test")) {
      try await answer.value
    }
    mayEnd.signal()
  }
}
