import AudioThreads
import ClientDependencies
import Synchronization
import Testing

@testable import SoundCard

@Suite(.timeLimit(.minutes(1))) struct ReturnWatchTests {
  /// A device that can be there, and counts what is done with it.
  private final class Place: Sendable {
    struct State {
      var isThere = false
      var opened = 0
      var closed = 0
      var tries = 0
    }
    struct Away: Error {}
    let state = Mutex(State())
    let clock = TestClock<Duration>()
    let told: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation
    private let changes = AsyncStream.makeStream(of: Void.self)
    /// What it is opened through.
    private let entry: Gate?
    /// Opens when somebody wants to open it.
    let asked = Gate()
    /// Opens when nobody listens to changes any more.
    let left = Gate()
    /// Opens when a device has been closed.
    let closed = Gate()

    init(behind entry: Gate? = nil) {
      self.entry = entry
      (told, tell) = AsyncStream.makeStream()
      changes.continuation.onTermination = { [left] _ in left.open() }
    }

    /// A watch for one who waits for a minute.
    func watch() -> ReturnWatch<Int, Int> {
      let watch = ReturnWatch<Int, Int>(
        .init(
          open: { [self] in
            asked.open()
            await entry?.wait()
            return try state.withLock { state in
              state.tries += 1
              guard state.isThere else { throw Away() }
              state.opened += 1
              return state.opened
            }
          },
          close: { [self] _ in
            state.withLock { $0.closed += 1 }
            closed.open()
          },
          changes: { [self] in changes.stream }),
        clock: clock
      ) { [tell] in tell.yield() }
      watch.join(1, atMost: .seconds(60))
      watch.start()
      return watch
    }

    func comeBack() {
      state.withLock { $0.isThere = true }
      changes.continuation.yield()
    }
  }

  @Test func `an announced device is opened at once and handed out once`() async {
    let place = Place()
    let watch = place.watch()
    await place.clock.sleepers(atLeast: 1)
    await place.clock.advance(by: .milliseconds(700))
    place.comeBack()
    var told = place.told.makeAsyncIterator()
    await told.next()
    let back = watch.takeDevice()
    #expect(back?.device == 1 && back?.away == .milliseconds(700))
    let again = watch.takeDevice()
    #expect(again == nil)
    watch.end()
    #expect(place.state.withLock { $0.closed } == 0)
  }

  @Test func `a waiter past its deadline is reported, and the last one ends the wait`() async {
    let place = Place()
    let watch = place.watch()
    watch.join(2, atMost: .seconds(3))
    await place.clock.sleepers(atLeast: 1)
    await place.clock.advance(by: .seconds(3))
    var told = place.told.makeAsyncIterator()
    await told.next()
    let expired = watch.takeExpired()
    let again = watch.takeExpired()
    #expect(expired == [2] && again.isEmpty)
    #expect(!watch.isOver)
    watch.leave(1)
    await told.next()
    #expect(watch.isOver)
    watch.end()
  }

  @Test func `an untaken device is closed at the end`() async {
    let place = Place()
    let watch = place.watch()
    place.comeBack()
    var told = place.told.makeAsyncIterator()
    await told.next()
    watch.end()
    #expect(place.state.withLock { $0.closed } == 1)
    let late = watch.takeDevice()
    #expect(late == nil)
  }

  @Test func `a device that is open only after the end is closed`() async {
    let entry = Gate()
    let place = Place(behind: entry)
    let watch = place.watch()
    place.comeBack()
    await place.asked.wait()
    watch.end()
    entry.open()
    await place.closed.wait()
    let late = watch.takeDevice()
    #expect(late == nil)
  }

  @Test func `a device that does not open is retried`() async {
    let place = Place()
    let watch = place.watch()
    for seconds in [1, 1, 2] {
      await place.clock.sleepers(atLeast: 1)
      await place.clock.advance(by: .seconds(seconds))
    }
    await place.clock.sleepers(atLeast: 1)
    #expect(place.state.withLock { $0.tries } == 3)
    watch.end()
  }

  @Test func `the end removes the observer of device changes`() async {
    let place = Place()
    let watch = place.watch()
    await place.clock.sleepers(atLeast: 1)
    watch.end()
    await place.left.wait()
  }
}
