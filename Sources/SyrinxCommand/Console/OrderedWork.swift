/// Works on several elements at once and takes the results in order.
///
/// No element is started before its turn comes within `jobCount`, so that results do not pile up.
///
/// - Throws: what `take` throws; the rest is then cancelled.
func inOrder<Element: Sendable, Result: Sendable>(
  _ elements: [Element], jobCount: Int,
  _ work: @escaping @Sendable (Element) async -> Result,
  take: (Element, Result) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var (started, done): (Int, [Int: Result]) = (0, [:])
    for (index, element) in elements.enumerated() {
      while started < elements.count, started < index + jobCount {
        group.addTask { [started] in (started, await work(elements[started])) }
        started += 1
      }
      while done[index] == nil, let (finished, result) = try await group.next() {
        done[finished] = result
      }
      if let result = done.removeValue(forKey: index) { try await take(element, result) }
    }
  }
}
