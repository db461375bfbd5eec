public import Foundation

extension IdentifiedArray {
  /// Adds an element at the end.
  ///
  /// - Returns: whether the element was added, and the index of the element with this ID.
  @discardableResult
  public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
    insert(element, at: count)
  }

  /// Adds elements at the end, except those whose ID is in use.
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { _ = insert(element, at: count) }
  }

  /// Adds an element at an index from 0 to `count`, if its ID is not in use.
  ///
  /// - Returns: whether the element was added, and the index of the element with this ID.
  @discardableResult
  public mutating func insert(_ element: Element, at index: Int) -> (inserted: Bool, index: Int) {
    if let present = self.index(id: element[keyPath: id]) { return (false, present) }
    elementsByID.updateValue(element, forKey: element[keyPath: id], insertingAt: index)
    return (true, index)
  }

  /// Replaces the element at an index by an element with the same ID.
  ///
  /// An element with another ID is reported as an issue and changes nothing.
  ///
  /// - Returns: the element that was at the index.
  @discardableResult
  public mutating func update(_ element: Element, at index: Int) -> Element {
    let old = self[index]
    self[id: old[keyPath: id]] = element
    return old
  }

  /// Replaces the element with the same ID, or appends the element.
  ///
  /// - Returns: the replaced element.
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    elementsByID.updateValue(element, forKey: element[keyPath: id])
  }

  /// Replaces the element with the same ID where it is, or inserts the element at an index.
  ///
  /// - Returns: the replaced element, and the index of the new element.
  @discardableResult
  public mutating func updateOrInsert(
    _ element: Element, at index: Int
  ) -> (originalMember: Element?, index: Int) {
    elementsByID.updateValue(element, forKey: element[keyPath: id], insertingAt: index)
  }

  /// Removes and returns the element with an ID.
  @discardableResult
  public mutating func remove(id: ID) -> Element? { elementsByID.removeValue(forKey: id) }

  /// Removes and returns the array's element that has the same ID as `element`.
  @discardableResult
  public mutating func remove(_ element: Element) -> Element? { remove(id: element[keyPath: id]) }

  /// Removes and returns the element at an index.
  @discardableResult
  public mutating func remove(at index: Int) -> Element { elementsByID.remove(at: index).value }

  /// Removes the elements at some indices.
  public mutating func remove(atOffsets offsets: IndexSet) {
    for range in offsets.rangeView.reversed() { removeSubrange(range) }
  }

  /// Removes and returns the first element; the array must not be empty.
  @discardableResult
  public mutating func removeFirst() -> Element { elementsByID.removeFirst().value }

  /// Removes the first elements; the array must have at least `count` elements.
  public mutating func removeFirst(_ count: Int) { elementsByID.removeFirst(count) }

  /// Removes and returns the last element; the array must not be empty.
  @discardableResult
  public mutating func removeLast() -> Element { elementsByID.removeLast().value }

  /// Removes the last elements; the array must have at least `count` elements.
  public mutating func removeLast(_ count: Int) { elementsByID.removeLast(count) }

  /// Removes the elements in a range of indices.
  public mutating func removeSubrange(_ range: Range<Int>) { elementsByID.removeSubrange(range) }

  /// Removes the elements in a range of indices.
  public mutating func removeSubrange(_ range: some RangeExpression<Int>) {
    elementsByID.removeSubrange(range)
  }

  /// Removes all elements for which the condition holds.
  public mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
    try elementsByID.removeAll { try isRemoved($0.value) }
  }

  /// Removes all elements.
  public mutating func removeAll(keepingCapacity keepsCapacity: Bool = false) {
    elementsByID.removeAll(keepingCapacity: keepsCapacity)
  }

  /// Allocates memory for at least `count` elements.
  public mutating func reserveCapacity(_ count: Int) { elementsByID.reserveCapacity(count) }

  /// Moves the elements at the indices `source`, in their order, before the element at `target`.
  public mutating func move(fromOffsets source: IndexSet, toOffset target: Int) {
    let moved = source.map { self[$0] }
    let start = target - source.count(in: 0..<target)
    remove(atOffsets: source)
    for (offset, element) in moved.enumerated() { insert(element, at: start + offset) }
  }

  /// The elements for which the condition holds.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var copy = self
    try copy.removeAll { try !isIncluded($0) }
    return copy
  }
}

extension IdentifiedArray: RandomAccessCollection, MutableCollection {
  /// The index of the first element, 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { elementsByID.count }

  /// The element at an index.
  ///
  /// Changing the element's ID in place is reported as an issue. Setting an element whose ID is in
  /// use at another index moves the element to this index. Setting any other element replaces the
  /// element at this index.
  public subscript(position: Int) -> Element {
    get { elementsByID.values[position] }
    _modify {
      yield &elementsByID.values[position]
      keepIdentity(at: position)
    }
    set {
      let newID = newValue[keyPath: id]
      if elementsByID.removeValue(forKey: newID) == nil { elementsByID.remove(at: position) }
      elementsByID.updateValue(newValue, forKey: newID, insertingAt: position)
    }
  }

  /// Exchanges the elements at two indices.
  public mutating func swapAt(_ index: Int, _ other: Int) { elementsByID.swapAt(index, other) }

  /// Moves all elements for which the condition holds to the end.
  ///
  /// - Returns: the index of the first moved element.
  public mutating func partition(
    by belongsBehind: (Element) throws -> Bool
  ) rethrows -> Int {
    try elementsByID.partition { try belongsBehind($0.value) }
  }

  /// Reverses the order of the elements.
  public mutating func reverse() { elementsByID.reverse() }

  /// Shuffles the elements.
  public mutating func shuffle() { elementsByID.shuffle() }

  /// Shuffles the elements with the given generator.
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    elementsByID.shuffle(using: &generator)
  }

  /// Sorts the elements.
  public mutating func sort(by areInOrder: (Element, Element) throws -> Bool) rethrows {
    try elementsByID.sort { try areInOrder($0.value, $1.value) }
  }
}

extension IdentifiedArray where Element: Comparable {
  /// Sorts the elements.
  public mutating func sort() { sort(by: <) }
}

extension IdentifiedArray: RangeReplaceableCollection
where Element: Identifiable, Element.ID == ID {
  /// Creates an empty array.
  public init() {
    self.init(id: \.id)
  }

  /// Replaces the elements in a range of indices.
  ///
  /// If a new element's ID is in use outside the range, the new element takes the old element's
  /// place.
  public mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    elementsByID.removeSubrange(range)
    for element in elements.reversed() { updateOrInsert(element, at: range.lowerBound) }
  }
}
