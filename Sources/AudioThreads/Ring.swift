public import Synchronization

/// A ring of plain values between two threads: one writes, one reads, neither waits for the other.
///
/// Whenever it is empty it begins at its first place again: a large one takes only as much memory
/// as has ever waited in it.
///
/// Thread safety: `tryWrite` and `writable` belong to the one writer, `tryRead`, `discardReadable`
/// and `readable` to the one reader; none of them allocates or takes a lock.
public final class Ring<Element: BitwiseCopyable>: @unchecked Sendable {
  // Right because each element is touched by one side at a time: the writer owns those from `head`
  // up to `tail` + capacity, the reader those from `tail` up to `head`, and each side publishes
  // with release order. `origin` is the writer's, which changes it only while the ring is empty:
  // then the reader does not look at it before it has seen a `head` that was published after it.
  @usableFromInline let storage: UnsafeMutableBufferPointer<Element>
  private let memory: PageMemory<Element>
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let tail = Atomic<Int>(0)
  /// The position that is at the first place.
  @usableFromInline let origin = Atomic<Int>(0)

  /// A ring that holds at least `capacity` elements: all its addresses are taken here, and of a
  /// large one the pages when they are first written.
  ///
  /// - Parameter resident: how many elements have their pages at once, locked in memory where
  ///   `RLIMIT_MEMLOCK` allows: as many as wait in it where nobody is late.
  public init(capacity: Int, resident: Int = 0) {
    precondition(capacity > 0, "a ring holds at least 1 element, not \(capacity)")
    memory = PageMemory(capacity: capacity, resident: resident)
    storage = memory.values
  }

  deinit {
    memory.release()
  }

  /// How many elements it holds when full.
  @inlinable public var capacity: Int { storage.count }

  /// How many elements can be read now.
  @inlinable public var readable: Int {
    head.load(ordering: .acquiring) - tail.load(ordering: .relaxed)
  }

  /// How many elements can be written now.
  @inlinable public var writable: Int {
    capacity - (head.load(ordering: .relaxed) - tail.load(ordering: .acquiring))
  }

  /// How many elements have ever been written.
  @inlinable public var totalWritten: Int { head.load(ordering: .acquiring) }

  /// Writes as many of `elements` as there is room for and returns how many that were.
  @inlinable
  @discardableResult
  public func tryWrite(_ elements: UnsafeBufferPointer<Element>) -> Int {
    let position = head.load(ordering: .relaxed)
    let room = writable
    let count = min(elements.count, room)
    guard count > 0, let source = elements.baseAddress, let base = storage.baseAddress else {
      return 0
    }
    if room == capacity { origin.store(position, ordering: .relaxed) }
    let start = place(of: position)
    let first = min(count, capacity - start)
    (base + start).initialize(from: source, count: first)
    base.initialize(from: source + first, count: count - first)
    head.store(position + count, ordering: .releasing)
    return count
  }

  /// Writes one element; false where the ring is full.
  @inlinable
  @discardableResult
  public func tryWrite(_ element: Element) -> Bool {
    withUnsafePointer(to: element) { tryWrite(UnsafeBufferPointer(start: $0, count: 1)) == 1 }
  }

  /// Fills `elements` as far as there is something to read and returns how many that were.
  @inlinable
  @discardableResult
  public func tryRead(into elements: UnsafeMutableBufferPointer<Element>) -> Int {
    let position = tail.load(ordering: .relaxed)
    let count = min(elements.count, readable)
    guard count > 0, let target = elements.baseAddress, let base = storage.baseAddress else {
      return 0
    }
    let start = place(of: position)
    let first = min(count, capacity - start)
    target.update(from: base + start, count: first)
    (target + first).update(from: base, count: count - first)
    tail.store(position + count, ordering: .releasing)
    return count
  }

  @inlinable
  func place(of position: Int) -> Int {
    (position - origin.load(ordering: .relaxed)) % capacity
  }

  /// Throws away all that can be read now.
  @inlinable
  public func discardReadable() {
    tail.store(head.load(ordering: .acquiring), ordering: .releasing)
  }

  /// Reads one element, nil where there is none.
  @inlinable
  public func tryRead() -> Element? {
    let position = tail.load(ordering: .relaxed)
    guard readable > 0 else { return nil }
    let element = storage[place(of: position)]
    tail.store(position + 1, ordering: .releasing)
    return element
  }
}
