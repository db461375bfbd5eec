import Synchronization

/// A consumer's task: it requests a stream's elements as the consumer's columns demand, and draws
/// the elements it receives.
final class DiagramConsumer: Sendable {
  private struct State {
    var isGreedy = false
    var permits = 0
    var hasLeft = false
    var waiting: CheckedContinuation<Bool, Never>?
    var drawing = DiagramDrawing()

    /// Whether the task may request an element; nil while it must wait.
    mutating func mayAsk() -> Bool? {
      if hasLeft { return false }
      if isGreedy { return true }
      guard permits > 0 else { return nil }
      permits -= 1
      return true
    }
  }

  // Protects the demand and the drawing; the task is resumed after the lock is released.
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

  /// Performs the next column of the consumer.
  func step(_ symbol: Character) {
    perform { state in
      state.isGreedy = symbol == "*" || symbol == ";"
      state.permits += symbol.wholeNumberValue ?? 0
      state.hasLeft = state.hasLeft || symbol == "!"
    }
    // A request may be pending, and only cancellation ends it.
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

  /// Draws an element, unless the consumer has left before the element arrives.
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

/// An executor whose jobs run only when `runUntilQuiet` is called.
final class StepExecutor: TaskExecutor {
  // Protects the list of jobs; the lock is never held while a job runs.
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs jobs, and the jobs that they enqueue, until all tasks wait.
  func runUntilQuiet() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// The stream of a diagram's input.
///
/// An element that has arrived is delivered when it is requested.
///
/// The stream supports one iteration. A canceled task gets the end of the stream, as with
/// `AsyncStream`.
public struct DiagramInput<Element: Sendable>: AsyncSequence, Sendable {
  private let queue = InputQueue<Element>()

  /// Starts to consume the input.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

  /// Returns the elements in order.
  public struct Iterator: AsyncIteratorProtocol {
    let queue: InputQueue<Element>

    /// Returns the next element; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> Element? {
      let queue = queue
      let answer: InputQueue<Element>.Answer = await withTaskCancellationHandler {
        await withCheckedContinuation { queue.ask($0) }
      } onCancel: {
        queue.add(.end)
      }
      return try answer.get()
    }
  }

  func step(_ symbols: [Character], _ element: (Character) -> Element) {
    for symbol in symbols {
      switch symbol {
      case "|": queue.add(.end)
      case "^": queue.add(.failure)
      default: queue.add(.element(element(symbol), symbol))
      }
    }
  }

  func endColumn() { queue.endColumn() }

  /// The consumed elements, column by column.
  var taken: String { queue.taken }
}

/// The unconsumed events of an input, or the task that waits for the next event.
final class InputQueue<Element: Sendable>: Sendable {
  typealias Answer = Result<Element?, any Error>
  typealias Waiting = CheckedContinuation<Answer, Never>

  enum Event {
    case element(Element, Character)
    case end
    case failure
  }

  private struct State {
    var events: [Event] = []
    var isOver = false
    var waiting: Waiting?
    var drawing = DiagramDrawing()

    /// Removes and returns the next event and the task that waits for it.
    mutating func match() -> (Waiting, Answer)? {
      guard let waiting, let answer = nextAnswer() else { return nil }
      self.waiting = nil
      return (waiting, answer)
    }

    private mutating func nextAnswer() -> Answer? {
      if isOver { return .success(nil) }
      guard !events.isEmpty else { return nil }
      switch events.removeFirst() {
      case .element(let element, let symbol):
        drawing.add(String(symbol))
        return .success(element)
      case .end:
        isOver = true
        return .success(nil)
      case .failure:
        isOver = true
        return .failure(StreamDiagramError())
      }
    }
  }

  // Protects the events and the waiting task, which is resumed after the lock is released.
  private let state = Mutex(State())

  var taken: String { state.withLock { $0.drawing.text } }

  func ask(_ waiting: Waiting) { perform { $0.waiting = waiting } }

  func add(_ event: Event) { perform { $0.events.append(event) } }

  func endColumn() { state.withLock { $0.drawing.endColumn() } }

  private func perform(_ step: (inout State) -> Void) {
    let match = state.withLock { state in
      step(&state)
      return state.match()
    }
    if let (waiting, answer) = match { waiting.resume(returning: answer) }
  }
}
