import Synchronization

/// A task that iterates a stream according to its column, and draws the elements.
final class DiagramConsumer: Sendable {
  private struct State {
    var isGreedy = false
    var permits = 0
    var hasLeft = false
    var waiting: CheckedContinuation<Bool, Never>?
    var drawing = DiagramDrawing()

    /// Whether the task may ask; nil while it has to wait.
    mutating func mayAsk() -> Bool? {
      if hasLeft { return false }
      if isGreedy { return true }
      guard permits > 0 else { return nil }
      permits -= 1
      return true
    }
  }

  // Held to look at the demand and to draw; the task is resumed after it is released.
  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  init<Stream: AsyncSequence & Sendable>(
    _ stream: Stream, symbol: @escaping @Sendable (Stream.Element) -> String,
    executor: any TaskExecutor
  ) {
    let task = Task(executorPreference: executor) { await self.consume(stream, symbol) }
    self.task.withLock { $0 = task }
  }

  var output: String { state.withLock { $0.drawing.text } }

  func endColumn() { state.withLock { $0.drawing.endColumn() } }

  /// Performs the consumer's column.
  func step(_ symbol: Character) {
    perform { state in
      state.isGreedy = symbol == "*" || symbol == ";"
      state.permits += symbol.wholeNumberValue ?? 0
      state.hasLeft = state.hasLeft || symbol == "!"
    }
    // Only a cancellation ends a request that still waits.
    if symbol == "!" || symbol == ";" { task.withLock { $0 }?.cancel() }
  }

  private func consume<Stream: AsyncSequence>(
    _ stream: Stream, _ symbol: @Sendable (Stream.Element) -> String
  ) async {
    var iterator = stream.makeAsyncIterator()
    do {
      while await isAsking() {
        guard let element = try await iterator.next(isolation: nil) else { return draw("|") }
        draw(symbol(element))
      }
    } catch {
      draw("^")
    }
  }

  private func isAsking() async -> Bool {
    await withCheckedContinuation { continuation in perform { $0.waiting = continuation } }
  }

  /// Elements after the consumer has left are not seen.
  private func draw(_ symbol: String) {
    state.withLock { state in
      if !state.hasLeft { state.drawing.add(symbol) }
    }
  }

  private func perform(_ step: (inout State) -> Void) {
    let answer = state.withLock { state -> (CheckedContinuation<Bool, Never>, Bool)? in
      step(&state)
      guard let waiting = state.waiting, let mayAsk = state.mayAsk() else { return nil }
      state.waiting = nil
      return (waiting, mayAsk)
    }
    if let (waiting, mayAsk) = answer { waiting.resume(returning: mayAsk) }
  }
}

/// Keeps the jobs of its tasks until they are run explicitly: time stands still in between.
final class StepExecutor: TaskExecutor {
  // Held to move jobs in and out, never while one runs.
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs jobs, and those that they bring, until all tasks wait for something.
  func runUntilQuiet() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
