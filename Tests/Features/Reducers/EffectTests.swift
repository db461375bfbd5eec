import ClientDependencies
import Dispatch
import Reducers
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct EffectTests {
  private let clock = TestClock<Duration>()

  private struct Failure: Error {}

  /// Returns a store that runs the effect for the action `-`, and appends any other action to its
  /// state.
  private func store(
    _ effect: @escaping () -> Effect<String>
  ) -> Store<[String], String> {
    Store(initialState: []) {
      Reduce { state, action in
        guard action != "-" else { return effect() }
        state.append(action)
        return .none
      }
    }
  }

  private func after(_ seconds: Int, _ action: String) -> Effect<String> {
    .run { [clock] send in
      try await clock.sleep(for: .seconds(seconds))
      await send(action)
    }
  }

  @Test func `actions of send effects are reduced before the send method of the store returns`() {
    let store = store { .merge(.send("a"), .send("b")) }
    store.send("-")
    #expect(store.state == ["a", "b"])
  }

  @Test func `merged effects run at the same time`() async {
    let store = store { .merge(after(2, "late"), after(1, "early")) }
    let task = store.send("-")
    await clock.advance(by: .seconds(2))
    await task.finish()
    #expect(store.state == ["early", "late"])
  }

  @Test func `concatenated effects run one after the other`() async {
    let store = store { .concatenate(after(2, "first"), .send("between"), after(1, "second")) }
    let task = store.send("-")
    await clock.advance(by: .seconds(2))
    #expect(store.state == ["first", "between"])
    await clock.advance(by: .seconds(1))
    await task.finish()
    #expect(store.state == ["first", "between", "second"])
  }

  @Test func `cancelInFlight cancels the earlier effect with the same ID`() async {
    var number = 0
    let store = store {
      number += 1
      return after(1, "\(number)").cancellable(id: "timer", cancelInFlight: true)
    }
    let first = store.send("-")
    let second = store.send("-")
    await first.finish()
    await clock.advance(by: .seconds(1))
    await second.finish()
    #expect(store.state == ["2"])
  }

  @Test func `canceling a concatenation prevents the steps that have not begun`() async {
    let store = store { .concatenate(after(1, "a"), after(1, "b")) }
    let task = store.send("-")
    await clock.advance(by: .seconds(1))
    task.cancel()
    await clock.advance(by: .seconds(5))
    #expect(store.state == ["a"])
  }

  @Test func `a concatenation starts its first steps before send returns`() async {
    let store = store {
      .concatenate(.cancel(id: "timer"), .send("a"), .send("b"), after(1, "c"), .send("d"))
    }
    let task = store.send("-")
    #expect(store.state == ["a", "b"])
    await clock.advance(by: .seconds(1))
    await task.finish()
    #expect(store.state == ["a", "b", "c", "d"])
  }

  @Test
  func `in concatenate, the step after a send waits until the sent action's effects have started`()
    async
  {
    let store = Store<[String], String>(initialState: []) {
      Reduce { state, action in
        switch action {
        case "-": return .concatenate(.send("start"), .cancel(id: "timer"), .send("end"))
        case "start":
          state.append(action)
          return after(1, "late").cancellable(id: "timer")
        default:
          state.append(action)
          return .none
        }
      }
    }
    store.send("-")
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["start", "end"])
  }

  @Test func `a concatenation that cancels itself runs no further steps`() async {
    let store = store {
      Effect<String>.concatenate(.cancel(id: "all"), .send("a"), after(1, "b"))
        .cancellable(id: "all")
    }
    await store.send("-").finish()
    #expect(store.state == [])
  }

  @Test func `of several effects in quick succession, debounce starts only the last`() async {
    var number = 0
    let store = store {
      number += 1
      return Effect.send("\(number)").debounce(id: "search", for: .seconds(1), clock: clock)
    }
    store.send("-")
    await clock.advance(by: .milliseconds(500))
    store.send("-")
    await clock.advance(by: .milliseconds(500))
    #expect(store.state == [])
    await clock.advance(by: .milliseconds(500))
    #expect(store.state == ["2"])
  }

  @Test(arguments: [(true, ["1", "3", "4"]), (false, ["1", "2", "4"])])
  func `throttle starts one effect at once and one at the end of the interval`(
    latest: Bool, expected: [String]
  ) async {
    var number = 0
    let store = store {
      number += 1
      return Effect.send("\(number)")
        .throttle(id: "level", for: .seconds(1), clock: clock, latest: latest)
    }
    store.send("-")
    store.send("-")
    store.send("-")
    #expect(store.state == ["1"])
    await clock.advance(by: .seconds(3))
    store.send("-")
    #expect(store.state == expected)
    await clock.advance(by: .seconds(2))
  }

  @Test(arguments: ["level", "all"])
  func `canceling a throttled effect does not end the interval of the throttle`(id: String) async {
    let clock = clock
    let store = Store<[String], String>(initialState: []) {
      Reduce { state, action in
        switch action {
        case "level":
          return Effect.send("started")
            .throttle(id: "level", for: .seconds(1), clock: clock, latest: true)
            .cancellable(id: "all")
        case "cancel": return .cancel(id: id)
        default:
          state.append(action)
          return .none
        }
      }
    }
    store.send("level")
    store.send("level")
    store.send("cancel")
    store.send("level")
    #expect(store.state == ["started"])
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["started", "started"])
    store.send("level")
    store.send("cancel")
    await clock.advance(by: .seconds(1))
    store.send("level")
    #expect(store.state.count == 3)
    await clock.advance(by: .seconds(1))
  }

  @Test func `a part of an effect can be canceled by its ID, and the rest of the effect continues`()
    async
  {
    let clock = clock
    let store = Store<[String], String>(initialState: []) {
      Reduce { state, action in
        switch action {
        case "-":
          return .run { send in
            do {
              try await withTaskCancellation(id: "part") {
                try await clock.sleep(for: .seconds(1))
                await send("part")
              }
            } catch is CancellationError {
              await send("part cancelled")
            }
            await send("end")
          }
        case "cancel": return .cancel(id: "part")
        default:
          state.append(action)
          return .none
        }
      }
    }
    let task = store.send("-")
    await clock.advance(by: .milliseconds(500))
    store.send("cancel")
    await task.finish()
    #expect(store.state == ["part cancelled", "end"])
  }

  @Test func `a task outside of effects can be canceled by its ID`() async {
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let task = Task {
      // This compiles without `try`, because the operation throws nothing.
      await withTaskCancellation(id: "outside") {
        begin.yield()
        return (try? await Task.never()) == nil
      }
    }
    for await _ in begun { break }
    Task.cancel(id: "outside")
    #expect(await task.value)
  }

  @Test func `cancelInFlight does not cancel a task that was started with other dependencies`()
    async
  {
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let log = LockIsolated<[String]>([])
    let task = withDependencies {
      $0 = .test
    } operation: {
      Task {
        await withTaskCancellation(id: "other") {
          begin.yield()
          try? await Task.never()
          log.withValue { $0.append("ended") }
        }
      }
    }
    for await _ in begun { break }
    await withTaskCancellation(id: "other", cancelInFlight: true) {}
    for _ in 0..<1_000 { await Task.yield() }
    #expect(log.value == [])
    task.cancel()
    await task.value
  }

  @Test
  func `with cancelInFlight, an operation starts after the earlier one with this ID is canceled`()
    async
  {
    let clock = clock
    let log = LockIsolated<[String]>([])
    let store = Store<Int, String>(initialState: 0) {
      Reduce<Int, String> { _, action in
        .run { _ in
          try await withTaskCancellation(id: "part", cancelInFlight: true) {
            log.withValue { $0.append("begin \(action)") }
            try await withTaskCancellationHandler {
              try await clock.sleep(for: .seconds(1))
            } onCancel: {
              log.withValue { $0.append("cancel \(action)") }
            }
          }
        }
      }
    }
    let first = store.send("1")
    await clock.sleepers(atLeast: 1)
    let second = store.send("2")
    await first.finish()
    await clock.sleepers(atLeast: 1)
    #expect(log.value == ["begin 1", "cancel 1", "begin 2"])
    second.cancel()
    await second.finish()
    #expect(second.isCancelled && !first.isCancelled)
  }

  @Test func `an uncaught error is an issue at the effect, and a cancellation is not`()
    async
  {
    let store = store { .run { _ in throw Failure() } }
    await withKnownIssue {
      await store.send("-").finish()
    } matching: {
      "\($0)".contains("an effect threw an unhandled error: Failure()")
        && $0.sourceLocation?.fileName == "EffectTests.swift"
    }
    let cancelled = self.store { .run { _ in throw CancellationError() } }
    await cancelled.send("-").finish()
  }

  @Test func `a handler gets the error of an effect and may send actions`() async {
    let store = store {
      .run { _ in
        throw Failure()
      } catch: { error, send in
        await send("\(error)")
      }
    }
    await store.send("-").finish()
    #expect(store.state == ["Failure()"])
  }

  @Test
  func `an issue for a late action contains that action and the action that started its effect`()
    async throws
  {
    let escaped = LockIsolated<Send<String>?>(nil)
    let store = store { .run { escaped.setValue($0) } }
    await store.send("-").finish()
    let send = try #require(escaped.value)
    withKnownIssue {
      send("late")
    } matching: {
      let text = "\($0)"
      return text.contains("an effect sent an action after it had ended")
        && text.contains("Action:\n  \"late\"") && text.contains("Effect of:\n  \"-\"")
    }
    #expect(store.state == ["late"])
  }

  @Test func `an effect can cancel itself, and other effects of its feature by their ID`() async {
    let clock = clock
    let wasCanceled = LockIsolated(false)
    let store = Store<[String], String>(initialState: []) {
      Reduce { state, action in
        switch action {
        case "tick":
          return .run { send in
            try await clock.sleep(for: .seconds(1))
            await send("ticked")
          }
          .cancellable(id: "all")
        case "stop":
          // The effect never suspends, so only its own `Task.cancel` can cancel it before `send`.
          return .run { @MainActor send in
            Task.cancel(id: "all")
            wasCanceled.setValue(Task.isCancelled)
            send("went on")
          }
          .cancellable(id: "all")
        default:
          state.append(action)
          return .none
        }
      }
    }
    let ticking = store.send("tick")
    await store.send("stop").finish()
    await ticking.finish()
    #expect(store.state == [])
    #expect(wasCanceled.value)
  }

  @Test func `effects of a parent and of its child in a Scope share cancellation IDs`() async {
    let store = TestStore(initialState: Parent.State()) {
      CombineReducers<Parent.State, Parent.Action> {
        Scope(state: \.child, action: \.child) { Counter() }
        Reduce<Parent.State, Parent.Action> { _, action in
          guard action == .clear else { return .none }
          return .run { _ in try await Task.never() }.cancellable(id: Counter.CancelID.ticking)
        }
      }
    } withDependencies: {
      $0.continuousClock = clock
    }
    let waiting = await store.send(.clear)
    await store.send(.child(.stopTicking))
    await waiting.finish()
  }

  @Test func `an interval of throttle does not count as a running effect`() async {
    let clock = clock
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { state, action in
        guard action == "-" else {
          state += 1
          return .none
        }
        return Effect.send("next")
          .throttle(id: "level", for: .seconds(1), clock: clock, latest: true)
      }
    }
    await store.send("-")
    await store.receive("next") { $0 = 1 }
    await store.finish()
    await store.send("-")
    await clock.advance(by: .seconds(1))
    await store.receive("next") { $0 = 2 }
  }

  @Test func `debounce and throttle can measure time with a scheduler`() async {
    let queue = DispatchQueue.test
    var number = 0
    let store = store {
      number += 1
      return .merge(
        Effect.send("debounced \(number)").debounce(id: 1, for: .seconds(1), scheduler: queue),
        Effect.send("throttled \(number)")
          .throttle(id: 2, for: .seconds(1), scheduler: queue, latest: true))
    }
    store.send("-")
    store.send("-")
    await queue.advance(by: .milliseconds(500))
    #expect(store.state == ["throttled 1"])
    await queue.advance(by: .milliseconds(500))
    #expect(Set(store.state) == ["throttled 1", "throttled 2", "debounced 2"])
    await queue.advance(by: .seconds(1))
  }

  @Test func `a report of an uncaught error has the name of its effect`() async {
    let store = store { .run(name: "fetch") { _ in throw Failure() } }
    await withKnownIssue {
      await store.send("-").finish()
    } matching: {
      "\($0)".contains("the effect 'fetch' threw an unhandled error: Failure()")
    }
  }

  @Test func `an effect is Sendable`() async {
    let effect: any Sendable = Effect<String>.send("a")
    #expect(effect is Effect<String>)
  }

  @Test func `an effect uses the dependencies that were current when it was created`() async {
    let clock = clock
    let store = store {
      withDependencies {
        $0.continuousClock = clock
      } operation: {
        .run { send in
          @Dependency(\.continuousClock) var clock
          try await clock.sleep(for: .seconds(1))
          await send("slept")
        }
      }
    }
    let task = store.send("-")
    await clock.advance(by: .seconds(1))
    await task.finish()
    #expect(store.state == ["slept"])
  }

  @Test func `a delayed effect of throttle begins a new interval`() async {
    var number = 0
    let store = store {
      number += 1
      return Effect.send("\(number)")
        .throttle(id: "level", for: .seconds(1), clock: clock, latest: false)
    }
    store.send("-")
    await clock.advance(by: .milliseconds(500))
    store.send("-")
    await clock.advance(by: .milliseconds(500))
    #expect(store.state == ["1", "2"])
    store.send("-")
    #expect(store.state == ["1", "2"])
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["1", "2", "3"])
    await clock.advance(by: .seconds(1))
  }

  @Test func `a debounced effect that has started is canceled by the next one`() async {
    let store = store {
      after(5, "done").debounce(id: "search", for: .seconds(1), clock: clock)
    }
    store.send("-")
    await clock.advance(by: .seconds(3))
    store.send("-")
    await clock.advance(by: .seconds(5))
    #expect(store.state == [])
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["done"])
  }

  @Test
  func `canceling the first action does not cancel the throttled effect of the second action`()
    async
  {
    var number = 0
    let store = store {
      number += 1
      return Effect.send("\(number)")
        .throttle(id: "level", for: .seconds(1), clock: clock, latest: true)
    }
    let first = store.send("-")
    let second = store.send("-")
    first.cancel()
    let stateAtEnd = Task {
      await second.finish()
      return store.state
    }
    await clock.advance(by: .seconds(1))
    #expect(await stateAtEnd.value == ["1", "2"])
    let third = store.send("-")
    let fourth = store.send("-")
    // The fourth effect has replaced the third.
    await third.finish()
    fourth.cancel()
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["1", "2"])
  }

  @Test func `a throttled effect replaces a waiting effect that was canceled`() async {
    var number = 0
    let store = store {
      number += 1
      return Effect.send("\(number)")
        .throttle(id: "level", for: .seconds(1), clock: clock, latest: false)
    }
    store.send("-")
    store.send("-").cancel()
    store.send("-")
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["1", "3"])
    await clock.advance(by: .seconds(1))
  }
}
