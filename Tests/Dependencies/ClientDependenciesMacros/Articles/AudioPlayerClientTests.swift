import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

// A client for a feature that only plays.

@DependencyClient
private struct AudioPlayerClient: Sendable {
  var loop: @Sendable (_ url: URL) async throws -> Void
  var play: @Sendable (_ url: URL) async throws -> Void
  var setVolume: @Sendable (_ volume: Float) async -> Void
  var stop: @Sendable () async -> Void
}

extension AudioPlayerClient: TestDependencyKey {
  static let testValue = Self()
}

extension DependencyValues {
  fileprivate var audioPlayer: AudioPlayerClient {
    get { self[AudioPlayerClient.self] }
    set { self[AudioPlayerClient.self] = newValue }
  }
}

private final class FeatureModel {
  @Dependency(\.audioPlayer.play) private var play
  @Dependency(\.audioPlayer) private var player

  func playTapped() async {
    try? await play(URL(filePath: "/tune.wav"))
  }

  func stopTapped() async {
    await player.stop()
  }
}

@Suite(.dependencies) struct AudioPlayerClientArticleTests {
  @Test func `a test needs to override only the endpoint that the model calls`() async {
    let isPlaying = LockedFlag()
    let model = withDependencies {
      $0.audioPlayer.play = { _ in isPlaying.set() }
    } operation: {
      FeatureModel()
    }
    await model.playTapped()
    #expect(isPlaying.isSet)
  }

  @Test func `calling an endpoint other than the overridden endpoint fails the test`() async {
    let model = withDependencies {
      $0.audioPlayer.play = { _ in }
    } operation: {
      FeatureModel()
    }
    await expectUnimplemented("AudioPlayerClient.stop") { await model.stopTapped() }
  }

  @Test func `without overrides, calling a throwing endpoint fails the test`() async {
    await expectUnimplemented("AudioPlayerClient.play") { await FeatureModel().playTapped() }
  }

  @Test func `each endpoint has a method with its argument labels`() async throws {
    let url = URL(filePath: "/tune.wav")
    let client = AudioPlayerClient(
      loop: { #expect($0 == url) }, play: { #expect($0 == url) },
      setVolume: { #expect($0 == 0.5) }, stop: {})
    try await client.loop(url: url)
    try await client.play(url: url)
    await client.setVolume(volume: 0.5)
    await client.stop()
  }
}
