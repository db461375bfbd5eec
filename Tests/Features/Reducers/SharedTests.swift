import ClientDependencies
import Foundation
import Observation
import Reducers
import Testing

@Suite struct SharedTests {
  private struct User: Identifiable, Equatable {
    let id: Int
    var name = ""
  }

  @Test func `a shared value and its parts change together`() {
    @Shared(value: [User(id: 1), User(id: 2)]) var users
    @Shared var name: String
    _name = $users[1].name
    $name.withLock { $0 = "b" }
    $users.withLock { $0[0].name = "a" }
    #expect(users.map(\.name) == ["a", "b"])
    #expect(name == "b")
    #expect($users.count.wrappedValue == 2)
    #expect($users[0].id == 1)
  }

  @Test func `a reader keeps following the original value after the parent reference is replaced`()
  {
    @Shared(value: User(id: 1)) var user
    @SharedReader var id: Int
    _id = $user.id
    $user.withLock { $0 = User(id: 2) }
    #expect(id == 2)
    $user = Shared(value: User(id: 3))
    #expect(user.id == 3)
    #expect(id == 2)
  }

  @Test
  func `a shared value unwrapped from an optional remains usable after the optional becomes nil`()
    throws
  {
    @Shared(value: nil) var optional: Int?
    #expect(Shared($optional) == nil)
    $optional.withLock { $0 = 1 }
    @Shared var number: Int
    _number = try #require(Shared($optional))
    $number.withLock { $0 += 1 }
    #expect(optional == 2)
    $optional.withLock { $0 = nil }
    $number.withLock { $0 += 1 }
    #expect(number == 3)
    #expect(optional == nil)
    $optional.withLock { $0 = 7 }
    #expect(number == 7)
  }

  @Test func `elements of a shared array share changes, and keep their last value when removed`()
    throws
  {
    @Shared(value: [User(id: 1), User(id: 2)]) var users: IdentifiedArrayOf<User>
    let (elements, readers) = (Array($users), Array(SharedReader($users)))
    let second = try #require(Shared($users[id: 2]))
    second.withLock { $0.name = "b" }
    #expect(elements.map(\.wrappedValue.name) == ["", "b"])
    #expect(readers.map(\.wrappedValue.name) == ["", "b"])
    elements[0].name.withLock { $0 = "a" }
    $users.withLock { _ = $0.remove(id: 2) }
    elements[1].withLock { $0.name = "c" }
    #expect(users.map(\.name) == ["a"])
    #expect(elements.map(\.wrappedValue.name) == ["a", "c"])
    #expect(readers.map(\.wrappedValue.name) == ["a", "b"])
    #expect(Shared($users[id: 2]) == nil)
  }

  @Test func `an operation may read the value that it changes, and returns its result or error`() {
    struct Failure: Error, Equatable { let number: Int }
    @Shared(value: [1, 2]) var numbers
    let count = $numbers.withLock {
      $0.append(numbers.count)
      return $0.count
    }
    #expect(count == 3)
    #expect(numbers == [1, 2, 2])
    #expect(throws: Failure(number: 3)) {
      try $numbers.withLock { numbers in
        numbers.removeAll()
        throw Failure(number: count)
      }
    }
    #expect(numbers == [])
  }

  @Test func `concurrent changes of a shared value are not lost`() async {
    @Shared(value: 0) var count
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [$count] in
          for _ in 0..<500 {
            $count.withLock {
              let before = $0
              // Lets another task run between the read and the write.
              sched_yield()
              $0 = before + 1
            }
          }
        }
      }
    }
    #expect(count == 4_000)
  }

  @Test func `observers are notified of a change`() {
    @Shared(value: User(id: 1)) var user
    let changes = LockIsolated(0)
    withObservationTracking {
      _ = user.name
    } onChange: {
      changes.withValue { $0 += 1 }
    }
    $user.name.withLock { $0 = "a" }
    $user.name.withLock { $0 = "b" }
    #expect(changes.value == 1)
  }

  @Test func `the description of a shared value contains its key, or else the value`() {
    @Shared(value: 1) var plain
    @Shared(.appStorage("count")) var stored = 2
    @Shared(.number) var number
    #expect($plain.description == "Shared<Int>(value: 1)")
    #expect($stored.description == #"Shared<Int>(.appStorage("count"))"#)
    #expect($number.description == #"Shared<Int>(.inMemory("number"))"#)
    #expect(SharedReader($plain).description == "SharedReader<Int>(value: 1)")
  }

  @Test func `an in-memory value keeps its first default, and survives without references`() {
    do {
      @Shared(.inMemory("count")) var count = 1
      @Shared(.inMemory("count")) var same = 2
      $count.withLock { $0 += 10 }
      #expect(same == 11)
    }
    @SharedReader(.inMemory("count")) var count = 3
    #expect(count == 11)
  }

  @Test func `each test has its own values in memory`() {
    @Shared(.inMemory("count")) var count = 5
    #expect(count == 5)
    let other = withDependencies {
      $0.defaultInMemoryStorage = InMemoryStorage()
    } operation: {
      @Shared(.inMemory("count")) var count = 6
      return $count
    }
    $count.withLock { $0 = 9 }
    #expect(other.wrappedValue == 6)
  }

  @Test func `a key's built-in default applies unless the key's first use gives another default`() {
    @Shared(.number) var number
    @Shared(.number) var same = 3
    @SharedReader(.number) var read
    $number.withLock { $0 += 1 }
    #expect(number == 43)
    #expect(same == 43)
    #expect(read == 43)
    @SharedReader(.flag) var flag = true
    @Shared(.flag) var again
    #expect(flag && again)
    @Shared(.inMemory("text")) var text: String?
    #expect(text == nil)
  }

  @Test func `a shared value may contain shared values`() {
    struct Inner { @Shared(.inMemory("inner")) var number = 1 }
    @Shared(.inMemory("outer")) var outer = Inner()
    #expect(outer.number == 1)
  }

  @Test func `a custom key loads, watches, and saves its value, and its errors are available`()
    async throws
  {
    let file = LockIsolated<String?>(nil)
    let key = TextKey(file: file)
    @Shared(key) var text = "none"
    #expect(text == "none")
    #expect(file.value == nil)
    $text.withLock { $0 = "saved" }
    #expect(file.value == "saved")
    file.setValue("elsewhere")
    try await $text.load()
    #expect(text == "elsewhere")
    withKnownIssue {
      $text.withLock { $0 = "" }
    } matching: {
      "\($0)".contains("TextKey could not be saved: empty")
    }
    #expect(text == "")
    #expect($text.saveError is TextKey.Failure)
    $text.withLock { $0 = "again" }
    #expect($text.saveError == nil)
    file.setValue("")
    await #expect(throws: TextKey.Failure.self) { try await $text.load() }
    #expect($text.loadError is TextKey.Failure)
    #expect(text == "again")
  }

  @Test func `a change that an observer makes when notified of a loaded value is not lost`()
    async throws
  {
    let file = LockIsolated<String?>("old")
    @Shared(TextKey(file: file)) var text = "none"
    let next = LockIsolated<String?>("newer")
    withObservationTracking {
      _ = text
    } onChange: { [$text] in
      // This change notifies the observer again.
      if let next = next.withValue({ $0.take() }) { $text.withLock { $0 = next } }
    }
    file.setValue("elsewhere")
    try await $text.load()
    #expect(file.value == "newer")
    #expect(text == "newer")
  }

  @Test(.timeLimit(.minutes(1)))
  func `two values whose saves notify each other do not deadlock, and load the new data`()
    async
  {
    let (first, second) = (WatchedKey(), WatchedKey())
    @Shared(first) var one = "none"
    @Shared(second) var two = "none"
    let meeting = Meeting()
    for (key, other) in [(first, second), (second, first)] {
      let whenSaved: @Sendable () -> Void = {
        meeting.attend()
        // Here, the saves of both values are in progress.
        other.stored.setValue("elsewhere")
        other.notify()
      }
      key.whenSaved.setValue(whenSaved)
    }
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    for value in [$one, $two] {
      Thread.detachNewThread {
        value.withLock { $0 = "changed" }
        end.yield()
      }
    }
    for await _ in ended.prefix(2) {}
    #expect(one == "elsewhere")
    #expect(two == "elsewhere")
  }
}

/// Blocks each of two threads until both have called `attend`.
private final class Meeting: Sendable {
  private let condition = NSCondition()
  private let arrived = LockIsolated(0)

  func attend() {
    condition.lock()
    arrived.withValue { $0 += 1 }
    condition.broadcast()
    while arrived.value < 2 { condition.wait() }
    condition.unlock()
  }
}

/// A key whose stored value a test changes from outside and then announces with `notify`.
private struct WatchedKey: SharedKey {
  let stored = LockIsolated<String?>(nil)
  let subscriber = LockIsolated<(@Sendable () -> Void)?>(nil)
  /// Called once, at the end of the first save.
  let whenSaved = LockIsolated<(@Sendable () -> Void)?>(nil)
  var id: ObjectIdentifier { ObjectIdentifier(stored) }

  func notify() { subscriber.value?() }

  func load(initialValue: String?) -> String? { stored.value }

  func save(_ value: String) {
    stored.setValue(value)
    whenSaved.withValue { $0.take() }?()
  }

  func subscribe(_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    subscriber.setValue(changed)
    return { [subscriber] in subscriber.setValue(nil) }
  }
}

private struct TextKey: SharedKey, CustomStringConvertible {
  enum Failure: Error { case empty }

  let file: LockIsolated<String?>
  var id: ObjectIdentifier { ObjectIdentifier(file) }
  var description: String { "TextKey" }

  func load(initialValue: String?) throws -> String? {
    if file.value == "" { throw Failure.empty }
    return file.value
  }

  func save(_ value: String) throws {
    if value == "" { throw Failure.empty }
    file.setValue(value)
  }
}

extension SharedKey where Self == InMemoryKey<Int>.Default {
  fileprivate static var number: Self { Self[.inMemory("number"), default: 42] }
}

extension SharedReaderKey where Self == InMemoryKey<Bool>.Default {
  fileprivate static var flag: Self { Self[.inMemory("flag"), default: false] }
}
