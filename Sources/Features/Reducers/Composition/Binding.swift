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
    // Any case named `binding` satisfies the protocol, so only reflection can find its value.
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
public struct BindingAction<Root>: Equatable, Sendable {
  /// The key path of the property to set.
  public let keyPath: any PartialKeyPath<Root> & Sendable
  private let value: any Equatable & Sendable
  private let apply: @Sendable (inout Root) -> Void

  /// An action that sets a property.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Root, Value> & Sendable, _ value: Value
  ) -> Self {
    BindingAction(keyPath: keyPath, value: value) { $0[keyPath: keyPath] = value }
  }

  func set(in state: inout Root) { apply(&state) }

  /// Whether both set the same property to equal values.
  public static func == (action: Self, other: Self) -> Bool {
    action.sets(other.keyPath) && action.value.isEqual(to: other.value)
  }

  /// Whether an action sets a property: `case .binding(\.name)`.
  public static func ~= <Value>(keyPath: WritableKeyPath<Root, Value>, action: Self) -> Bool {
    action.sets(keyPath)
  }

  private func sets(_ other: PartialKeyPath<Root>) -> Bool {
    (keyPath as PartialKeyPath<Root>) == other
  }
}

extension BindingAction: CasePathable {
  /// The paths to the properties that an action may set.
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// The path to the new value of a property: `\.binding.name`.
    public subscript<Value: Equatable & Sendable>(
      dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable
    ) -> AnyCasePath<BindingAction, Value> {
      AnyCasePath(
        embed: { .set(keyPath, $0) }, extract: { $0.sets(keyPath) ? $0.value as? Value : nil },
        name: name(of: keyPath))
    }
  }

  /// The paths to the properties that an action may set.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension BindingAction: CustomReflectable {
  /// The property and its new value, for test failures.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["set": (keyPath as PartialKeyPath<Root>, value as Any)],
      displayStyle: .enum)
  }
}

extension Equatable {
  fileprivate func isEqual(to other: any Equatable) -> Bool { other as? Self == self }
}

/// Sets the properties that binding actions name.
///
/// Put it before the logic that reacts to the new values.
public struct BindingReducer<State, Action, ViewAction: BindableAction>: Reducer
where ViewAction.State == State {
  private let viewAction: (Action) -> ViewAction?

  /// Creates a reducer for the actions of the case `binding`.
  public init() where Action == ViewAction {
    viewAction = { $0 }
  }

  /// Creates a reducer for the actions of the case `binding` within another case:
  /// `BindingReducer(action: \.view)`.
  public init(action: CaseKeyPath<Action, ViewAction>) {
    viewAction = AnyCasePath(action).extract
  }

  /// Runs the reducer and returns its effects.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    viewAction(action)?.binding?.set(in: &state)
    return .none
  }
}
