import Foundation

/// What this process holds of the system for the engines.
struct Holdings: Equatable {
  var descriptors: Int
  /// The names of the threads that are the engines' and the cards'.
  var threads: [String]

  init() throws {
    let files = FileManager.default
    descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count
    threads = try files.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
      try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
    }.filter { $0.hasPrefix("syrinx-") || $0.hasPrefix("alsa-") }.sorted()
  }

  func isNoMore(than before: Holdings) -> Bool {
    descriptors <= before.descriptors && threads.count <= before.threads.count
  }

  /// Looks until there is no more than before, for so long.
  static func returned(
    to before: Holdings, atMost limit: Duration
  ) async throws -> (isSo: Bool, last: Holdings) {
    let end = ContinuousClock.now + limit
    var now = try Holdings()
    while !now.isNoMore(than: before), ContinuousClock.now < end {
      for _ in 0..<100 { await Task.yield() }
      now = try Holdings()
    }
    return (now.isNoMore(than: before), now)
  }
}
