import ClientDependencies
import CustomDump

/// Runs a child's reducer on a part of the parent's state.
///
/// Put it before the parent's own logic, so that the child handles an action before the parent can
/// change the child's state.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  /// The key path of the child's state if the state is a property; nil if it is a case.
  @usableFromInline let property: WritableKeyPath<ParentState, Child.State>?
  @usableFromInline let `case`: AnyCasePath<ParentState, Child.State>?
  @usableFromInline let action: AnyCasePath<ParentAction, Child.Action>
  @usableFromInline let child: PreparedReducer<Child.State, Child.Action>
  @usableFromInline let site: CallSite

  /// Creates a child whose state is a property.
  public init<ChildState, ChildAction>(
    state: WritableKeyPath<ParentState, ChildState>,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where ChildState == Child.State, ChildAction == Child.Action {
    (property, `case`) = (state, nil)
    self.action = AnyCasePath(action)
    self.child = child().prepared()
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Creates a child whose state is a case; an action that arrives in another case is reported as
  /// an issue.
  public init<ChildState, ChildAction>(
    state: CaseKeyPath<ParentState, ChildState>,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where ParentState: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
    (property, `case`) = (nil, AnyCasePath(state))
    self.action = AnyCasePath(action)
    self.child = child().prepared()
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs the reducer and returns its effects.
  @inlinable
  public func reduce(
    into state: inout ParentState, action: ParentAction
  ) -> Effect<ParentAction> {
    guard let childAction = self.action.extract(action) else { return .none }
    let effect: Effect<Child.Action>
    if let property {
      effect = child.reduce(into: &state[keyPath: property], action: childAction)
    } else if let `case`, var childState = `case`.extract(state) {
      effect = child.reduce(into: &childState, action: childAction)
      state = `case`.embed(childState)
    } else {
      site.reportMissingState(of: child, for: childAction)
      return .none
    }
    return effect.step.isNone ? .none : effect.map(self.action.embed)
  }
}

/// The location at which a feature was composed or a store was created, for reports.
@usableFromInline
struct CallSite: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  @usableFromInline
  func reportMissingState<State, Action>(
    of child: PreparedReducer<State, Action>, for action: Action
  ) {
    // The generated reducers of destinations have generic types, whose names would be unreadable.
    let name = "\(child.type)"
    report(
      """
      \(name.contains("<") ? "a destination" : name) got the action \(summary(of: action)) without \
      state: the action came after the state was removed, or before it was set. Cancel the effect \
      that sends it, or set the state first.

      Action:
      \(detail(of: action, indent: 2))
      """)
  }
}

/// Describes a value with all its properties, for the report of a failed test.
func detail<Value>(of value: Value, indent: Int = 0) -> String {
  var text = ""
  customDump(value, to: &text, indent: indent)
  return text
}

/// The name of an action's case, without its values.
func summary<Action>(of action: Action) -> String {
  let mirror = Mirror(reflecting: action)
  guard mirror.displayStyle == .enum else { return "\(Action.self)" }
  return "\(Action.self).\(mirror.children.first?.label ?? "\(action)")"
}

extension Effect {
  /// Returns a child feature's effect as an effect of its parent.
  @inlinable
  func ofChild<ParentAction>(
    _ id: FeatureID, dismiss: ParentAction? = nil,
    embed: @escaping @Sendable (Action) -> ParentAction
  ) -> Effect<ParentAction> {
    step.isNone ? .none : Effect<ParentAction>(.child(id, step.map(embed), dismiss: dismiss))
  }

  /// Ends the effects of a child feature and of its children.
  static func cancelChild(_ id: FeatureID) -> Effect { Effect(.cancelChild(id)) }
}

extension Reducer {
  /// Runs a child's reducer while its optional state is set.
  ///
  /// The child handles an action before this reducer does. The child's effects end when this
  /// reducer sets the state to nil, to another case of an enumeration, or to a state with another
  /// `id`. Any action of an alert or a dialog removes the alert or the dialog. An action that
  /// arrives while the state is nil is reported as an issue.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (child, path) = (child().prepared(), AnyCasePath(action))
    let id = FeatureID.place(.init(place: state))
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let base = prepared()
    return Reduce<State, Action> { parentState, action in
      var effect = Effect<Action>.none
      if let childAction = path.extract(action) {
        if parentState[keyPath: state] == nil {
          site.reportMissingState(of: child, for: childAction)
        } else {
          effect = child.reduceOptional(into: &parentState[keyPath: state], action: childAction)
            .ofChild(id, embed: path.embed)
          if ChildState.self is any EphemeralState.Type { parentState[keyPath: state] = nil }
        }
      }
      let before = identity(of: parentState[keyPath: state])
      effect = effect.merge(with: base.reduce(into: &parentState, action: action))
      let after = identity(of: parentState[keyPath: state])
      return before == nil || before == after
        ? effect : effect.merge(with: .cancelChild(id))
    }
  }

  /// Removes an optional alert or dialog when it sends an action, before this reducer runs.
  public func ifLet<ChildState: EphemeralState, ChildAction>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, ChildAction>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> {
    ifLet(
      state, action: action, then: { EmptyReducer<ChildState, ChildAction>() }, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  /// Runs a child's reducer while the state is a certain case.
  ///
  /// The child handles an action before this reducer does. When the state becomes another case, the
  /// child's effects end. An action that arrives in another case is reported as an issue.
  public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: CaseKeyPath<State, ChildState>,
    action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (child, place, path) = (child().prepared(), AnyCasePath(state), AnyCasePath(action))
    let id = FeatureID.place(.init(place: state))
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let base = prepared()
    return Reduce<State, Action> { parentState, action in
      var effect = Effect<Action>.none
      if let childAction = path.extract(action) {
        if var childState = place.extract(parentState) {
          effect = child.reduce(into: &childState, action: childAction)
            .ofChild(id, embed: path.embed)
          parentState = place.embed(childState)
        } else {
          site.reportMissingState(of: child, for: childAction)
        }
      }
      let before = identity(of: place.extract(parentState))
      effect = effect.merge(with: base.reduce(into: &parentState, action: action))
      let after = identity(of: place.extract(parentState))
      return before == nil || before == after
        ? effect : effect.merge(with: .cancelChild(id))
    }
  }
}

extension Reducer {
  /// Reduces the state if it is not nil.
  func reduceOptional(into state: inout State?, action: Action) -> Effect<Action> {
    guard state != nil else { return .none }
    // Reduces in place, so that no collection in the state is copied.
    return reduce(into: &state!, action: action)
  }
}

/// Returns an identity that distinguishes a child from a later child; nil if there is no state.
func identity<State>(of state: State?) -> AnyHashable? {
  guard let state else { return nil }
  if let identified = state as? any Identifiable { return identified.hashableID }
  // All values of any other type have the same identity, because reflecting them would cost more
  // than processing the action itself.
  guard state is any CasePathable else { return AnyHashable(true) }
  // Enumerations differ if their cases or the identities of their values differ.
  let mirror = Mirror(reflecting: state)
  guard mirror.displayStyle == .enum else { return AnyHashable(true) }
  guard let value = mirror.children.first else { return AnyHashable("\(state)") }
  return [value.label.map { AnyHashable($0) }, identity(of: value.value)]
}

extension Identifiable {
  fileprivate var hashableID: AnyHashable { AnyHashable(id) }
}
