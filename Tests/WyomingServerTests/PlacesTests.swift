import ClientDependencies
import Testing

@testable import WyomingServer

@Suite struct PlacesTests {
  private let clock = TestClock()

  private func waiting(for places: Places) -> Task<Bool, Never> {
    Task { [clock] in await places.take(within: .seconds(1), on: clock) }
  }

  @Test func `only as many places as there are can be taken`() {
    let places = Places(count: 2)
    #expect(places.take() && places.take())
    #expect(!places.take())
    places.giveBack()
    #expect(places.take())
    #expect(!places.take())
  }

  @Test func `a returned place goes to the client that waits longest`() async {
    let places = Places(count: 1)
    #expect(places.take())
    let waiting = waiting(for: places)
    await clock.sleepers(atLeast: 1)
    places.giveBack()
    #expect(!places.take())
    #expect(await waiting.value)
    places.giveBack()
    #expect(places.take())
  }

  @Test func `a wait that times out takes no place`() async {
    let places = Places(count: 1)
    #expect(places.take())
    let waiting = waiting(for: places)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    #expect(await !waiting.value)
    places.giveBack()
    #expect(places.take())
    #expect(!places.take())
  }

  @Test func `a canceled wait ends without a place`() async {
    let places = Places(count: 1)
    #expect(places.take())
    let waiting = waiting(for: places)
    await clock.sleepers(atLeast: 1)
    waiting.cancel()
    #expect(await !waiting.value)
    places.giveBack()
    #expect(places.take())
  }
}
