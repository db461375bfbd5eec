import Glibc

/// Memory for plain values that goes back to the system as soon as nobody needs it.
///
/// What is large comes in pages of its own: the allocator would keep it for the thread that it was
/// taken by, and a process whose threads come and go would grow.
struct PageMemory<Element: BitwiseCopyable> {
  let values: UnsafeMutableBufferPointer<Element>
  private let isMapped: Bool

  /// From so many bytes on it has pages of its own.
  static var leastMapped: Int { 1 << 16 }

  /// Room for so many values; the corresponding C function is `mmap`.
  init(capacity: Int) {
    let size = capacity * MemoryLayout<Element>.stride
    let pages =
      size < Self.leastMapped
      ? MAP_FAILED
      : mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    isMapped = pages != MAP_FAILED
    guard isMapped, let pages else {
      values = .allocate(capacity: capacity)
      return
    }
    values = UnsafeMutableBufferPointer(
      start: pages.bindMemory(to: Element.self, capacity: capacity), count: capacity)
  }

  /// Gives it back; nobody may use it any more.
  func release() {
    guard isMapped else { return values.deallocate() }
    munmap(values.baseAddress, values.count * MemoryLayout<Element>.stride)
  }
}
