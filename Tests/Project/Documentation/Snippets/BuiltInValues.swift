import ClientDependenciesTestSupport
import Dispatch
import Foundation
import Testing

struct Playlist {
  @Dependency(\.withRandomNumberGenerator) private var withRandomNumberGenerator
  var songs: [String]

  func shuffled() -> [String] {
    withRandomNumberGenerator { songs.shuffled(using: &$0) }
  }
}

struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state
  }
}

struct Lamp: Sendable {
  @Dependency(\.mainQueue) private var mainQueue

  func blink(_ turn: @escaping @Sendable () -> Void) -> AnyCancellable {
    mainQueue.schedule(after: mainQueue.now, interval: .milliseconds(500), turn)
  }
}

@Suite struct BuiltInValuesTests {
  @Test func `a seed yields the same shuffled order each time`() {
    let playlist = Playlist(songs: ["a", "b", "c", "d"])
    let orders = (1...2).map { _ in
      withDependencies {
        $0.withRandomNumberGenerator = WithRandomNumberGenerator(Seeded(state: 7))
      } operation: {
        playlist.shuffled()
      }
    }
    #expect(orders[0] == orders[1])
    #expect(orders[0].sorted() == playlist.songs)
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a sleep on an immediate clock returns at once`() async throws {
    @Dependency(\.continuousClock) var clock
    try await clock.sleep(for: .seconds(3_600))
  }
  @Test func `scheduled work runs when a test advances its test queue`() {
    let queue = DispatchQueue.test
    let turns = LockIsolated(0)
    let blinking = withDependencies {
      $0.mainQueue = queue.eraseToAnyScheduler()
    } operation: {
      Lamp().blink { turns.withValue { $0 += 1 } }
    }
    queue.advance(by: .seconds(1))
    #expect(turns.value == 3)
    blinking.cancel()
  }
}
