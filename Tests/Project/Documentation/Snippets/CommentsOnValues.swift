import ClientDependenciesTestSupport
import Dispatch
import Foundation
import Testing

@Suite struct CommentsOnValuesTests {
  @Test(.dependencies { $0.mainQueue = .immediate })
  func `work on an immediate queue runs at once`() async throws {
    @Dependency(\.mainQueue) var mainQueue
    try await mainQueue.sleep(for: .seconds(1))
  }

  @Test func `a failed assertion is reported as an issue with its message`() {
    let volume = -1
    withKnownIssue {
      @Dependency(\.assert) var assert
      assert(volume >= 0, "A volume is never negative.")
    } matching: {
      "\($0)".contains("A volume is never negative.")
    }
  }

  @Test func `a URL is opened by the test's handler`() async {
    let help = URL(filePath: "/help.html")
    let opened = LockIsolated<[URL]>([])
    await withDependencies {
      $0.openURL = OpenURLEffect { url in
        opened.withValue { $0.append(url) }
        return true
      }
    } operation: {
      @Dependency(\.openURL) var openURL
      await openURL(help)
    }
    #expect(opened.value == [help])
  }

  @Test func `in a test, fireAndForget returns after its work has finished`() async {
    let jingle = URL(filePath: "/jingle.wav")
    let isPlaying = ActorIsolated(false)
    let player = PlayerClient(
      play: { _ in await isPlaying.setValue(true) }, setVolume: { _ in })
    @Dependency(\.fireAndForget) var fireAndForget
    await fireAndForget { try await player.play(url: jingle) }
    #expect(await isPlaying.value)
  }

  @Test(.dependency(\.withRandomNumberGenerator, WithRandomNumberGenerator(Seeded(state: 7))))
  func `a song is picked with random numbers from a dependency`() throws {
    let songs = ["a", "b", "c"]
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
    let pick = withRandomNumberGenerator { songs.randomElement(using: &$0) }
    #expect(songs.contains(try #require(pick)))
  }

  @Test func `work on a test queue runs when the test advances its time`() {
    let queue = DispatchQueue.test
    queue.schedule(after: queue.now.advanced(by: .seconds(1))) { print("a second later") }
    queue.advance(by: .seconds(1))
    #expect(queue.now.dispatchTime == DispatchQueue.test.now.advanced(by: .seconds(1)).dispatchTime)
  }

  @Test func `an actor records that a closure was called`() async throws {
    var player = PlayerClient()
    let isPlaying = ActorIsolated(false)
    player.play = { _ in await isPlaying.setValue(true) }
    try await player.play(url: URL(filePath: "/songs/1.flac"))
    #expect(await isPlaying.value)
  }

  @Test func `the arguments of a closure are recorded`() async throws {
    let song = URL(filePath: "/songs/1.flac")
    var player = PlayerClient()
    let played = LockIsolated<[URL]>([])
    player.play = { url in played.withValue { $0.append(url) } }
    try await player.play(url: song)
    #expect(played.value == [song])
  }
}
