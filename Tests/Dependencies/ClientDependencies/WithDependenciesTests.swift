import ClientDependencies
import Dispatch
import Testing

@Suite struct WithDependenciesTests {
  @Dependency(\.number) private var number

  @Test func `a nested scope adds to the outer scope and ends with its operation`() {
    withDependencies {
      $0.number = 10
    } operation: {
      withDependencies {
        $0.number += 1
        $0.interfaceOnly = "inner"
      } operation: {
        #expect(number == 11)
        #expect(DependencyValues._current.interfaceOnly == "inner")
      }
      #expect(number == 10)
      #expect(DependencyValues._current.interfaceOnly == "test")
    }
  }

  @Test func `a scope ends when its operation throws`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try withDependencies {
        $0.number = 10
      } operation: {
        throw Failure()
      }
    }
    #expect(number == 3)
  }

  @Test
  func `a deeply nested scope sees the innermost override and all outer overrides of other keys`() {
    func nest(_ depth: Int) {
      guard depth < 50 else {
        #expect(number == 49)
        #expect(DependencyValues._current.interfaceOnly == "outermost")
        return
      }
      withDependencies({ $0.number = depth }, operation: { nest(depth + 1) })
    }
    withDependencies({ $0.interfaceOnly = "outermost" }, operation: { nest(0) })
  }

  @Test func `an asynchronous scope lasts across suspensions`() async {
    await withDependencies {
      $0.number = 10
    } operation: {
      await Task.yield()
      #expect(number == 10)
    }
  }

  @Test func `the update closure of withDependencies may be asynchronous`() async {
    func fetched() async -> Int {
      await Task.yield()
      return 12
    }
    await withDependencies {
      $0.number = await fetched()
    } operation: {
      #expect(number == 12)
    }
  }

  @Test func `reading a missing live value is an issue, except in an update closure`()
    async
  {
    @Dependency(\.interfaceOnly) var text
    await withDependencies {
      $0.context = .live
    } operation: { [_text] in
      withDependencies {
        $0.number = _text.wrappedValue.count
      } operation: {
        withKnownIssue { #expect(_text.wrappedValue == "test") }
      }
      await withDependencies {
        await Task.yield()
        $0.number = _text.wrappedValue.count
        withDependencies {
          $0.number = 10
        } operation: {
          withKnownIssue { #expect(_text.wrappedValue == "test") }
        }
      } operation: {
        withKnownIssue { #expect(_text.wrappedValue == "test") }
      }
    }
  }

  @Test @MainActor func `an asynchronous scope stays on its caller's actor`() async {
    final class NotSendable { var count = 0 }
    let object = NotSendable()
    await withDependencies {
      $0.number = 10
    } operation: {
      MainActor.assertIsolated()
      await Task.yield()
      object.count = number
    }
    #expect(object.count == 10)
  }

  @Test func `child tasks and unstructured tasks inherit the values`() async {
    await withDependencies {
      $0.number = 10
    } operation: {
      async let child = number
      let task = Task { number }
      let group = await withTaskGroup(of: Int.self) { group in
        group.addTask { number }
        return await group.next()
      }
      #expect(await child == 10)
      #expect(await task.value == 10)
      #expect(group == 10)
    }
  }

  @Test func `detached tasks and Dispatch queues do not inherit the values`() async {
    await withDependencies {
      $0.number = 10
    } operation: {
      #expect(await Task.detached { number }.value == 3)
      let onQueue = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: number) }
      }
      #expect(onQueue == 3)
    }
  }

  @Test(arguments: 0..<32)
  func `tests in parallel never see each other's values`(index: Int) async {
    await withDependencies {
      $0.number = index
    } operation: {
      for _ in 0..<100 {
        await Task.yield()
        guard number == index else {
          Issue.record("\(number) is not \(index)")
          return
        }
      }
    }
  }
}
