import AudioCore
import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

/// Contains clients whose names other snippets use, too.
enum CommentsOnClients {
  @DependencyClient
  struct AudioPlayerClient: Sendable {
    var play: @Sendable (_ url: URL) async throws -> Void
    var isPlaying: @Sendable () -> Bool = { false }
  }

  @DependencyClient
  struct Gramophone: Sendable {
    @DependencyEndpoint
    var play: @Sendable (_ url: URL) async throws -> Void
  }

  struct WrittenByHand: Sendable {
    var play: @Sendable (_ url: URL) async throws -> Void =
      unimplemented(endpoint: "AudioPlayerClient.play")
    var devices: @Sendable () async -> [AudioDevice] =
      unimplemented(endpoint: "AudioPlayerClient.devices") { _ in [] }
  }
}

@Suite struct CommentsOnClientsTests {
  private let url = URL(filePath: "/songs/1.flac")

  @Test func `calling an unimplemented endpoint is reported`() async {
    await withKnownIssue {
      let player = CommentsOnClients.AudioPlayerClient()
      await #expect(throws: Unimplemented("AudioPlayerClient.play")) {
        try await player.play(url: url)
      }
      #expect(!player.isPlaying())
      await #expect(throws: Unimplemented("Gramophone.play")) {
        try await CommentsOnClients.Gramophone().play(url: url)
      }
    } matching: {
      "\($0)".contains("Unimplemented: '")
    }
  }

  @Test func `calling an unimplemented endpoint that is written by hand is reported`() async {
    let client = CommentsOnClients.WrittenByHand()
    await withKnownIssue {
      await #expect(throws: Unimplemented("AudioPlayerClient.play")) { try await client.play(url) }
      _ = await client.devices()
    } matching: {
      "\($0)".contains("Unimplemented: 'AudioPlayerClient.")
    }
  }

  @Suite(.dependencies { $0.continuousClock = TestClock() })
  struct PlayerTests {
    @Dependency(\.continuousClock, as: TestClock<Duration>.self) var clock
  }
}

extension CommentsOnClientsTests.PlayerTests {
  @Test func `a test can read the suite's clock with its concrete type`() async {
    await clock.advance(by: .seconds(1))
    #expect(clock.now.offset == .seconds(1))
  }
}
