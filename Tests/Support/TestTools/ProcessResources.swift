import Foundation
import Glibc

/// The descriptors, threads, and memory that this process uses.
package struct ProcessResources {
  private var descriptors: Int
  /// The names of the threads that belong to Syrinx.
  private var threads: [String]
  /// The bytes that `malloc` has allocated.
  private var heap: Int

  /// Reads the thread table up to 10,000 times, until it contains no thread of Syrinx, and counts
  /// the resources.
  private init() throws {
    threads = try Self.threadNames()
    for _ in 0..<10_000 where !threads.isEmpty { threads = try Self.threadNames() }
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    heap = try bytesInUse()
  }

  /// Returns the names of the running threads that belong to Syrinx.
  package static func threadNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
      try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
    }.filter { $0.hasPrefix("syrinx-") }
  }

  /// Describes the resources that `work`, which starts a thousand operations, does not release; nil
  /// if it releases all.
  ///
  /// The first runs may start threads that stay, fill the caches of the allocator and of the Swift
  /// runtime, and make Dispatch open descriptors. A leak appears in every run.
  package static func leftovers(of work: () async throws -> Void) async throws -> String? {
    try await work()
    var before = try ProcessResources()
    var after = before
    for _ in 0..<6 {
      (before.heap, before.descriptors) = (after.heap, after.descriptors)
      try await work()
      after = try ProcessResources()
      // The last operation closes its descriptors in a separate task, so wait for that.
      for _ in 0..<1_000 where !after.isNoMore(than: before) {
        await Task.yield()
        after = try ProcessResources()
      }
      if after.isNoMore(than: before) { return nil }
    }
    return "\(after), not \(before)"
  }

  /// Returns whether there are at most as many threads and descriptors as in `before`, and at most
  /// 512 KiB more memory: about half a KiB for each of a thousand operations.
  private func isNoMore(than before: ProcessResources) -> Bool {
    descriptors <= before.descriptors && threads.count <= before.threads.count
      && heap <= before.heap + 512 << 10
  }
}

/// Returns the bytes that `malloc` has allocated.
///
/// The corresponding C function is `malloc_info`, which Swift's module of the C library lacks.
package func bytesInUse() throws -> Int {
  typealias Report = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
  guard let symbol = dlsym(nil, "malloc_info") else { throw POSIXError(.ENOSYS) }
  var text: UnsafeMutablePointer<CChar>?
  var size = 0
  let stream = open_memstream(&text, &size)
  // The cast is safe, because `malloc_info` has this type in every version of the C library.
  _ = unsafeBitCast(symbol, to: Report.self)(0, stream)
  fclose(stream)
  defer { free(text) }
  // The sums of all arenas are at the end of the report.
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
