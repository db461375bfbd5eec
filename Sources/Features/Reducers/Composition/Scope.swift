import ClientDependencies

/// Runs a child's reducer on a part of the parent's state.
///
/// Put it above the parent's own logic, so that the child handles an action before the parent may
/// change the child's state.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  /// The place of the state if it is a property, nil if it is a case.
  @usableFromInline let property: WritableKeyPath<ParentState, Child.State>?
  @usableFromInline let `case`: AnyCasePath<ParentState, Child.State>?
  @usableFromInline let id: FeatureID
  @usableFromInline let action: AnyCasePath<ParentAction, Child.Action>
  @usableFromInline let child: PreparedReducer<Child.State, Child.Action>
  @usableFromInline let site: CallSite

  /// A child whose state is a property.
  public init<ChildState, ChildAction>(
    state: any WritableKeyPath<ParentState, ChildState> & Sendable,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where ChildState == Child.State, ChildAction == Child.Action {
    (property, `case`, id) = (state, nil, .place(AnyHashableSendable(state)))
    self.action = AnyCasePath(action)
    self.child = child().prepared()
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// A child whose state is a case; an action for another case is reported.
  public init<ChildState, ChildAction>(
    state: any CaseKeyPath<ParentState, ChildState> & Sendable,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where ChildState == Child.State, ChildAction == Child.Action {
    (property, `case`, id) = (nil, AnyCasePath(state), .place(AnyHashableSendable(state)))
    self.action = AnyCasePath(action)
    self.child = child().prepared()
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs the reducer; its effects are returned.
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
    return effect.step.isNone ? .none : effect.ofChild(id, embed: self.action.embed)
  }
}

/// Where a feature was composed or a store was made, for reports.
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
    report(
      """
      \(child.type) got the action \(summary(of: action)) without state: the action came after the \
      state was removed, or before it was set. Cancel the effect that sends it, or set the state \
      first.
      """)
  }
}

/// The name of an action's case, without its values: a value may be large or private.
func summary<Action>(of action: Action) -> String {
  let mirror = Mirror(reflecting: action)
  guard mirror.displayStyle == .enum else { return "\(Action.self)" }
  return "\(Action.self).\(mirror.children.first?.label ?? "\(action)")"
}

extension Effect {
  /// The same effect as that of a child feature in its parent's.
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
