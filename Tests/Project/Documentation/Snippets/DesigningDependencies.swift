import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

struct MicrophoneClient: Sendable {
  var level: @Sendable () -> Double =
    unimplemented(endpoint: "MicrophoneClient.level") { _ in 0 }

  var record: @Sendable (_ url: URL) async throws -> Void =
    unimplemented(endpoint: "MicrophoneClient.record")

  var samples: @Sendable () async -> AsyncThrowingStream<[Float], any Error> =
    unimplemented(endpoint: "MicrophoneClient.samples") { .finished(throwing: $0) }
}

extension MicrophoneClient: TestDependencyKey {
  static var testValue: MicrophoneClient { MicrophoneClient() }
}

extension DependencyValues {
  var microphone: MicrophoneClient {
    get { self[MicrophoneClient.self] }
    set { self[MicrophoneClient.self] = newValue }
  }
}

struct LevelMeter {
  @Dependency(\.microphone.level) private var level

  var isClipping: Bool { level() >= 1 }
}

protocol Voice: Sendable {
  func say(_ text: String) async throws
}

enum VoiceKey: DependencyKey {
  static var liveValue: any Voice { SilentVoice() }
  static var testValue: any Voice { UnimplementedVoice() }
}

extension DependencyValues {
  var voice: any Voice {
    get { self[VoiceKey.self] }
    set { self[VoiceKey.self] = newValue }
  }
}

struct UnimplementedVoice: Voice {
  private let origin = IssueOrigin.current

  func say(_ text: String) async throws {
    throw reportUnimplemented("Voice.say", from: origin)
  }
}

/// A stand-in for a voice that speaks audibly.
private struct SilentVoice: Voice {
  func say(_ text: String) async throws {}
}

@Suite struct DesigningDependenciesTests {
  @Test(arguments: [(0.5, false), (1, true)])
  func `a test of a meter overrides only the level endpoint`(level: Double, isClipping: Bool) {
    withDependencies {
      $0.microphone.level = { level }
    } operation: {
      #expect(LevelMeter().isClipping == isClipping)
    }
  }

  @Test func `an endpoint written by hand reports an issue and returns, throws, or ends a stream`()
    async
  {
    @Dependency(\.microphone) var microphone
    await withKnownIssue {
      #expect(microphone.level() == 0)
      await #expect(throws: Unimplemented("MicrophoneClient.record")) {
        try await microphone.record(URL(filePath: "/takes/1.wav"))
      }
      await #expect(throws: Unimplemented("MicrophoneClient.samples")) {
        for try await _ in await microphone.samples() {}
      }
    } matching: {
      "\($0)".contains("Unimplemented: 'MicrophoneClient.")
    }
  }

  @Test func `a client that is not overridden fails the test`() async {
    @Dependency(\.voice) var voice
    await withKnownIssue {
      await #expect(throws: Unimplemented("Voice.say")) { try await voice.say("hello") }
    } matching: {
      "\($0)".contains("Unimplemented: 'Voice.say'")
    }
  }
}
