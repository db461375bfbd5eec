import ClientDependencies
public import CustomDump
public import OrderedCollections

/// The ID of an element of a stack; each pushed element gets the next ID.
public struct StackElementID: Hashable, Sendable, CustomStringConvertible {
  let number: Int

  /// The number of the element, counted from 0, as in `#2`.
  public var description: String { "#\(number)" }
}

extension StackElementID: ExpressibleByIntegerLiteral {
  /// Creates the ID of the element with this position in the order of pushes, counted from 0; for
  /// tests.
  public init(integerLiteral number: Int) { self.number = number }
}

extension StackElementID: CustomDumpStringConvertible {
  /// The description, for the report of a failed test.
  public var customDumpDescription: String { description }
}

/// The states of features that are pushed one on top of another.
public struct StackState<Element> {
  struct Entry: Identifiable {
    let id: StackElementID
    /// The element; nil only while the subscript by ID removes it.
    var optional: Element?

    var element: Element {
      get { optional! }
      _modify { yield &optional! }
    }

    init(id: StackElementID, element: Element) {
      (self.id, optional) = (id, element)
    }
  }

  /// Identifies a stack and its copies.
  ///
  /// Another stack numbers its elements separately, so its IDs are not comparable.
  fileprivate final class Identity: Sendable {}

  var entries: IdentifiedArrayOf<Entry> = []
  fileprivate var nextNumber = 0
  fileprivate let identity = Identity()
  /// The elements whose effects may run; nil until the stack handles its first action.
  fileprivate var presented: OrderedSet<StackElementID>?

  /// Creates an empty stack.
  public init() {}

  /// The IDs, from the bottom to the top.
  public var ids: OrderedSet<StackElementID> { entries.ids }

  /// The element with an ID.
  ///
  /// Setting nil removes only this element. In the closure of a test store, setting an element with
  /// an unknown ID asserts that the element was pushed. Elsewhere, this is reported as an issue.
  public subscript(id id: StackElementID) -> Element? {
    get { entries[id: id]?.element }
    _modify {
      if let index = entries.index(id: id) {
        defer { if entries[index].optional == nil { entries.remove(at: index) } }
        yield &entries.elementsByID.values[index].optional
      } else {
        var element: Element?
        yield &element
        if let element { set(element, id: id) }
      }
    }
  }

  /// The value of an element's case; nil for another case.
  ///
  /// Changing the value of another case is reported as an issue and has no effect.
  public subscript<Value>(id id: StackElementID, case path: CaseKeyPath<Element, Value>) -> Value?
  where Element: CasePathable {
    get { self[id: id]?[case: path] }
    _modify { yield &self[id: id][case: path, of: "the element \(id)"] }
  }

  /// Removes the element with an ID and all elements above it; an unknown ID has no effect.
  public mutating func pop(from id: StackElementID) {
    guard let index = entries.index(id: id) else { return }
    removeSubrange(index...)
  }

  /// Removes all elements above the element with an ID; an unknown ID has no effect.
  public mutating func pop(to id: StackElementID) {
    guard let index = entries.index(id: id) else { return }
    removeSubrange((index + 1)...)
  }

  private mutating func set(_ element: Element, id: StackElementID) {
    guard DependencyValues._current.context == .test else {
      return reportIssue("there is no element with the ID \(id): append the new element instead")
    }
    push(element, id: id)
  }

  mutating func push(_ element: Element, id: StackElementID) {
    entries.append(Entry(id: id, element: element))
    nextNumber = Swift.max(nextNumber, id.number + 1)
  }
}

extension StackState: RandomAccessCollection, RangeReplaceableCollection {
  /// The index of the first element, 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { entries.count }
  /// The element at an index, 0 at the bottom.
  public subscript(position: Int) -> Element { entries[position].element }

  /// Replaces the elements in a range of indices; each new element gets the next ID.
  public mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    let new = elements.enumerated().map { offset, element in
      Entry(id: StackElementID(number: nextNumber + offset), element: element)
    }
    entries.replaceSubrange(range, with: new)
    nextNumber += new.count
  }

  /// Removes all elements for which the condition holds; the others keep their IDs.
  public mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
    try entries.removeAll { try isRemoved($0.element) }
  }

  /// Removes all elements; their IDs are not used again.
  public mutating func removeAll(keepingCapacity keepsCapacity: Bool = false) {
    entries.removeAll(keepingCapacity: keepsCapacity)
  }
}

extension StackState: ExpressibleByArrayLiteral {
  /// Creates a stack of these elements, the last one on top.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension StackState.Entry: Sendable where Element: Sendable {}
extension StackState.Entry: Equatable where Element: Equatable {}
extension StackState.Entry: Hashable where Element: Hashable {}
extension StackState: Sendable where Element: Sendable {}

// `nextNumber` is not compared: it also counts removed elements, which a test cannot assert.
extension StackState: Equatable where Element: Equatable {
  /// Whether both have equal elements with the same IDs, in the same order.
  public static func == (stack: Self, other: Self) -> Bool { stack.entries == other.entries }
}

extension StackState: Hashable where Element: Hashable {
  /// Hashes the elements and their IDs.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension StackState: Encodable where Element: Encodable {
  /// Encodes the elements as an array, without their IDs.
  public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

extension StackState: Decodable where Element: Decodable {
  /// Decodes an array of elements, whose IDs are numbered from 0.
  public init(from decoder: any Decoder) throws { self.init(try [Element](from: decoder)) }
}

extension StackState: CustomStringConvertible, CustomDebugStringConvertible {
  /// The description of the elements as an array.
  public var description: String { Array(self).description }
  /// The type, and the elements by their IDs.
  public var debugDescription: String {
    "\(Self.self)(\(zip(ids, self).map { "\($0): \($1)" }.joined(separator: ", ")))"
  }
}

extension StackState: CustomDumpReflectable {
  /// Only the elements by their IDs, for the report of a failed test.
  public var customDumpMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(zip(ids, self)), displayStyle: .dictionary)
  }
}

/// An action of a stack, or of one of its features.
public enum StackAction<State, Action>: CasePathable {
  /// An action of the element with this ID.
  indirect case element(id: StackElementID, action: Action)
  /// Removes the element with this ID and all elements above it.
  case popFrom(id: StackElementID)
  /// Puts an element on top; its ID must be new.
  case push(id: StackElementID, state: State)

  /// The paths to all cases, and to one element's action.
  public struct AllCasePaths: Sendable {
    /// The path to any element's action.
    public var element: AnyCasePath<StackAction, (id: StackElementID, action: Action)> {
      AnyCasePath(
        embed: { .element(id: $0.id, action: $0.action) },
        extract: { if case .element(let id, let action) = $0 { (id, action) } else { nil } })
    }

    /// The path to the removal of an element.
    public var popFrom: AnyCasePath<StackAction, StackElementID> {
      AnyCasePath(
        embed: { .popFrom(id: $0) },
        extract: { if case .popFrom(let id) = $0 { id } else { nil } })
    }

    /// The path to the push of an element.
    public var push: AnyCasePath<StackAction, (id: StackElementID, state: State)> {
      AnyCasePath(
        embed: { .push(id: $0.id, state: $0.state) },
        extract: { if case .push(let id, let state) = $0 { (id, state) } else { nil } })
    }

    /// The path to the action of the element with an ID.
    public subscript(id id: StackElementID) -> AnyCasePath<StackAction, Action> {
      AnyCasePath(
        embed: { .element(id: id, action: $0) },
        extract: { if case .element(id, let action) = $0 { action } else { nil } },
        name: "[id: \(id)]")
    }
  }

  /// The paths to all cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// The actions of a stack whose elements have this feature.
public typealias StackActionOf<R: ReducerTypes> = StackAction<R.State, R.Action>

extension StackAction: Sendable where State: Sendable, Action: Sendable {}
extension StackAction: Equatable where State: Equatable, Action: Equatable {}
extension StackAction: Hashable where State: Hashable, Action: Hashable {}

extension Case {
  /// Appends the action of the element with this ID to the key path: `\.path[id: id]`.
  public subscript<State, Action>(id id: StackElementID) -> Case<Action>
  where Value == StackAction<State, Action> {
    appending(Value.allCasePaths[id: id])
  }
}

extension Reducer {
  /// Runs an element's reducer on each element of a stack, and pushes and pops elements.
  ///
  /// The element handles an action before this reducer does. A popped element is removed only after
  /// this reducer has run. `dismiss()` in an element pops it and all elements above it. When an
  /// element is removed, its effects end. When another stack replaces this one, the effects of all
  /// elements end. An action for a removed element, and a push with an ID that is in use or that
  /// skips an ID, are reported as issues.
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ stack: WritableKeyPath<State, StackState<ElementState>>,
    action: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> destination: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (destination, path) = (destination().prepared(), AnyCasePath(action))
    let presentedDestination = destination.presented()
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let place = AnyHashableSendable(place: stack)
    func child(_ id: StackElementID) -> FeatureID { .element(place: place, .init(id)) }
    // Returns an effect in the group of the stack, so that the stack's effects can be ended
    // together.
    func ofStack(_ effect: Effect<Action>) -> Effect<Action> {
      effect.step.isNone ? .none : Effect(.child(.place(place), effect.step, dismiss: nil))
    }
    func cancel(
      _ ids: OrderedSet<StackElementID>, except present: OrderedSet<StackElementID>
    ) -> Effect<Action> {
      // If the IDs have not changed, both sets share their storage: comparing them is fast.
      guard ids != present else { return .none }
      return ofStack(
        .merge(ids.filter { !present.contains($0) }.map { .cancelChild(child($0)) }))
    }
    let base = prepared()
    return Reduce<State, Action> { state, action in
      // If another reducer has removed elements or replaced the stack since the last action, the
      // effects of the removed elements end now.
      let (presented, present, identity) = (
        state[keyPath: stack].presented, state[keyPath: stack].entries.ids,
        state[keyPath: stack].identity
      )
      var effect =
        presented.map { cancel($0, except: present) } ?? .cancelChild(.place(place))
      let stackAction = path.extract(action)
      switch stackAction {
      case .element(let id, let elementAction)?:
        let elementEffect = state[keyPath: stack].entries.modify(id: id) {
          presentedDestination.reduce(into: &$0.element, action: elementAction)
        }
        if let elementEffect {
          effect = effect.merge(
            with: ofStack(
              elementEffect.ofChild(child(id), dismiss: path.embed(.popFrom(id: id))) {
                path.embed(.element(id: id, action: $0))
              }))
        } else {
          site.reportMissingState(of: destination, for: elementAction)
        }
      case .push(let id, let element)?:
        if state[keyPath: stack][id: id] != nil {
          site.report("an element was pushed with the id \(id), which is in use")
        } else {
          let next = state[keyPath: stack].nextNumber
          if id.number > next {
            site.report("an element was pushed with the id \(id), but the next id is #\(next)")
          }
          state[keyPath: stack].push(element, id: id)
        }
      case .popFrom, nil: break
      }
      let before = state[keyPath: stack].entries.ids
      effect = effect.merge(with: base.reduce(into: &state, action: action))
      if case .popFrom(let id)? = stackAction {
        if !before.contains(id) { site.report("popFrom(\(id)): there is no such element") }
        state[keyPath: stack].pop(from: id)
      }
      let after = state[keyPath: stack].entries.ids
      if state[keyPath: stack].presented != after { state[keyPath: stack].presented = after }
      return effect.merge(
        with: state[keyPath: stack].identity === identity
          ? cancel(before, except: after) : .cancelChild(.place(place)))
    }
  }

  /// Runs the reducers of several destinations on the elements of a stack.
  public func forEach<Element: DestinationState>(
    _ stack: WritableKeyPath<State, StackState<Element>>,
    action: CaseKeyPath<Action, StackAction<Element, Element.DestinationAction>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    forEach(
      stack, action: action, destination: { Element.destinations }, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }
}
