import ClientDependenciesTestSupport
import Foundation
import Testing

@MainActor
final class Party {
  @Dependency(\.date.now) private var now
  private(set) var jukebox: Jukebox?

  func plugIn() {
    jukebox = withDependencies(from: self) {
      Jukebox()
    }
  }
}

@MainActor @Suite struct OverridingDependenciesTests {
  private let song = URL(filePath: "/songs/1.flac")

  @Test func `an override applies during its operation`() {
    let isClipping = withDependencies {
      $0.microphone.level = { 0.3 }
    } operation: {
      LevelMeter().isClipping
    }
    #expect(!isClipping)
  }

  @Test func `a test overrides a whole value and sets the context of all other values`()
    async throws
  {
    let titles = try await withDependencies {
      $0.context = .preview
      $0.microphone = MicrophoneClient(level: { 1 })
    } operation: {
      @Dependency(\.songs) var songs
      return try await songs.titles()
    }
    #expect(titles == ["Blue in Green", "So What"])
  }

  @Test func `an override's update closure can be asynchronous and throw`() async throws {
    let titles = try await withDependencies {
      let titles = try await SongsClient.previewValue.titles()
      $0.songs.titles = { titles.sorted(by: >) }
    } operation: {
      @Dependency(\.songs) var songs
      return try await songs.titles()
    }
    #expect(titles == ["So What", "Blue in Green"])
  }

  @Test func `objects that a model makes later inherit the dependencies of the model`() async throws
  {
    let played = LockIsolated<[URL]>([])
    let party = withDependencies {
      $0.date.now = Date(timeIntervalSince1970: 60)
      $0.player.play = { url in played.withValue { $0.append(url) } }
    } operation: {
      Party()
    }
    party.plugIn()
    try await party.jukebox?.play(song)
    #expect(played.value == [song])
  }
  @Test func `a program prepares its dependencies before it reads any of them`() {
    prepareDependencies {
      $0.microphone.level = { 1 }
    }
    #expect(LevelMeter().isClipping)
  }
}
