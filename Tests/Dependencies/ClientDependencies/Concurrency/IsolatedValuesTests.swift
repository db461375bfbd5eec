import ClientDependencies
import Foundation
import Testing

@Suite struct ActorIsolatedTests {
  @Test func `ActorIsolated can be read, set, and changed in a closure`() async {
    let isPlaying = ActorIsolated(false)
    #expect(await isPlaying.value == false)
    await isPlaying.setValue(true)
    #expect(await isPlaying.value)
    let was = await isPlaying.withValue { isPlaying in
      defer { isPlaying = false }
      return isPlaying
    }
    #expect(was)
    #expect(await isPlaying.value == false)
  }
}

@Suite struct UncheckedSendableTests {
  private struct Song: Codable, Hashable { var title = "a", minutes = 3 }

  @Test func `UncheckedSendable gives access to the members of its value`() {
    @UncheckedSendable var song = Song()
    song.minutes = 4
    $song.title = "b"
    #expect(song == Song(title: "b", minutes: 4))
    #expect($song.minutes == 4)
    #expect($song == UncheckedSendable(Song(title: "b", minutes: 4)))
  }

  @Test func `an UncheckedSendable is encoded as its value`() throws {
    let data = try JSONEncoder().encode(UncheckedSendable(Song()))
    #expect(try JSONDecoder().decode(Song.self, from: data) == Song())
    #expect(try JSONDecoder().decode(UncheckedSendable<Song>.self, from: data).value == Song())
  }

  @Test func `an UncheckedSendable of a sequence has the sequence's elements`() async {
    let stream = UncheckedSendable(
      AsyncStream<Int> {
        $0.yield(1); $0.finish()
      })
    #expect(await stream.reduce(into: []) { $0.append($1) } == [1])
  }
}

@Suite struct AnyHashableSendableTests {
  @Test
  func `AnyHashableSendable compares values of the same type; values of other types are unequal`() {
    #expect(AnyHashableSendable(1) == AnyHashableSendable(1))
    #expect(AnyHashableSendable(1) != AnyHashableSendable(2))
    #expect(AnyHashableSendable("1") != 1)
    #expect(AnyHashableSendable(AnyHashableSendable(1)).base is Int)
    let unknown: any Hashable & Sendable = "a"
    #expect(AnyHashableSendable(unknown) == "a")
    #expect(Set<AnyHashableSendable>([1, 1, "a", true, 0.5]).count == 4)
  }

  @Test
  func `a wrapped value equals the bare value as a dictionary key and has the same description`() {
    #expect(AnyHashable(AnyHashableSendable("a")) == AnyHashable("a"))
    #expect([AnyHashable("a"): 1][AnyHashableSendable("a")] == 1)
    #expect("\(AnyHashableSendable("a"))" == "a")
    #expect(String(reflecting: AnyHashableSendable("a")) == #"AnyHashableSendable("a")"#)
    #expect(Mirror(reflecting: AnyHashableSendable(1)).children.map(\.label) == ["value"])
  }
}
