/// The buffering policy of a pipe: the limit of waiting elements, and the elements to drop.
package struct PipePolicy<Element: Sendable>: Sendable {
  /// Appends the new element, and removes or merges elements to make room.
  package let enqueue: @Sendable (_ queue: inout [Element], _ element: Element) -> Void
  /// The number of waiting elements at which the pipe has no more room.
  package let limit: Int

  /// Creates a policy; `enqueue` must limit the queue's length if the producer does not wait.
  package init(
    limit: Int = .max, enqueue: @escaping @Sendable (inout [Element], Element) -> Void
  ) {
    (self.limit, self.enqueue) = (limit, enqueue)
  }

  /// Keeps every element; a producer that waits for room stops at `limit`.
  package static func keepingAll(limit: Int = .max) -> Self {
    PipePolicy(limit: limit) { $0.append($1) }
  }
}

/// The elements of a pipe with one reader, bounded by a policy.
package struct PolicyQueue<Element: Sendable>: PipeQueue {
  private let policy: PipePolicy<Element>
  private var limit: Int
  /// Whether the queue has no room while the reader works on an element.
  private var isPaced: Bool
  private var isReaderBusy = false
  private var elements: [Element] = []
  package private(set) var isClosed = false
  package private(set) var isAbandoned = false
  /// The error to throw after the elements.
  private var failure: (any Error)?

  package init(policy: PipePolicy<Element>, isPaced: Bool = false) {
    (self.policy, limit, self.isPaced) = (policy, policy.limit, isPaced)
  }

  package var hasRoom: Bool {
    isClosed || elements.count < limit && !(isPaced && isReaderBusy)
  }

  /// Adds an element; a closed queue ignores it.
  package mutating func send(_ element: Element) {
    if !isClosed { policy.enqueue(&elements, element) }
  }

  /// Makes room for any number of elements, so that the last elements are accepted.
  package mutating func liftLimit() {
    (limit, isPaced) = (.max, false)
  }

  /// Ends the queue after its elements; later calls are ignored.
  package mutating func finish(throwing error: (any Error)?) {
    if !isClosed { (isClosed, failure) = (true, error) }
  }

  package mutating func next(for _: Int) -> PipeStep<Element, any Error> {
    isReaderBusy = !elements.isEmpty
    guard elements.isEmpty else { return .element(elements.removeFirst()) }
    return isClosed ? .end(failure.take()) : .wait
  }

  package mutating func abandon(by _: Int) {
    (elements, failure) = ([], nil)
    (isClosed, isAbandoned) = (true, true)
  }
}

/// A pipe with one reader, bounded by a policy.
package typealias PolicyPipe<Element: Sendable> = StreamPipe<PolicyQueue<Element>>

extension StreamPipe {
  /// Creates a pipe whose queue follows `policy`.
  package convenience init<Element>(policy: PipePolicy<Element>, hold: TimeHold? = nil)
  where Queue == PolicyQueue<Element> {
    self.init(PolicyQueue(policy: policy), hold: hold)
  }

  /// Adds an element; a pipe that has ended ignores it.
  package func send<Element>(_ element: Element) where Queue == PolicyQueue<Element> {
    change { $0.send(element) }
  }

  /// Ends the stream after its elements, with or without an error; later calls are ignored.
  package func finish<Element>(throwing error: (any Error)? = nil)
  where Queue == PolicyQueue<Element> {
    change { $0.finish(throwing: error) }
  }
}

extension Array {
  /// Removes all elements for which `isReplaceable` is true, and appends an element.
  package mutating func append(_ element: Element, inPlaceOf isReplaceable: (Element) -> Bool) {
    removeAll(where: isReplaceable)
    append(element)
  }

  /// Appends an element, and keeps only the newest `count` elements of its kind.
  package mutating func append(
    _ element: Element, toNewest count: Int, where isOfItsKind: (Element) -> Bool
  ) {
    append(element)
    guard self.count > count, self.count(where: isOfItsKind) > count,
      let oldest = firstIndex(where: isOfItsKind)
    else { return }
    remove(at: oldest)
  }

  /// Removes and returns the oldest elements if more than `limit` of audio waits.
  ///
  /// Every stream that drops audio calls this function, and reports the loss with its next element.
  /// The newest element stays, however long it is. At least an eighth of the elements is removed at
  /// a time: a few long losses spoil less speech than many short losses, and removing them costs
  /// less work.
  ///
  /// `length` returns the amount of audio in an element.
  package mutating func removeOldest<Length: AdditiveArithmetic & Comparable>(
    beyond limit: Length, by length: (Element) -> Length
  ) -> [Element] {
    var waiting = reduce(.zero) { $0 + length($1) }
    var surplus = 0
    while waiting > limit, surplus < count - 1 {
      waiting -= length(self[surplus])
      surplus += 1
    }
    guard surplus > 0 else { return [] }
    let dropped = Array(prefix(Swift.max(surplus, count / 8)))
    removeFirst(dropped.count)
    return dropped
  }

  /// Replaces all elements of one kind with a single element, whose amount is the sum of the
  /// replaced amounts plus `amount`.
  ///
  /// - Parameters:
  ///   - amount: the amount to add.
  ///   - amountOf: returns the amount of an element of the kind, or nil for other elements.
  ///   - element: creates an element of the kind.
  package mutating func append<Amount: AdditiveArithmetic>(
    adding amount: Amount, to amountOf: (Element) -> Amount?, as element: (Amount) -> Element
  ) {
    let earlier = compactMap(amountOf).reduce(.zero, +)
    append(element(earlier + amount), inPlaceOf: { amountOf($0) != nil })
  }
}
