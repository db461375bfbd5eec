/// An action with a case `binding(BindingAction<State>)` that sets properties of the state.
public protocol BindableAction {
  /// The state whose properties are set.
  associatedtype State

  /// The case that holds a property and its new value.
  static func binding(_ action: BindingAction<State>) -> Self
}

extension BindableAction {
  /// The value of the case `binding`; nil for other cases.
  var binding: BindingAction<State>? {
    // A case named `binding` satisfies the requirement above, so its value is found by reflection.
    guard let value = Mirror(reflecting: self).children.first, value.label == "binding" else {
      return nil
    }
    return value.value as? BindingAction<State>
  }

  /// The action that sets a property.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable, _ value: Value
  ) -> Self {
    .binding(.set(keyPath, value))
  }
}

/// An assignment of a new value to a property of the state.
public struct BindingAction<State>: Equatable, Sendable {
  /// The property.
  public let keyPath: any PartialKeyPath<State> & Sendable
  private let value: any Equatable & Sendable
  private let apply: @Sendable (inout State) -> Void

  /// An action that sets a property.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable, _ value: Value
  ) -> Self {
    BindingAction(keyPath: keyPath, value: value) { $0[keyPath: keyPath] = value }
  }

  func set(in state: inout State) { apply(&state) }

  /// Whether both set the same property to equal values.
  public static func == (action: Self, other: Self) -> Bool {
    action.keyPath == other.keyPath && action.value.isEqual(to: other.value)
  }
}

extension Equatable {
  fileprivate func isEqual(to other: any Equatable) -> Bool { other as? Self == self }
}

/// Sets the properties that binding actions name.
///
/// Put it before the logic that reacts to the new values.
public struct BindingReducer<State, Action: BindableAction>: Reducer where Action.State == State {
  /// Creates a reducer for the actions of the case `binding`.
  public init() {}

  /// Runs the reducer and returns its effects.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    action.binding?.set(in: &state)
    return .none
  }
}
