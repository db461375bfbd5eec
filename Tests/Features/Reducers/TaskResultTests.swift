import ClientDependencies
import Reducers
import Testing

@Suite struct TaskResultTests {
  private enum Failure: Error, Hashable { case offline, refused(String) }

  private struct Opaque: Error { let message: String }

  private typealias IntResult = TaskResult<Int>

  @Test func `results are equal if their values or errors are equal`() {
    let results: [IntResult] = [
      .success(1), .success(2), .failure(Failure.offline), .failure(Failure.refused("a")),
      .failure(Failure.refused("b")), .failure(CancellationError()),
    ]
    #expect(results[0] == .success(1) && results[3] == .failure(Failure.refused("a")))
    for (index, result) in results.enumerated() {
      #expect(results[..<index].allSatisfy { $0 != result })
    }
    #expect(Set(results.dropLast() + [.success(1), .failure(Failure.offline)]).count == 5)
  }

  @Test func `an error that cannot be compared or hashed is reported`() {
    let result = IntResult.failure(Opaque(message: "a"))
    withKnownIssue {
      #expect(result != .failure(Opaque(message: "a")))
    } matching: {
      "\($0)".contains("extension Opaque: Equatable {}")
    }
    withKnownIssue {
      _ = result.hashValue
    } matching: {
      "\($0)".contains("extension Opaque: Hashable {}")
    }
  }

  @Test func `a result has the value or the error of an operation`() async throws {
    let success = await IntResult { 1 }
    #expect(try success.map { "\($0)" }.value == "1")
    let failure = await IntResult { throw Failure.offline }
    #expect(failure == IntResult(Result<Int, Failure>.failure(.offline)))
    #expect(throws: Failure.offline) { try failure.value }
    #expect(success[case: \.success] == 1 && failure.is(\.failure))
  }
}
