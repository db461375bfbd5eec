import ClientDependencies
import Dispatch
import Testing

@Suite struct WithEscapedDependenciesTests {
  @Dependency(\.number) private var number

  @Test func `a Dispatch queue reads escaped overrides only inside the yield`() async {
    let read = await withDependencies {
      $0.number = 7
    } operation: {
      await withCheckedContinuation { waiting in
        withEscapedDependencies { dependencies in
          DispatchQueue(label: "escaped").async {
            let outside = DependencyValues._current.number
            let inside = dependencies.yield { DependencyValues._current.number }
            waiting.resume(returning: [outside, inside, DependencyValues._current.number])
          }
        }
      }
    }
    #expect(read == [3, 7, 3])
  }

  @Test func `a chain of 20,000 escaped scopes is released`() {
    var scope = withEscapedDependencies { $0 }
    for _ in 0..<20_000 { scope = scope.yield { withEscapedDependencies { $0 } } }
    #expect(scope.yield { DependencyValues._current.number } == 3)
  }

  @Test func `a detached task reads escaped overrides`() async {
    let read = await withDependencies {
      $0.number = 8
    } operation: {
      await withEscapedDependencies { dependencies in
        await Task.detached {
          await dependencies.yield {
            await Task.yield()
            return DependencyValues._current.number
          }
        }.value
      }
    }
    #expect(read == 8)
  }

  @Test func `overrides inside a yield apply, and overrides around the yield do not`() {
    let continuation = withDependencies {
      $0.number = 7
    } operation: {
      withEscapedDependencies { $0 }
    }
    withDependencies {
      $0.number = 8
    } operation: {
      // Read outside of `#expect`: if one closure contains two closures of the same type, Swift 6.3
      // runs the first in place of the second.
      let outer = continuation.yield { DependencyValues._current.number }
      let inner = continuation.yield {
        withDependencies {
          $0.number = 9
        } operation: {
          DependencyValues._current.number
        }
      }
      #expect([outer, inner, DependencyValues._current.number] == [7, 9, 8])
    }
  }

  @Test func `a continuation yields any number of times and rethrows errors`() {
    struct Refusal: Error {}
    withEscapedDependencies { dependencies in
      #expect(dependencies.yield { 1 } == 1)
      #expect(throws: Refusal.self) { try dependencies.yield { throw Refusal() } }
      #expect(dependencies.yield { 2 } == 2)
    }
  }

  @MainActor @Test func `an operation stays on its caller's actor`() async {
    await withEscapedDependencies { dependencies in
      MainActor.assertIsolated()
      await dependencies.yield {
        await Task.yield()
        MainActor.assertIsolated()
        #expect(number == 3)
      }
    }
  }

  @Test func `an issue reported inside yield on another thread fails the test`() async {
    await withKnownIssue {
      await withCheckedContinuation { waiting in
        withEscapedDependencies { dependencies in
          DispatchQueue(label: "escaped").async {
            _ = dependencies.yield { reportUnimplemented("Escaped.endpoint") }
            waiting.resume()
          }
        }
      }
    } matching: {
      "\($0)".contains("Escaped.endpoint")
    }
  }
}
