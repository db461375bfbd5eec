import Synchronization

/// An input of a diagram, as a stream: what has arrived is given when it is asked for.
///
/// It is iterated once. A cancelled task sees its end, as with `AsyncStream`.
public struct DiagramInput<Element: Sendable>: AsyncSequence, Sendable {
  private let queue = InputQueue<Element>()

  /// Begins to take what arrives.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

  /// Takes one element after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let queue: InputQueue<Element>

    /// The next element; nil after the end.
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

  /// What was taken, column by column; only the elements are drawn.
  var taken: String { queue.taken }
}

/// What has arrived at an input and waits, or the task that waits for it.
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

    /// The event, and its receiver.
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

  // Held to look at what waits; the task is resumed after it is released.
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
