import ClientDependencies
import Reducers
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct TestStoreTests {
  private let clock = TestClock<Duration>()

  private func counter() -> TestStore<Counter.State, Counter.Action> {
    TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func `an expected change of the state passes`() async {
    let store = counter()
    await store.send(.increment) { $0.count = 1 }
    await store.send(.add(2)) { $0.count = 3 }
    #expect(store.state.count == 3)
  }

  @Test func `a wrong expected state fails with the difference between the states`() async {
    let store = counter()
    await withKnownIssue {
      await store.send(.increment) { $0.count = 2 }
    } matching: {
      let text = "\($0)"
      return text.contains("send(Action.increment): the state is not as expected")
        && text.contains("count: 2") && text.contains("count: 1")
    }
    #expect(store.state.count == 1)
  }

  @Test func `an unexpected change of the state fails the test`() async {
    let store = counter()
    await withKnownIssue {
      await store.send(.increment)
    } matching: {
      "\($0)".contains("the state is not as expected")
    }
  }

  @Test func `after the clock has advanced, the action of a delayed effect is received`() async {
    let store = counter()
    await store.send(.addLater(5))
    await clock.advance(by: .seconds(1))
    await store.receive(.add(5)) { $0.count = 5 }
  }

  @Test func `receiving an unexpected action fails, and the action counts as received`() async {
    let store = counter()
    await store.send(.addLater(5))
    await clock.advance(by: .seconds(1))
    await withKnownIssue {
      await store.receive(.add(6)) { $0.count = 5 }
    } matching: {
      "\($0)".contains("receive(Action.add): received Action.add instead")
    }
    await store.finish()
  }

  @Test func `receive fails at once if no running effect can send the action`() async {
    let store = counter()
    store.timeout = .seconds(3_600)
    await withKnownIssue {
      await store.receive(.tick)
    } matching: {
      "\($0)".contains("no effect is running that could send it")
    }
  }

  @Test func `receive fails at its timeout if an effect is still running`() async {
    let store = counter()
    await store.send(.startTicking)
    await withKnownIssue {
      await store.receive(.tick, timeout: .milliseconds(1))
    } matching: {
      "\($0)".contains("no effect sent it within 0.001 seconds")
    }
    await store.skipInFlightEffects()
  }

  @Test func `timeouts are measured with the test store's timeoutClock`() async {
    let store = counter()
    let limits = TestClock<Duration>()
    store.timeoutClock = limits
    let task = await store.send(.startTicking)
    let waits: [@MainActor @Sendable () async -> Void] = [
      { await store.receive(.tick, timeout: .seconds(60)) },
      { await store.finish(timeout: .seconds(60)) },
      { await task.finish(timeout: .seconds(60)) },
    ]
    for wait in waits {
      await withKnownIssue {
        let waiting = Task { await wait() }
        await limits.sleepers(atLeast: 1)
        await limits.advance(by: .seconds(60))
        await waiting.value
      } matching: {
        "\($0)".contains("60.0 seconds")
      }
    }
    await store.skipInFlightEffects()
  }

  @Test func `skipped actions do not extend the timeout of receive`() async {
    let store = counter()
    let limits = TestClock<Duration>()
    store.exhaustivity = .off
    store.timeoutClock = limits
    await store.send(.startTicking)
    await withKnownIssue {
      let waiting = Task { await store.receive(.add(1), timeout: .seconds(60)) }
      await limits.sleepers(atLeast: 1)
      for _ in 1...3 {
        await clock.advance(by: .seconds(1))
        await limits.advance(by: .seconds(20))
      }
      await waiting.value
    } matching: {
      "\($0)".contains("no effect sent it within 60.0 seconds")
    }
    await store.skipInFlightEffects()
  }

  @Test func `two tasks may wait for actions at the same time`() async {
    let store = counter()
    let limits = TestClock<Duration>()
    store.timeoutClock = limits
    for _ in 1...2 { await store.send(.addLater(1)) }
    let waits = (1...2).map { _ in
      Task { await store.receive(.add(1)) { $0.count += 1 } }
    }
    await limits.sleepers(atLeast: 2)
    await clock.advance(by: .seconds(1))
    for wait in waits { await wait.value }
    #expect(store.state.count == 2)
  }

  @Test func `skipping received actions or running effects is an issue if there are none`() async {
    let store = counter()
    await store.send(.addLater(5)).finishAfter { await clock.advance(by: .seconds(1)) }
    await store.skipReceivedActions()
    #expect(store.state.count == 5)
    await withKnownIssue {
      await store.skipReceivedActions()
    } matching: {
      "\($0)".contains("there is no received action to skip")
    }
    await withKnownIssue {
      await store.skipInFlightEffects()
    } matching: {
      "\($0)".contains("there is no running effect to skip")
    }
    await store.skipReceivedActions(strict: false)
    await store.skipInFlightEffects(strict: false)
  }

  @Test func `receive matches an action by its case, by its value, or by a condition`() async {
    let store = TestStore(initialState: Parent.State()) {
      Parent()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.child(.addLater(1)))
    await store.send(.child(.addLater(2)))
    await store.send(.child(.addLater(3)))
    await clock.advance(by: .seconds(1))
    await store.receive(\.child) { $0.child.count = 1 }
    await store.receive(\.child, .add(2)) { $0.child.count = 3 }
    await store.receive({ $0 == .child(.add(3)) }) { $0.child.count = 6 }
  }

  @Test func `a closure that throws or changes nothing is an issue at its line`()
    async
  {
    struct Failure: Error {}
    let store = counter()
    await withKnownIssue {
      await store.send(.stopTicking) { _ in throw Failure() }
    } matching: {
      "\($0)".contains("the closure threw Failure()")
        && $0.sourceLocation?.fileName == "TestStoreTests.swift"
    }
    await withKnownIssue {
      await store.send(.stopTicking) { $0.count = 0 }
    } matching: {
      "\($0)".contains("the state did not change, and the closure expects no change")
    }
  }

  @Test func `the stores of parallel tests do not affect each other`() async {
    let tests = (1...20).map { number in
      Task { @MainActor in
        let clock = TestClock<Duration>()
        let store = TestStore(initialState: Counter.State()) {
          Counter()
        } withDependencies: {
          $0.continuousClock = clock
        }
        await store.send(.addLater(number))
        await clock.advance(by: .seconds(1))
        await store.receive(.add(number)) { $0.count = number }
        return store.state.count
      }
    }
    for (number, test) in zip(1..., tests) { #expect(await test.value == number) }
  }

  @Test func `cancel ends an effect by its id`() async {
    let store = counter()
    let task = await store.send(.startTicking)
    await clock.advance(by: .seconds(1))
    await store.receive(.tick) { $0.count = 1 }
    await store.send(.stopTicking)
    await task.finish()
    await clock.advance(by: .seconds(5))
    await store.finish()
  }

  @Test func `a running effect at the end of the test is an issue`() async {
    await withKnownIssue {
      await counter().send(.startTicking)
    } matching: {
      "\($0)".contains("an effect was still running when the test ended")
    }
  }

  @Test func `a canceled effect that is still running is not an issue`() async {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { _, action in
        if action == "stop" { return .cancel(id: "effect") }
        // A wait that does not end when the effect is canceled.
        return .run { _ in await Task.detached { for await _ in gate { break } }.value }
          .cancellable(id: "effect")
      }
    }
    await store.send("start")
    await store.send("stop")
    // `finish` does not wait for the canceled effect, so even a tiny timeout reports nothing.
    await store.finish(timeout: .milliseconds(1))
    withExtendedLifetime(open) {}
  }

  @Test func `an unreceived action is an issue at the next send and at the end`() async {
    let store = counter()
    await store.send(.addLater(5)).finishAfter { await clock.advance(by: .seconds(1)) }
    await withKnownIssue {
      await store.send(.increment) { $0.count = 6 }
    } matching: {
      "\($0)".contains(
        "send(Action.increment) before receiving 1 action:\n\n  Counter.Action.add(5)")
    }
    await store.receive(.add(5)) { $0.count = 5 }
    await withKnownIssue {
      let store = counter()
      await store.send(.addLater(5)).finishAfter { await clock.advance(by: .seconds(1)) }
    } matching: {
      "\($0)".contains("the test ended without receiving 1 action:\n\n  Counter.Action.add(5)")
    }
  }

  @Test func `with exhaustivity off, only the expected changes are checked`() async {
    let store = counter()
    store.exhaustivity = .off
    await store.send(.increment)
    await store.send(.addLater(5))
    await store.send(.startTicking)
    await clock.advance(by: .seconds(1))
    await store.receive(.add(5))
    await withKnownIssue {
      await store.send(.increment) { $0.count = 0 }
    } matching: {
      "\($0)".contains("the state is not as expected")
    }
  }

  @Test func `dependencies can be changed for a single operation`() async {
    let store = counter()
    let other = TestClock<Duration>()
    let task = await store.withDependencies {
      $0.continuousClock = other
    } operation: {
      await store.send(.addLater(1))
    }
    await other.advance(by: .seconds(1))
    await store.receive(.add(1)) { $0.count = 1 }
    await task.finish()
  }

  @Test func `dependencies set for an operation apply to child features during the operation only`()
    async
  {
    let store = TestStore(initialState: Parent.State()) { Parent() }
    await store.withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      await store.send(.child(.addLater(1)))
      await store.receive(\.child, .add(1)) { $0.child.count = 1 }
    }
    await withKnownIssue {
      await store.send(.child(.addLater(1)))
      await store.receive(\.child, .add(1)) { $0.child.count = 2 }
    } matching: {
      "\($0)".contains("Unimplemented: 'ContinuousClock.")
    }
  }
}

extension TestStoreTask {
  /// Runs an operation that lets the effects end, and then waits for the effects.
  @MainActor fileprivate func finishAfter(_ operation: () async -> Void) async {
    await operation()
    await finish()
  }
}
