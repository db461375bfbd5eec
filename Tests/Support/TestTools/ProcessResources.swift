import Foundation
import Glibc

/// The descriptors, threads, and memory that this process uses.
package struct ProcessResources {
  private var descriptors: Int
  /// The names of the threads that belong to Syrinx.
  private var threads: [String]
  /// In bytes.
  private var heap: Int

  /// Waits until the ended threads have left the table of threads, at most 10,000 looks.
  private init() throws {
    threads = try Self.threadNames()
    for _ in 0..<10_000 where !threads.isEmpty { threads = try Self.threadNames() }
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    heap = try bytesInUse()
  }

  /// The names of the running threads that belong to Syrinx.
  package static func threadNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
      try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
    }.filter { $0.hasPrefix("syrinx-") }
  }

  /// Describes what `work`, which begins a thousand things, leaves behind; nil if it leaves nothing.
  ///
  /// The first run may start threads that stay. The first runs also fill the caches of the allocator
  /// and of the Swift runtime, of which each thread has its own, and Dispatch opens descriptors when
  /// it first needs them; a leak of memory or of descriptors shows in every run.
  package static func leftovers(of work: () async throws -> Void) async throws -> String? {
    try await work()
    var before = try ProcessResources()
    var after = before
    for _ in 0..<6 {
      (before.heap, before.descriptors) = (after.heap, after.descriptors)
      try await work()
      after = try ProcessResources()
      // The last one closes its descriptors in a separate task.
      for _ in 0..<1_000 where !after.isNoMore(than: before) {
        await Task.yield()
        after = try ProcessResources()
      }
      if after.isNoMore(than: before) { return nil }
    }
    return "\(after), not \(before)"
  }

  /// Whether there is no thread and no descriptor more than in `before`, and less than half a KiB
  /// for each of a thousand things.
  private func isNoMore(than before: ProcessResources) -> Bool {
    descriptors <= before.descriptors && threads.count <= before.threads.count
      && heap <= before.heap + 512 << 10
  }
}

/// The bytes that `malloc` has allocated; the corresponding C function is `malloc_info`, which Swift's module
/// of the C library leaves out.
package func bytesInUse() throws -> Int {
  typealias Report = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
  guard let symbol = dlsym(nil, "malloc_info") else { throw POSIXError(.ENOSYS) }
  var text: UnsafeMutablePointer<CChar>?
  var size = 0
  let stream = open_memstream(&text, &size)
  // The symbol is that function, in every version of the C library.
  _ = unsafeBitCast(symbol, to: Report.self)(0, stream)
  fclose(stream)
  defer { free(text) }
  // The sums of all arenas come last.
  let report = text.map { String(cString: $0) } ?? ""
  let sums = report.components(separatedBy: "</heap>").last ?? ""
  func bytes(of element: String) -> Int {
    let tail = sums.components(separatedBy: element).dropFirst().first ?? ""
    return Int(
      tail.components(separatedBy: "size=\"").dropFirst().first?.prefix { $0 != "\"" } ?? "") ?? 0
  }
  let free = bytes(of: "<total type=\"fast\"") + bytes(of: "<total type=\"rest\"")
  return bytes(of: "<system type=\"current\"") + bytes(of: "<total type=\"mmap\"") - free
}
