public import ClientDependencies

/// An action of a presented feature, or its dismissal.
public enum PresentationAction<Action>: CasePathable {
  /// The feature is dismissed: its state becomes nil, and its effects end.
  case dismiss
  /// An action of the presented feature.
  indirect case presented(Action)

  /// The paths to all cases, and to the cases of the presented action.
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// The path to the dismissal.
    public var dismiss: AnyCasePath<PresentationAction, Void> {
      AnyCasePath(
        embed: { .dismiss }, extract: { if case .dismiss = $0 { () } else { nil } })
    }

    /// The path to the presented feature's action.
    public var presented: AnyCasePath<PresentationAction, Action> {
      AnyCasePath(
        embed: { .presented($0) },
        extract: { if case .presented(let action) = $0 { action } else { nil } })
    }

    /// The path to a case of the presented feature's action.
    public subscript<Value>(
      dynamicMember keyPath: KeyPath<Action.AllCasePaths, AnyCasePath<Action, Value>>
    ) -> AnyCasePath<PresentationAction, Value> where Action: CasePathable {
      PresentationAction.path(to: Action.allCasePaths[keyPath: keyPath])
    }
  }

  // A separate function, because the closures must not capture the conformance of `Action`.
  private static func path<Value>(
    to path: AnyCasePath<Action, Value>
  ) -> AnyCasePath<PresentationAction, Value> {
    AnyCasePath(
      embed: { .presented(path.embed($0)) },
      extract: { if case .presented(let action) = $0 { path.extract(action) } else { nil } },
      name: path.name)
  }

  /// The paths to all cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}

/// The storage of a presented feature's state, which the macro `@Presents` adds to a property.
@propertyWrapper
public struct PresentationState<State> {
  /// The feature's state; nil while it is not presented.
  public var wrappedValue: State? {
    get { storage.first }
    set {
      storage = newValue.map { [$0] } ?? []
      assignments &+= 1
    }
    _modify {
      var value = storage.popLast()
      defer { storage = value.map { [$0] } ?? [] }
      yield &value
    }
  }

  /// The wrapper itself, for `ifLet(\.$destination, action: \.destination)`.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  // This is an array instead of an optional, so that a feature can present itself recursively.
  private var storage: [State]
  /// The number of assignments, which distinguishes a new alert from an equal earlier alert.
  fileprivate var assignments = 0
  /// The identity of the feature whose effects may run; nil if none was presented.
  // Safe because identities are never changed.
  fileprivate nonisolated(unsafe) var presented: AnyHashable?

  /// Wraps the state of a presented feature, or nil if no feature is presented.
  public init(wrappedValue: State?) {
    storage = wrappedValue.map { [$0] } ?? []
  }
}

extension PresentationState where State: CasePathable {
  /// The value of one case of the presented state, as in `$destination[case: \.edit]`; nil if the
  /// state is in another case.
  ///
  /// Changing the value of another case is reported as an issue and has no effect.
  public subscript<Value>(case path: CaseKeyPath<State, Value>) -> Value? {
    get { wrappedValue?[case: path] }
    _modify { yield &wrappedValue[case: path, of: "the presented state"] }
  }
}

extension PresentationState: Sendable where State: Sendable {}

extension PresentationState: Equatable where State: Equatable {
  /// Whether both present equal states, or neither presents a feature.
  public static func == (state: Self, other: Self) -> Bool {
    // Compare the values even if they share storage: a test store compares a state with itself to
    // find the shared values that have changed in it.
    if SharedChanges.asserted?.changes.isEmpty == false {
      return state.wrappedValue == other.wrappedValue
    }
    // Arrays that share their storage are equal without a comparison of their elements.
    return state.storage == other.storage
  }
}

extension PresentationState: Hashable where State: Hashable {
  /// Hashes the presented state.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension PresentationState: CustomReflectable {
  /// The presented state, for test failures.
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue as Any) }
}

extension PresentationState: Encodable where State: Encodable {
  /// Encodes the presented state, or nil.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension PresentationState: Decodable where State: Decodable {
  /// Decodes a feature's state, or nil.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try State?(from: decoder))
  }
}

extension CallSite {
  fileprivate func reportMissing<State, Action>(
    _ child: PreparedReducer<State, Action>, for action: PresentationAction<Action>
  ) {
    switch action {
    case .presented(let action): reportMissingState(of: child, for: action)
    case .dismiss:
      report(
        "dismiss was sent while nothing was presented; send it only while the feature has state")
    }
  }
}

/// Whether an action closes the presented state, which is an alert, a dialog, or a destination that
/// contains one.
private func isClosed(_ state: Any, by action: Any) -> Bool {
  func accepts<Data: EphemeralState>(_ data: Data) -> Bool {
    action is Data.Action || Mirror(reflecting: action).children.first?.value is Data.Action
  }
  if let data = state as? any EphemeralState { return accepts(data) }
  guard state is any CasePathable else { return false }
  let data = Mirror(reflecting: state).children.first?.value as? any EphemeralState
  return data.map { accepts($0) } ?? false
}

extension Reducer {
  /// The reducer of a presented feature, whose dependency `\.isPresented` is true.
  func presented() -> PreparedReducer<State, Action> {
    DependencyReducer(self) { $0.isPresented = true }.prepared()
  }

  /// Runs the reducer of a presented feature.
  ///
  /// The feature handles an action before this reducer does. `.dismiss`, and any action of an alert
  /// or a dialog, sets the state to nil after this reducer. When the state becomes nil or another
  /// feature's state replaces it, the feature's effects end, at the latest with the next action
  /// that this reducer handles. A state with another `id` or in another case belongs to another
  /// feature. An action that arrives while the state is nil is reported as an issue.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (child, path) = (child().prepared(), AnyCasePath(action))
    let presentedChild = child.presented()
    let id = FeatureID.place(.init(place: state))
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let base = prepared()
    // State of any other type cannot be or contain an alert, so the actions need no check.
    let mayClose =
      ChildState.self is any EphemeralState.Type || ChildState.self is any CasePathable.Type
    return Reduce<State, Action> { parentState, action in
      let presented = parentState[keyPath: state].presented
      let before = identity(of: parentState[keyPath: state].wrappedValue)
      // If another reducer has removed or replaced the feature since the last action, the feature's
      // effects end now.
      var effect =
        presented == nil || presented == before ? Effect<Action>.none : .cancelChild(id)
      let presentation = path.extract(action)
      if before == nil, let presentation { site.reportMissing(child, for: presentation) }
      var closes = false
      if before != nil, case .presented(let childAction)? = presentation {
        closes =
          mayClose
          && parentState[keyPath: state].wrappedValue.map { isClosed($0, by: childAction) } == true
        effect = effect.merge(
          with: presentedChild.reduceOptional(
            into: &parentState[keyPath: state].wrappedValue, action: childAction
          ).ofChild(id, dismiss: path.embed(.dismiss)) { path.embed(.presented($0)) })
      }
      let assignments = parentState[keyPath: state].assignments
      effect = effect.merge(with: base.reduce(into: &parentState, action: action))
      // Close the feature only now, because this reducer must see the state before it is removed.
      // If this reducer has presented another feature, that feature stays.
      if case .dismiss? = presentation {
        closes = before != nil && identity(of: parentState[keyPath: state].wrappedValue) == before
      } else if assignments != parentState[keyPath: state].assignments {
        closes = false
      }
      if closes { parentState[keyPath: state].wrappedValue = nil }
      let after = identity(of: parentState[keyPath: state].wrappedValue)
      if presented != after { parentState[keyPath: state].presented = after }
      return before == nil || before == after
        ? effect : effect.merge(with: .cancelChild(id))
    }
  }

  /// Runs the reducers of several destinations; one of them is presented at a time.
  public func ifLet<Presented: DestinationState>(
    _ state: WritableKeyPath<State, PresentationState<Presented>>,
    action: CaseKeyPath<Action, PresentationAction<Presented.DestinationAction>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    ifLet(
      state, action: action, destination: { Presented.destinations }, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  /// Presents data without a reducer, such as an alert.
  public func ifLet<ChildState, ChildAction>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    ifLet(
      state, action: action,
      destination: { EmptyReducer<ChildState, ChildAction>() },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Dismisses a presented feature from one of the feature's own effects; it is the dependency
/// `\.dismiss`.
///
/// ```swift
/// return .run { _ in await dismiss() }
/// ```
public struct DismissEffect: Sendable {
  private let action: @MainActor @Sendable () async -> Void

  /// Creates an effect for tests.
  public init(_ action: @escaping @MainActor @Sendable () async -> Void) {
    self.action = action
  }

  /// Dismisses the feature.
  ///
  /// This cancels all effects of the feature, including the calling effect.
  ///
  /// The call is ignored once the calling effect is canceled or has ended. A call outside the
  /// effects of a presented feature is reported as an issue.
  @MainActor
  public func callAsFunction(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await Self.$caller.withValue(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { await action() }
  }

  @TaskLocal private static var caller: CallSite?

  fileprivate static let live = DismissEffect {
    guard let dismiss = EffectScope.current?.dismiss else {
      caller?.report(
        """
        dismiss() was called outside the effects of a presented feature. If the feature can also \
        be the root, call it only while the dependency '\\.isPresented' is true.
        """)
      return
    }
    dismiss()
  }
}

private enum DismissKey: DependencyKey {
  static let liveValue = DismissEffect.live
  static let testValue = DismissEffect.live
}

private enum PresentedKey: DependencyKey {
  static let liveValue = false
  static let testValue = false
}

extension DependencyValues {
  /// Whether the current feature is presented or is an element of a stack.
  public internal(set) var isPresented: Bool {
    get { self[PresentedKey.self] }
    set { self[PresentedKey.self] = newValue }
  }

  /// Dismisses the current feature, if it is presented.
  public var dismiss: DismissEffect {
    get { self[DismissKey.self] }
    set { self[DismissKey.self] = newValue }
  }
}
