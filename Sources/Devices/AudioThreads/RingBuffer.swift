import Glibc
import Logging
public import Synchronization

/// A lock-free ring buffer for one writing and one reading thread.
///
/// An empty ring restarts at its first slot, so a large ring touches only as much memory as its
/// largest backlog.
///
/// Thread safety: `tryWrite` and `writable` belong to the writer; `tryRead`, `discardReadable`, and
/// `readable` to the reader. None of them allocates or locks.
public final class RingBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  // Safe because only one side accesses an element at a time: the writer owns the elements from
  // `head` up to `tail` + capacity, the reader owns those from `tail` up to `head`, and each side
  // publishes with release order. The writer changes `origin` only while the ring is empty. The
  // reader reads `origin` only after it has seen a `head` that was published later.
  @usableFromInline let storage: UnsafeMutableBufferPointer<Element>
  private let isMapped: Bool
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let tail = Atomic<Int>(0)
  /// The position of the element in the first slot; positions count elements since creation.
  @usableFromInline let origin = Atomic<Int>(0)

  /// Creates a ring; the pages of a large ring become present when they are first written.
  ///
  /// - Parameters:
  ///   - capacity: the number of elements that it holds, at least 1.
  ///   - resident: the number of elements whose pages are present from the start, and locked if
  ///     `RLIMIT_MEMLOCK` permits. Choose the usual backlog.
  public init(capacity: Int, resident: Int = 0) {
    precondition(capacity > 0, "a ring holds at least 1 element, not \(capacity)")
    (storage, isMapped) = Self.allocate(capacity: capacity, resident: resident)
  }

  deinit {
    guard isMapped else { return storage.deallocate() }
    munmap(storage.baseAddress, storage.count * MemoryLayout<Element>.stride)
  }

  /// The number of elements in a full ring.
  @inlinable public var capacity: Int { storage.count }

  /// The number of elements that can be read now.
  @inlinable public var readable: Int {
    head.load(ordering: .acquiring) - tail.load(ordering: .relaxed)
  }

  /// The number of elements that can be written now.
  @inlinable public var writable: Int {
    capacity - (head.load(ordering: .relaxed) - tail.load(ordering: .acquiring))
  }

  /// The number of elements written since creation.
  @inlinable public var totalWritten: Int { head.load(ordering: .acquiring) }

  /// Writes as many of `elements` as fit and returns their number.
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
    let start = slot(of: position)
    let first = min(count, capacity - start)
    (base + start).initialize(from: source, count: first)
    base.initialize(from: source + first, count: count - first)
    head.store(position + count, ordering: .releasing)
    return count
  }

  /// Writes one element; returns false if the ring is full.
  @inlinable
  @discardableResult
  public func tryWrite(_ element: Element) -> Bool {
    let position = head.load(ordering: .relaxed)
    let room = writable
    guard room > 0, let base = storage.baseAddress else { return false }
    if room == capacity { origin.store(position, ordering: .relaxed) }
    // The element is initialized directly, because copying its bytes would also read its padding.
    (base + slot(of: position)).initialize(to: element)
    head.store(position + 1, ordering: .releasing)
    return true
  }

  /// Reads as many elements as are available and fit, and returns their number.
  @inlinable
  @discardableResult
  public func tryRead(into elements: UnsafeMutableBufferPointer<Element>) -> Int {
    let position = tail.load(ordering: .relaxed)
    let count = min(elements.count, readable)
    guard count > 0, let target = elements.baseAddress, let base = storage.baseAddress else {
      return 0
    }
    let start = slot(of: position)
    let first = min(count, capacity - start)
    target.update(from: base + start, count: first)
    (target + first).update(from: base, count: count - first)
    tail.store(position + count, ordering: .releasing)
    return count
  }

  @inlinable
  func slot(of position: Int) -> Int {
    (position - origin.load(ordering: .relaxed)) % capacity
  }

  /// Discards all readable elements.
  @inlinable
  public func discardReadable() {
    tail.store(head.load(ordering: .acquiring), ordering: .releasing)
  }

  /// Reads and returns one element; nil if the ring is empty.
  @inlinable
  public func tryRead() -> Element? {
    let position = tail.load(ordering: .relaxed)
    guard readable > 0 else { return nil }
    let element = storage[slot(of: position)]
    tail.store(position + 1, ordering: .releasing)
    return element
  }
}

/// The ring's memory, which returns to the system when the ring is released.
///
/// Large blocks are mapped with `mmap`. The allocator would keep large blocks for the thread that
/// allocated them, and a process with many short-lived threads would grow. Resident blocks are
/// mapped, too. Their pages are present before the audio thread touches them, and are locked if
/// `RLIMIT_MEMLOCK` permits.
extension RingBuffer {
  /// The smallest mapped block, in bytes.
  private static var leastMapped: Int { 1 << 16 }

  /// Allocates room for `capacity` elements; the pages of the first `resident` elements are
  /// present.
  ///
  /// The corresponding C functions are `mmap` and `mlock`.
  private static func allocate(
    capacity: Int, resident: Int
  ) -> (elements: UnsafeMutableBufferPointer<Element>, isMapped: Bool) {
    let size = capacity * MemoryLayout<Element>.stride
    let pages =
      size < leastMapped && resident == 0
      ? MAP_FAILED
      : mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard pages != MAP_FAILED, let pages else { return (.allocate(capacity: capacity), false) }
    if resident > 0 { lock(pages, min(size, resident * MemoryLayout<Element>.stride)) }
    return (
      UnsafeMutableBufferPointer(
        start: pages.bindMemory(to: Element.self, capacity: capacity), count: capacity), true
    )
  }

  private static func lock(_ pages: UnsafeMutableRawPointer, _ size: Int) {
    // Writing makes the pages present. It is done before `mlock`, because the sanitizers' `mlock`
    // does nothing and reports success.
    memset(pages, 0, size)
    if mlock(pages, size) == 0 {
      return threadLog.debug("\(size / 1_024) KiB for audio are locked in memory")
    }
    let reason = String(cString: strerror(errno))
    threadLog.debug("\(size / 1_024) KiB for audio are not locked in memory: mlock: \(reason)")
  }
}
