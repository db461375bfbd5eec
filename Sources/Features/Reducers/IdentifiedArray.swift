import ClientDependencies
internal import OrderedCollections

/// An ordered collection of elements with unique IDs and constant-time lookup by ID.
///
/// Every element is stored under its own ID, and an element whose ID is in use is not added.
/// Changing an element's ID is reported; the element keeps its index under the new ID, unless
/// another element has that ID.
public struct IdentifiedArray<ID: Hashable, Element> {
  /// The path to an element's id.
  public let idPath: KeyPath<Element, ID>
  private var elementsByID: OrderedDictionary<ID, Element> = [:]

  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(uniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    idPath = id
    for element in elements { append(element) }
  }

  /// The current IDs.
  ///
  /// Copies share them, and changing an element does not copy them.
  var identities: OrderedSet<ID> { elementsByID.keys }

  /// The ids, in order.
  public var ids: [ID] { Array(elementsByID.keys) }

  /// The elements, in order.
  public var elements: [Element] { Array(elementsByID.values) }

  /// The element with an id.
  ///
  /// Setting nil removes the element; setting an element with a new ID appends it.
  public subscript(id id: ID) -> Element? {
    get { elementsByID[id] }
    set {
      guard let newValue else {
        elementsByID[id] = nil
        return
      }
      let newID = newValue[keyPath: idPath]
      guard newID == id else {
        return reportIssue(
          "an element with the id \(newID) cannot replace the one with the id \(id)")
      }
      elementsByID[id] = newValue
    }
  }

  /// Changes the element with an id in place; nil if there is none.
  @discardableResult
  public mutating func modify<Value>(id: ID, _ change: (inout Element) -> Value) -> Value? {
    guard let index = elementsByID.index(forKey: id) else { return nil }
    let value = change(&elementsByID.values[index])
    keepIdentity(at: index)
    return value
  }

  /// Adds an element at the end.
  ///
  /// - Returns: whether it was added, and the index of the element with its id.
  @discardableResult
  public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
    insert(element, at: count)
  }

  /// Adds an element at an index from 0 to `count`, if its id is not in use.
  ///
  /// - Returns: whether it was added, and the index of the element with its id.
  @discardableResult
  public mutating func insert(_ element: Element, at index: Int) -> (inserted: Bool, index: Int) {
    let id = element[keyPath: idPath]
    if let present = elementsByID.index(forKey: id) { return (false, present) }
    elementsByID.updateValue(element, forKey: id, insertingAt: index)
    return (true, index)
  }

  /// Replaces the element with the same ID, or appends the element.
  ///
  /// - Returns: the replaced element.
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    elementsByID.updateValue(element, forKey: element[keyPath: idPath])
  }

  /// Removes the element with an id and returns it.
  @discardableResult
  public mutating func remove(id: ID) -> Element? { elementsByID.removeValue(forKey: id) }

  /// Removes the element at an index and returns it.
  @discardableResult
  public mutating func remove(at index: Int) -> Element { elementsByID.remove(at: index).value }

  /// Removes all elements for which the condition holds.
  public mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
    try elementsByID.removeAll { try isRemoved($0.value) }
  }

  /// Removes all elements.
  public mutating func removeAll() { elementsByID.removeAll() }

  /// Moves the element at an index to another index, counted in the result.
  public mutating func move(from source: Int, to target: Int) {
    let (id, element) = elementsByID.remove(at: source)
    elementsByID.updateValue(element, forKey: id, insertingAt: target)
  }

  /// Sorts the elements.
  public mutating func sort(by areInOrder: (Element, Element) throws -> Bool) rethrows {
    try elementsByID.sort { try areInOrder($0.value, $1.value) }
  }

  /// The index of the element with an id.
  public func index(id: ID) -> Int? { elementsByID.index(forKey: id) }

  /// Stores the changed element at an index under its own ID.
  private mutating func keepIdentity(at index: Int) {
    let (old, new) = (elementsByID.keys[index], elementsByID.values[index][keyPath: idPath])
    guard old != new else { return }
    let element = elementsByID.remove(at: index).value
    if elementsByID[new] == nil {
      elementsByID.updateValue(element, forKey: new, insertingAt: index)
    }
    reportIssue("the id of an element changed from \(old) to \(new); remove and append it instead")
  }
}

/// An identified array of elements that have their own id.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray: RandomAccessCollection {
  /// The index of the first element, 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { elementsByID.count }

  /// The element at an index; a change of its id is reported.
  public subscript(position: Int) -> Element {
    get { elementsByID.values[position] }
    _modify {
      yield &elementsByID.values[position]
      keepIdentity(at: position)
    }
  }
}

extension IdentifiedArray where Element: Identifiable, Element.ID == ID {
  /// Creates an empty array.
  public init() {
    self.init(uniqueElements: [], id: \.id)
  }

  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(uniqueElements elements: some Sequence<Element>) {
    self.init(uniqueElements: elements, id: \.id)
  }
}

extension IdentifiedArray: ExpressibleByArrayLiteral
where Element: Identifiable, Element.ID == ID {
  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(arrayLiteral elements: Element...) {
    self.init(uniqueElements: elements)
  }
}

extension IdentifiedArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order.
  public static func == (array: Self, other: Self) -> Bool {
    array.elementsByID == other.elementsByID
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Hashes the elements in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(elementsByID) }
}

// Safe because the key path is never changed and captures no arguments.
extension IdentifiedArray: @unchecked Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray: Encodable where Element: Encodable {
  /// Encodes the value as an array.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension IdentifiedArray: Decodable
where Element: Decodable & Identifiable, Element.ID == ID {
  /// Decodes an array of elements.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if two elements have the same ID.
  public init(from decoder: any Decoder) throws {
    self.init()
    for element in try [Element](from: decoder) where !append(element).inserted {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "two elements have the id \(element.id); ids must be unique"))
    }
  }
}

extension IdentifiedArray: CustomStringConvertible {
  /// The description of the elements as an array.
  public var description: String { elements.description }
}
