import ClientDependencies
@_exported public import OrderedCollections

/// An ordered collection of elements with unique IDs and constant-time lookup by ID.
///
/// Every element is stored under its own ID, and an element whose ID is in use is not added.
/// Changing an element's ID is reported as an issue; the element keeps its index under the new ID,
/// unless another element has that ID.
public struct IdentifiedArray<ID: Hashable, Element> {
  /// The path to an element's ID.
  public let id: KeyPath<Element, ID>
  var elementsByID: OrderedDictionary<ID, Element> = [:]

  /// Creates an empty array.
  public init(id: KeyPath<Element, ID>) {
    self.id = id
  }

  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(uniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.id = id
    append(contentsOf: elements)
  }

  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(uncheckedUniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.init(uniqueElements: elements, id: id)
  }

  /// Creates an array of elements, and combines elements with the same ID.
  ///
  /// - Parameters:
  ///   - elements: the elements in order.
  ///   - id: the path to an element's ID.
  ///   - combine: returns the element to keep, from the present and the new element.
  public init(
    _ elements: some Sequence<Element>, id: KeyPath<Element, ID>,
    uniquingIDsWith combine: (_ present: Element, _ new: Element) throws -> Element
  ) rethrows {
    self.id = id
    elementsByID = try OrderedDictionary(
      elements.map { ($0[keyPath: id], $0) }, uniquingKeysWith: combine)
  }

  /// Creates a copy of an array.
  public init(_ elements: Self) { self = elements }

  /// Creates an array of the elements of a slice.
  public init(_ elements: SubSequence) {
    self.init(uniqueElements: elements, id: elements.base.id)
  }

  /// The IDs, in order.
  ///
  /// Copies of the array share them, and changing an element does not copy them.
  public var ids: OrderedSet<ID> { elementsByID.keys }

  /// The elements, in order.
  public var elements: [Element] { elementsByID.values.elements }

  /// The element with an ID.
  ///
  /// Setting nil removes the element; setting an element with a new ID appends it.
  public subscript(id id: ID) -> Element? {
    get { elementsByID[id] }
    _modify {
      yield &elementsByID[id]
      if let index = elementsByID.index(forKey: id) { keepIdentity(at: index) }
    }
    set {
      guard let newValue else {
        elementsByID[id] = nil
        return
      }
      let newID = newValue[keyPath: self.id]
      guard newID == id else {
        return reportIssue(
          "an element with the id \(newID) cannot replace the one with the id \(id)")
      }
      elementsByID[id] = newValue
    }
  }

  /// The element with an ID, or a default if there is none.
  ///
  /// Changing the default appends it to the array. A changed default must have the given ID;
  /// otherwise, the change is reported as an issue and has no effect.
  public subscript(id id: ID, default value: @autoclosure () -> Element) -> Element {
    get { self[id: id] ?? value() }
    _modify {
      if let index = index(id: id) {
        yield &elementsByID.values[index]
        keepIdentity(at: index)
      } else {
        var element = value()
        yield &element
        self[id: id] = element
      }
    }
  }

  /// Changes the element with an ID in place; returns nil if there is none.
  @discardableResult
  public mutating func modify<Value>(id: ID, _ change: (inout Element) -> Value) -> Value? {
    guard let index = elementsByID.index(forKey: id) else { return nil }
    let value = change(&elementsByID.values[index])
    keepIdentity(at: index)
    return value
  }

  /// The index of the element with an ID.
  public func index(id: ID) -> Int? { elementsByID.index(forKey: id) }

  /// Whether the array contains an element with the same ID as `element`.
  public func contains(_ element: Element) -> Bool { index(id: element[keyPath: id]) != nil }

  /// Stores the changed element at an index under its own ID.
  mutating func keepIdentity(at index: Int) {
    let (old, new) = (elementsByID.keys[index], elementsByID.values[index][keyPath: id])
    guard old != new else { return }
    let element = elementsByID.remove(at: index).value
    if elementsByID[new] == nil {
      elementsByID.updateValue(element, forKey: new, insertingAt: index)
    }
    reportIssue("the id of an element changed from \(old) to \(new); remove and append it instead")
  }
}

/// An identified array of `Identifiable` elements.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray where Element: Identifiable, Element.ID == ID {
  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(uniqueElements elements: some Sequence<Element>) {
    self.init(uniqueElements: elements, id: \.id)
  }

  /// Creates an array of elements; of several elements with the same ID, the first is kept.
  public init(uncheckedUniqueElements elements: some Sequence<Element>) {
    self.init(uniqueElements: elements, id: \.id)
  }

  /// Creates an array of elements, and combines elements with the same ID.
  ///
  /// - Parameters:
  ///   - elements: the elements in order.
  ///   - combine: returns the element to keep, from the present and the new element.
  public init(
    _ elements: some Sequence<Element>,
    uniquingIDsWith combine: (_ present: Element, _ new: Element) throws -> Element
  ) rethrows {
    try self.init(elements, id: \.id, uniquingIDsWith: combine)
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

extension IdentifiedArray: CustomStringConvertible, CustomDebugStringConvertible {
  /// The description of the elements as an array.
  public var description: String { elements.description }
  /// The type of the elements, and their description as an array.
  public var debugDescription: String {
    "IdentifiedArray<\(Element.self)>(\(elements.debugDescription))"
  }
}

extension IdentifiedArray: CustomReflectable {
  /// Only the elements, as in an array's mirror, for the report of a failed test.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }
}

/// A value with an ID, for types that are not identifiable themselves.
@dynamicMemberLookup
public struct Identified<ID: Hashable, Value>: Identifiable {
  /// The ID, which does not change with the value.
  public let id: ID
  /// The value.
  public var value: Value

  /// Gives a value an ID.
  public init(_ value: Value, id: ID) {
    (self.value, self.id) = (value, id)
  }

  /// Gives a value an ID that is computed from it: `Identified(uuid, id: \.self)`.
  public init(_ value: Value, id: (Value) -> ID) {
    self.init(value, id: id(value))
  }

  /// Gives a value the ID that is stored at a key path of the value.
  public init(_ value: Value, id: KeyPath<Value, ID>) {
    self.init(value, id: value[keyPath: id])
  }

  /// A part of the value.
  public subscript<Part>(dynamicMember keyPath: WritableKeyPath<Value, Part>) -> Part {
    get { value[keyPath: keyPath] }
    set { value[keyPath: keyPath] = newValue }
  }
}

extension Identified: Sendable where ID: Sendable, Value: Sendable {}
extension Identified: Equatable where Value: Equatable {}
extension Identified: Hashable where Value: Hashable {}
extension Identified: Encodable where ID: Encodable, Value: Encodable {}
extension Identified: Decodable where ID: Decodable, Value: Decodable {}
