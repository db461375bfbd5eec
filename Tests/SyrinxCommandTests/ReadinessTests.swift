import ArgumentParser
import ClientDependencies
import SpeechClient
import Testing

@testable import SyrinxCommand

/// What is loaded before a command asks for anything.
@Suite struct ReadinessTests {
  /// What a command asks the client for before its first request, in this order.
  private func asked(_ arguments: String...) async throws -> [String] {
    let asked = LockIsolated<[String]>([])
    var speech = SpeechClient()
    speech.requestAuthorization = {
      asked.withValue { $0.append("load") }
      return .authorized
    }
    speech.authorizationStatus = {
      asked.withValue { $0.append("look") }
      return .authorized
    }
    try await speech.makeReady(for: try SpeechOptions.parse(arguments))
    return asked.value
  }

  @Test func `for dictation the model is loaded before the first request`() async throws {
    #expect(try await asked() == ["load"])
    #expect(try await asked("--end-silence", "1", "--context", "go") == ["load"])
  }

  @Test(arguments: [["--grammar", "g"], ["--key-phrase", "go"], ["--engine-option", "lw=5"]])
  func `where the request loads another decoder, nothing is loaded before it`(
    arguments: [String]
  ) async throws {
    #expect(try await asked(arguments[0], arguments[1]) == ["look"])
  }

  @Test(arguments: [[], ["--grammar", "g"]])
  func `a model that is missing is an error in either case`(arguments: [String]) async throws {
    var speech = SpeechClient()
    speech.requestAuthorization = { .denied(reason: "none") }
    speech.authorizationStatus = { .restricted(reason: "none") }
    let (client, options) = (speech, try SpeechOptions.parse(arguments))
    await #expect(throws: SpeechClientError.unavailable(reason: "none")) {
      try await client.makeReady(for: options)
    }
  }
}
