import ClientDependencies
import Reducers
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct TestStoreTests {
  private let clock = TestClock<Duration>()

  private func counter() -> TestStore<Counter.State, Counter.Action> {
    TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func `a stated change passes`() async {
    let store = counter()
    await store.send(.increment) { $0.count = 1 }
    await store.send(.add(2)) { $0.count = 3 }
    #expect(store.state.count == 3)
  }

  @Test func `a wrong statement fails with the difference of the states`() async {
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

  @Test func `an unstated change fails`() async {
    let store = counter()
    await withKnownIssue {
      await store.send(.increment)
    } matching: {
      "\($0)".contains("the state is not as expected")
    }
  }

  @Test func `an effect's action is received when its time has come`() async {
    let store = counter()
    await store.send(.addLater(5))
    await clock.advance(by: .seconds(1))
    await store.receive(.add(5)) { $0.count = 5 }
  }

  @Test func `another action than the expected one fails and counts as received`() async {
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

  @Test func `an action that no running effect can send is not waited for`() async {
    let store = counter()
    store.timeout = .seconds(3_600)
    await withKnownIssue {
      await store.receive(.tick)
    } matching: {
      "\($0)".contains("no effect is running that could send it")
    }
  }

  @Test func `a running effect fails the wait for it after the limit`() async {
    let store = counter()
    await store.send(.startTicking)
    await withKnownIssue {
      await store.receive(.tick, timeout: .milliseconds(1))
    } matching: {
      "\($0)".contains("no effect sent it within 0.001 seconds")
    }
    await store.skipInFlightEffects()
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

  @Test func `an unreceived action is an issue at the next send and at the end`() async {
    let store = counter()
    await store.send(.addLater(5)).finishAfter { await clock.advance(by: .seconds(1)) }
    await withKnownIssue {
      await store.send(.increment) { $0.count = 6 }
    } matching: {
      "\($0)".contains("send(Action.increment) before receiving Action.add")
    }
    await withKnownIssue {
      let store = counter()
      await store.send(.addLater(5)).finishAfter { await clock.advance(by: .seconds(1)) }
    } matching: {
      "\($0)".contains("the test ended without receiving Action.add")
    }
  }

  @Test func `without exhaustivity only what is stated is checked`() async {
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

  @Test func `dependencies change for later actions and within an operation`() async {
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
}

extension TestStoreTask {
  /// Waits for the effects after an operation that lets them end.
  @MainActor fileprivate func finishAfter(_ operation: () async -> Void) async {
    await operation()
    await finish()
  }
}
