import ClientDependencies

/// Runs a child's reducer on a part of the parent's state.
///
/// Put it above the parent's own logic, so that the child handles an action before the parent may
/// change the child's state.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  private enum Part {
    case property(WritableKeyPath<ParentState, Child.State>, FeatureID)
    case `case`(AnyCasePath<ParentState, Child.State>, FeatureID)
  }

  private let part: Part
  private let action: AnyCasePath<ParentAction, Child.Action>
  private let child: PreparedReducer<Child.State, Child.Action>
  private let site: CallSite

  /// A child whose state is a property.
  public init<ChildState, ChildAction>(
    state: any WritableKeyPath<ParentState, ChildState> & Sendable,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where ChildState == Child.State, ChildAction == Child.Action {
    part = .property(state, .place(AnyHashableSendable(state)))
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
    part = .case(AnyCasePath(state), .place(AnyHashableSendable(state)))
    self.action = AnyCasePath(action)
    self.child = child().prepared()
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs the reducer; its effects are returned.
  public func reduce(
    into state: inout ParentState, action: ParentAction
  ) -> Effect<ParentAction> {
    guard let childAction = self.action.extract(action) else { return .none }
    switch part {
    case .property(let keyPath, let id):
      return child.reduce(into: &state[keyPath: keyPath], action: childAction)
        .ofChild(id, embed: self.action.embed)
    case .case(let path, let id):
      guard var childState = path.extract(state) else {
        site.reportMissingState(of: child.type, for: childAction)
        return .none
      }
      defer { state = path.embed(childState) }
      return child.reduce(into: &childState, action: childAction)
        .ofChild(id, embed: self.action.embed)
    }
  }
}

/// Where a feature was composed, for reports.
struct CallSite: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  func reportMissingState<Action>(of child: Any.Type, for action: Action) {
    report(
      """
      \(child) got the action \(summary(of: action)) without state: the action came after the \
      state was removed, or before it was set. Cancel what sends it, or send it to a feature that \
      is there.
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
  func ofChild<ParentAction>(
    _ id: FeatureID, dismiss: ParentAction? = nil,
    embed: @escaping @Sendable (Action) -> ParentAction
  ) -> Effect<ParentAction> {
    step.isNone ? .none : Effect<ParentAction>(.child(id, step.map(embed), dismiss: dismiss))
  }

  /// Ends the effects of a child feature and of its children.
  static func cancelChild(_ id: FeatureID) -> Effect { Effect(.cancelChild(id)) }
}
