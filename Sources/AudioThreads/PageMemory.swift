import Glibc
import Logging

/// Memory for plain values that goes back to the system as soon as nobody needs it.
///
/// What is large comes in pages of its own: the allocator would keep it for the thread that it was
/// taken by, and a process whose threads come and go would grow. So does what is to be there before
/// an audio thread touches it: its first values are locked in memory where `RLIMIT_MEMLOCK` allows,
/// and present in any case.
struct PageMemory<Element: BitwiseCopyable> {
  let values: UnsafeMutableBufferPointer<Element>
  private let isMapped: Bool

  /// From so many bytes on it has pages of its own.
  static var leastMapped: Int { 1 << 16 }

  /// Room for so many values, the first `resident` of them present; the corresponding C functions
  /// are `mmap` and `mlock`.
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

  /// Gives it back; nobody may use it any more.
  func release() {
    guard isMapped else { return values.deallocate() }
    munmap(values.baseAddress, values.count * MemoryLayout<Element>.stride)
  }

  private func lock(_ pages: UnsafeMutableRawPointer, _ size: Int) {
    // A page is there once something has been written to it. It is locked after that, because the
    // sanitizers' `mlock` does nothing and reports success.
    memset(pages, 0, size)
    if mlock(pages, size) == 0 {
      return memoryLog.debug("\(size / 1_024) KiB for audio are locked in memory")
    }
    let reason = String(cString: strerror(errno))
    memoryLog.debug("\(size / 1_024) KiB for audio are not locked in memory: mlock: \(reason)")
  }
}

private let memoryLog = Logger(label: "syrinx.threads")
