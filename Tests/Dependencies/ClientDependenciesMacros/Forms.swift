import ClientDependenciesMacros

/// One endpoint for each form of a function type.
@DependencyClient
struct Forms: Sendable {
  var unlabelled: @Sendable (Int) throws -> Int
  var labelled: @Sendable (_ first: Int, _ second: Int) throws -> Int
  var mixed: @Sendable (Int, _ named: Int) async throws -> Int
  var nothing: @Sendable () -> Void
  var emptyTuple: @Sendable (_ note: String) -> ()
  var optional: @Sendable (_ id: Int) -> String?
  var writtenOutOptional: @Sendable () -> Optional<Int>
  var tuple: @Sendable () -> (Int, name: String) = { (1, name: "one") }
  var takesTuple: @Sendable (_ pair: (Int, Int)) throws -> Int
  var given: @Sendable (_ value: Int) -> String = { _ in "given" }
  var severalLines: @Sendable (_ value: Int) -> [Int] = { value in
    let doubled = value * 2
    return [value, doubled]
  }
  var closureFirst: @Sendable (_ id: Int) -> Void = { id in { _ = id }() }
  var changing: @Sendable (_ value: inout Int, _ by: Int) throws -> Void
  var borrowing: @Sendable (_ value: borrowing String) throws -> Int
  var consuming: @Sendable (_ value: consuming String) throws -> Int
  var sending: @Sendable (_ box: sending Box) throws -> sending Box
  var lazily: @Sendable (_ value: @autoclosure () -> Int) throws -> Int
  var callback: @Sendable (_ then: @escaping @Sendable (Int) -> Void) -> Void
  var onMain: @MainActor @Sendable (_ value: Int) -> Int = { _ in 0 }
  var onMainLater: @MainActor @Sendable () async throws -> Int
  var inCallersActor: nonisolated(nonsending) @Sendable (_ value: Int) async throws -> Int
  var anyError: @Sendable (_ id: Int) throws(any Error) -> Int
  var neverThrows: @Sendable (_ id: Int) throws(Never) -> Int? = { _ in nil }
  var `default`: @Sendable (_ in: Int) throws -> Int
  var inParentheses: (@Sendable (_ id: Int) throws -> Int)
  @DependencyEndpoint(method: "find") var findByID: @Sendable (_ id: Int) throws -> String
  @DependencyEndpoint(method: "find") var findByName: @Sendable (_ name: String) throws -> String
  @DependencyEndpoint(method: "renamed") var unnamed: @Sendable (Int) throws -> Int
  @available(*, deprecated, message: "Use 'labelled'.")
  var outdated: @Sendable (_ id: Int) throws -> Int

  struct Nested: Sendable {}
  var nested: @Sendable (_ nested: Nested) throws -> Nested
  var count: Int = 0
  var note: String?
  let constant = "constant"
  static let shared = "shared"
  var computed: Int { count + 1 }
  @DependencyEndpointIgnored var ignored: @Sendable () -> Int = { 7 }
  @Dependency(\.context) var context
}

final class Box {
  var value: Int
  init(_ value: Int) { self.value = value }
}
