import Glibc
import Logging

/// Memory for plain values that returns to the system when released.
///
/// Large blocks are mapped: the allocator would keep them for the allocating thread, and a process
/// whose threads come and go would grow. Resident blocks are mapped too: their pages are present
/// before the audio thread touches them, and locked where `RLIMIT_MEMLOCK` allows.
struct PageMemory<Element: BitwiseCopyable> {
  let values: UnsafeMutableBufferPointer<Element>
  private let isMapped: Bool

  /// The smallest mapped block, in bytes.
  static var leastMapped: Int { 1 << 16 }

  /// Allocates room for `capacity` values, the first `resident` of them present.
  ///
  /// The corresponding C functions are `mmap` and `mlock`.
  init(capacity: Int, resident: Int = 0) {
    let size = capacity * MemoryLayout<Element>.stride
    let pages =
      size < Self.leastMapped && resident == 0
      ? MAP_FAILED
      : mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    isMapped = pages != MAP_FAILED
    guard isMapped, let pages else {
      values = .allocate(capacity: capacity)
      return
    }
    values = UnsafeMutableBufferPointer(
      start: pages.bindMemory(to: Element.self, capacity: capacity), count: capacity)
    if resident > 0 { lock(pages, min(size, resident * MemoryLayout<Element>.stride)) }
  }

  /// Frees the memory; `values` is invalid afterward.
  func release() {
    guard isMapped else { return values.deallocate() }
    munmap(values.baseAddress, values.count * MemoryLayout<Element>.stride)
  }

  private func lock(_ pages: UnsafeMutableRawPointer, _ size: Int) {
    // Writing makes the pages present. It comes before `mlock`, because the sanitizers' `mlock`
    // does nothing and reports success.
    memset(pages, 0, size)
    if mlock(pages, size) == 0 {
      return memoryLog.debug("\(size / 1_024) KiB for audio are locked in memory")
    }
    let reason = String(cString: strerror(errno))
    memoryLog.debug("\(size / 1_024) KiB for audio are not locked in memory: mlock: \(reason)")
  }
}

private let memoryLog = Logger(label: "syrinx.threads")
