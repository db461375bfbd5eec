import AudioCore
import ClientDependencies

extension RecordingJournal {
  /// A task's stream, noted on its way; where the journal cannot be written, the stream throws.
  ///
  /// - Parameters:
  ///   - start: begins the stream of the task of that number.
  ///   - note: notes an element, so many nanoseconds after the task began.
  func recorded<Element: Sendable>(
    _ start: @Sendable (_ task: Int) async -> AsyncThrowingStream<Element, any Error>,
    note: @escaping @Sendable (_ element: Element, _ task: Int, _ ns: Int64) async throws -> Void
  ) async -> AsyncThrowingStream<Element, any Error> {
    @Dependency(\.continuousClock) var clock
    let elapsed = stopwatch(clock)
    do {
      let task = try begin()
      return RecordedStream.noting(await start(task)) { step in
        let ns = elapsed().inNanoseconds
        switch step {
        case .element(let element): try await note(element, task, ns)
        case .end(let error): try await self.end(task: task, ns: ns, failure: error)
        }
      }
    } catch {
      return .finished(throwing: error)
    }
  }
}
