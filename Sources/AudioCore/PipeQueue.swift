/// What a pipe does with an element that nobody waits for.
public struct PipePolicy<Element: Sendable>: Sendable {
  /// Puts the new element into the queue, and takes out or merges what has to make room.
  public let enqueue: @Sendable (_ queue: inout [Element], _ element: Element) -> Void

  /// A policy from a function; it must keep the queue bounded.
  public init(enqueue: @escaping @Sendable (inout [Element], Element) -> Void) {
    self.enqueue = enqueue
  }

  /// Keeps only the newest of the elements for which `isReplaceable` holds: figures that nobody
  /// needs twice.
  ///
  /// Others are all kept, so that they must be rare.
  public static func newest(where isReplaceable: @escaping @Sendable (Element) -> Bool) -> Self {
    PipePolicy { queue, element in
      if isReplaceable(element) { queue.removeAll(where: isReplaceable) }
      queue.append(element)
    }
  }
}

/// The state of a pipe, without tasks or locks: every step returns what is to be done.
struct PipeQueue<Element: Sendable> {
  /// What the pipe does after a step.
  enum Action {
    case wait
    case deliver(Element)
    case end((any Error)?)

    var resumes: Bool {
      if case .wait = self { false } else { true }
    }
  }

  private enum End {
    case open
    case finished((any Error)?)
    case abandoned
  }

  private let policy: PipePolicy<Element>
  private var queue: [Element] = []
  private var isAwaited = false
  private var end = End.open

  init(policy: PipePolicy<Element>) {
    self.policy = policy
  }

  /// Whether the consumer is gone.
  var isAbandoned: Bool {
    if case .abandoned = end { true } else { false }
  }

  mutating func send(_ element: Element) -> Action {
    guard case .open = end else { return .wait }
    guard isAwaited else {
      policy.enqueue(&queue, element)
      return .wait
    }
    isAwaited = false
    return .deliver(element)
  }

  mutating func demand() -> Action {
    if case .abandoned = end { return .end(nil) }
    if !queue.isEmpty { return .deliver(queue.removeFirst()) }
    guard case .finished(let error) = end else {
      isAwaited = true
      return .wait
    }
    end = .finished(nil)
    return .end(error)
  }

  mutating func finish(throwing error: (any Error)?) -> Action {
    guard case .open = end else { return .wait }
    end = .finished(isAwaited ? nil : error)
    guard isAwaited else { return .wait }
    isAwaited = false
    return .end(error)
  }

  mutating func abandon() -> Action {
    queue = []
    end = .abandoned
    guard isAwaited else { return .wait }
    isAwaited = false
    return .end(nil)
  }
}

extension Array {
  /// Appends an element in the place of all for which `isReplaceable` holds.
  package mutating func append(_ element: Element, inPlaceOf isReplaceable: (Element) -> Bool) {
    removeAll(where: isReplaceable)
    append(element)
  }

  /// Appends an element, and takes out the oldest of its kind where there are more than `count`.
  package mutating func append(
    _ element: Element, toNewest count: Int, where isOfItsKind: (Element) -> Bool
  ) {
    append(element)
    guard self.count > count, self.count(where: isOfItsKind) > count,
      let oldest = firstIndex(where: isOfItsKind)
    else { return }
    remove(at: oldest)
  }

  /// Appends one element in the place of all of its kind: it tells the sum of their amounts.
  ///
  /// - Parameters:
  ///   - amount: what is to be added to theirs.
  ///   - amountOf: what an element of that kind tells, nil for any other.
  ///   - element: makes one of that kind.
  package mutating func append<Amount: AdditiveArithmetic>(
    adding amount: Amount, to amountOf: (Element) -> Amount?, as element: (Amount) -> Element
  ) {
    let earlier = compactMap(amountOf).reduce(.zero, +)
    append(element(earlier + amount), inPlaceOf: { amountOf($0) != nil })
  }
}
