import ClientDependencies
import Testing

@testable import WyomingServer

@Suite struct PlacesTests {
  private let clock = TestClock()

  private func waiting(for slots: ConnectionSlots) -> Task<Bool, Never> {
    Task { [clock] in await slots.take(within: .seconds(1), on: clock) }
  }

  @Test func `only as many slots as there are can be taken`() {
    let slots = ConnectionSlots(count: 2)
    #expect(slots.take() && slots.take())
    #expect(!slots.take())
    slots.release()
    #expect(slots.take())
    #expect(!slots.take())
  }

  @Test func `a returned place goes to the client that waits longest`() async {
    let slots = ConnectionSlots(count: 1)
    #expect(slots.take())
    let waiting = waiting(for: slots)
    await clock.sleepers(atLeast: 1)
    slots.release()
    #expect(!slots.take())
    #expect(await waiting.value)
    slots.release()
    #expect(slots.take())
  }

  @Test func `a wait that times out takes no place`() async {
    let slots = ConnectionSlots(count: 1)
    #expect(slots.take())
    let waiting = waiting(for: slots)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    #expect(await !waiting.value)
    slots.release()
    #expect(slots.take())
    #expect(!slots.take())
  }

  @Test func `a canceled wait ends without a place`() async {
    let slots = ConnectionSlots(count: 1)
    #expect(slots.take())
    let waiting = waiting(for: slots)
    await clock.sleepers(atLeast: 1)
    waiting.cancel()
    #expect(await !waiting.value)
    slots.release()
    #expect(slots.take())
  }
}
