/// Works on several elements at a time, and hands the results over in the order of the elements.
nonisolated(nonsending) func inOrder<Element: Sendable, Value: Sendable>(
  _ elements: [Element], jobs: Int, _ work: @escaping @Sendable (Element) async -> Value,
  _ body: (Element, Value) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Value).self) { group in
    var next = 0
    var finished: [Int: Value] = [:]
    for index in elements.indices {
      // A slow element must not let the results of all others wait in memory.
      while next < elements.count, next - index < 4 * jobs, next - index - finished.count < jobs {
        group.addTask { [next] in (next, await work(elements[next])) }
        next += 1
      }
      while finished[index] == nil, let (number, value) = try await group.next() {
        finished[number] = value
        if next < elements.count, next - index < 4 * jobs {
          group.addTask { [next] in (next, await work(elements[next])) }
          next += 1
        }
      }
      if let value = finished.removeValue(forKey: index) { try await body(elements[index], value) }
    }
  }
}
