import ClientDependencies
import OrderedCollections

/// An action of an element of an identified collection.
public enum IdentifiedAction<ID: Hashable & Sendable, Action>: CasePathable {
  /// The action of the element with this ID.
  case element(id: ID, action: Action)

  /// The paths to the case, and to one element's action.
  public struct AllCasePaths: Sendable {
    /// The path to any element's action.
    public var element: AnyCasePath<IdentifiedAction, (id: ID, action: Action)> {
      AnyCasePath(
        embed: { .element(id: $0.id, action: $0.action) },
        extract: { if case .element(let id, let action) = $0 { (id, action) } else { nil } })
    }

    /// The path to the action of the element with an ID.
    public subscript(id id: ID) -> AnyCasePath<IdentifiedAction, Action> {
      AnyCasePath(
        embed: { .element(id: id, action: $0) },
        extract: {
          if case .element(id, let action) = $0 { action } else { nil }
        }, name: "[id: \(id)]")
    }
  }

  /// The paths to all cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// The actions of a collection whose elements have this feature.
public typealias IdentifiedActionOf<R: ReducerTypes> = IdentifiedAction<R.State.ID, R.Action>
where R.State: Identifiable, R.State.ID: Sendable

extension IdentifiedAction: Sendable where Action: Sendable {}
extension IdentifiedAction: Equatable where Action: Equatable {}
extension IdentifiedAction: Hashable where Action: Hashable {}

extension Case {
  /// Appends the action of the element with this ID to the key path: `\.rows[id: row.id]`.
  public subscript<ID: Hashable & Sendable, Action>(id id: ID) -> Case<Action>
  where Value == IdentifiedAction<ID, Action> {
    appending(Value.allCasePaths[id: id])
  }
}

extension Reducer {
  /// Runs an element's reducer on each element of an identified array.
  ///
  /// The element handles an action before this reducer does. When an element is removed, its
  /// effects end. An action for a removed element is reported as an issue.
  public func forEach<
    ID: Hashable & Sendable, ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>
  >(
    _ elements: WritableKeyPath<State, IdentifiedArray<ID, ChildState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> element child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (child, path) = (child().prepared(), AnyCasePath(action))
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let place = AnyHashableSendable(place: elements)
    let base = prepared()
    return Reduce<State, Action> { state, action in
      var effect = Effect<Action>.none
      if case .element(let id, let childAction)? = path.extract(action) {
        let childEffect = state[keyPath: elements].modify(id: id) {
          child.reduce(into: &$0, action: childAction)
        }
        if let childEffect {
          effect = childEffect.ofChild(.element(place: place, .init(id))) {
            path.embed(.element(id: id, action: $0))
          }
        } else {
          site.reportMissingState(of: child, for: childAction)
        }
      }
      let before = state[keyPath: elements].ids
      effect = effect.merge(with: base.reduce(into: &state, action: action))
      let after = state[keyPath: elements].ids
      // If no element was added or removed, both ID sets share their storage: comparing them is
      // fast.
      guard before != after else { return effect }
      return .merge(
        [effect]
          + before.filter { !after.contains($0) }.map {
            .cancelChild(.element(place: place, .init($0)))
          })
    }
  }
}
