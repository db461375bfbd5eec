import ClientDependencies
import Synchronization

/// A client declared without the macro, with a value for each context.
struct GreeterClient: Sendable {
  var greet: @Sendable (_ name: String) throws -> String =
    unimplemented(endpoint: "GreeterClient.greet")
  var isOpen: @Sendable () -> Bool = unimplemented(endpoint: "GreeterClient.isOpen") { _ in false }
}

extension GreeterClient: DependencyKey {
  static let liveValue = GreeterClient(greet: { "live \($0)" }, isOpen: { true })
  static let previewValue = GreeterClient(greet: { "preview \($0)" }, isOpen: { true })
  static let testValue = GreeterClient()
}

extension DependencyValues {
  var greeter: GreeterClient {
    get { self[GreeterClient.self] }
    set { self[GreeterClient.self] = newValue }
  }
}

/// A key that has only a test value.
enum InterfaceOnlyKey: TestDependencyKey {
  static let testValue = "test"
}

/// A key that disables the issue about its missing live value.
enum QuietKey: TestDependencyKey {
  static let testValue = "quiet"
  static let shouldReportUnimplemented = false
}

/// A key that has only a live value.
enum LiveOnlyKey: DependencyKey {
  static let liveValue = 42
}

enum NumberKey: DependencyKey {
  static let liveValue = 1
  static let previewValue = 2
  static let testValue = 3
}

enum OptionalKey: DependencyKey {
  static let liveValue: String? = nil
  static let testValue: String? = nil
}

extension DependencyValues {
  var interfaceOnly: String {
    get { self[InterfaceOnlyKey.self] }
    set { self[InterfaceOnlyKey.self] = newValue }
  }
  var quiet: String { self[QuietKey.self] }
  var liveOnly: Int {
    get { self[LiveOnlyKey.self] }
    set { self[LiveOnlyKey.self] = newValue }
  }
  var number: Int {
    get { self[NumberKey.self] }
    set { self[NumberKey.self] = newValue }
  }
  var optional: String? {
    get { self[OptionalKey.self] }
    set { self[OptionalKey.self] = newValue }
  }
}

/// Counts events on any thread.
final class Counter: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .sequentiallyConsistent) }
  @discardableResult func increment() -> Int {
    number.add(1, ordering: .sequentiallyConsistent).newValue
  }
}

/// Records values in order, from any thread.
final class Recorder<Value: Sendable>: Sendable {
  private let values = LockIsolated<[Value]>([])
  var all: [Value] { values.value }
  func append(_ value: Value) { values.withValue { $0.append(value) } }
}

/// A flag that is set once, on any thread.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

/// The name of the module of these tests, which differs between packages.
let testModule = String(#fileID.prefix { $0 != "/" })
