import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

@DependencyClient
struct PlayerClient: Sendable {
  var play: @Sendable (_ url: URL) async throws -> Void
  var setVolume: @Sendable (_ volume: Double) async -> Void
}

extension PlayerClient: DependencyKey {
  static var liveValue: PlayerClient {
    let engine = PlayerEngine()
    return PlayerClient(
      play: { url in try await engine.play(url) },
      setVolume: { volume in await engine.setVolume(volume) })
  }

  static var testValue: PlayerClient { PlayerClient() }
}

extension DependencyValues {
  var player: PlayerClient {
    get { self[PlayerClient.self] }
    set { self[PlayerClient.self] = newValue }
  }
}

@MainActor
final class Jukebox {
  @Dependency(\.date.now) private var now
  @Dependency(\.player) private var player
  private(set) var history: [Date: URL] = [:]

  func play(_ song: URL) async throws {
    history[now] = song
    try await player.play(url: song)
  }
}

@MainActor @Suite(.dependency(\.date.now, Date(timeIntervalSince1970: 60)))
struct JukeboxTests {
  let song = URL(filePath: "/songs/1.flac")

  @Test func `a played song is added to the history`() async throws {
    let played = LockIsolated<[URL]>([])
    let jukebox = withDependencies {
      $0.player.play = { url in played.withValue { $0.append(url) } }
    } operation: {
      Jukebox()
    }
    try await jukebox.play(song)
    #expect(played.value == [song])
    #expect(jukebox.history == [Date(timeIntervalSince1970: 60): song])
  }
}

/// A stand-in for an audio engine; it stores the songs to play.
actor PlayerEngine {
  private(set) var songs: [URL] = []
  private(set) var volume = 1.0

  func play(_ url: URL) throws {
    songs.append(url)
  }

  func setVolume(_ volume: Double) {
    self.volume = volume
  }
}
