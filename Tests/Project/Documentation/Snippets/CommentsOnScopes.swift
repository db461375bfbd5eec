import ClientDependenciesTestSupport
import Foundation
import Testing

private let song = URL(filePath: "/songs/1.flac")

/// A stand-in for an app's `main` function.
@MainActor
private enum Program {
  static func main() async throws {
    try prepareDependencies {
      $0.songs = try SongsClient(folder: "songs")
      $0.player.setVolume = { _ in }
    }
    try await Jukebox().play(song)
  }
}

extension SongsClient {
  fileprivate init(folder: String) throws {
    if folder.isEmpty { throw CocoaError(.fileNoSuchFile) }
    self.init(titles: { [folder] })
  }
}

@Suite struct CommentsOnScopesTests {
  @Test(.dependency(\.date.now, Date(timeIntervalSince1970: 60)))
  func `a program prepares its dependencies`() async throws {
    let played = LockIsolated<[URL]>([])
    try await withDependencies {
      $0.player = PlayerClient(
        play: { url in played.withValue { $0.append(url) } }, setVolume: { _ in })
    } operation: {
      try await Program.main()
    }
    @Dependency(\.songs) var songs
    #expect(try await songs.titles() == ["songs"])
    #expect(played.value == [song])
  }

  @Test(.dependencies { $0.player.setVolume = { _ in } })
  func `a timer ends when the test's clock reaches its time`() async throws {
    let clock = TestClock()
    let timer = withDependencies {
      $0.continuousClock = clock
    } operation: {
      SleepTimer()
    }
    async let fading: Void = timer.fadeOut(after: .seconds(2))
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(2))
    try await fading
    #expect(clock.now.offset == .seconds(2))
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a type that is generic over its clock accepts AnyClock`() async throws {
    @Dependency(\.continuousClock) var clock
    let metronome = Metronome(clock: AnyClock(clock))
    #expect(try await metronome.beat() == .seconds(1))
  }
}

private struct Metronome<C: Clock> where C.Duration == Duration {
  let clock: C

  /// Waits for the next beat, and returns the duration of the wait.
  func beat() async throws -> Duration {
    let start = clock.now
    try await clock.sleep(until: start.advanced(by: .seconds(1)), tolerance: nil)
    return start.duration(to: clock.now)
  }
}
