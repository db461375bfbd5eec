import Foundation

/// The threads and descriptors that this process holds for the engines.
struct ResourceSnapshot: Equatable {
  var descriptors: Int
  /// The names of the threads of the engines and the cards.
  var threads: [String]

  init() throws {
    let files = FileManager.default
    descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count
    threads = try files.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
      try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
    }.filter { $0.hasPrefix("syrinx-") || $0.hasPrefix("alsa-") }.sorted()
  }

  func isNoMore(than before: ResourceSnapshot) -> Bool {
    descriptors <= before.descriptors && threads.count <= before.threads.count
  }

  /// Waits, for at most `limit`, until the numbers of threads and descriptors are as in `before`.
  static func returned(
    to before: ResourceSnapshot, atMost limit: Duration
  ) async throws -> (isSo: Bool, last: ResourceSnapshot) {
    let end = ContinuousClock.now + limit
    var now = try ResourceSnapshot()
    while !now.isNoMore(than: before), ContinuousClock.now < end {
      for _ in 0..<100 { await Task.yield() }
      now = try ResourceSnapshot()
    }
    return (now.isNoMore(than: before), now)
  }
}
