import ClientDependencies

extension Reducer {
  /// Runs a child's reducer while its optional state is set.
  ///
  /// The child handles an action before this reducer does. When this reducer sets the state to nil,
  /// to another case of an enumeration, or to one with another `id`, the child's effects end. An
  /// action without state is reported.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: any WritableKeyPath<State, ChildState?> & Sendable,
    action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (child, path) = (child().prepared(), AnyCasePath(action))
    let id = FeatureID.place(.init(state))
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
        }
      }
      let before = identity(of: parentState[keyPath: state])
      effect = effect.merge(with: base.reduce(into: &parentState, action: action))
      let after = identity(of: parentState[keyPath: state])
      return before == nil || before == after
        ? effect : effect.merge(with: .cancelChild(id))
    }
  }

  /// Runs a child's reducer while the state is a certain case.
  ///
  /// The child handles an action before this reducer does. When the state becomes another case, the
  /// child's effects end. An action in another case is reported.
  public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: any CaseKeyPath<State, ChildState> & Sendable,
    action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    let (child, place, path) = (child().prepared(), AnyCasePath(state), AnyCasePath(action))
    let id = FeatureID.place(.init(state))
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
  /// Reduces state that is set; nothing happens to nil.
  func reduceOptional(into state: inout State?, action: Action) -> Effect<Action> {
    guard state != nil else { return .none }
    // In place, so that no collection in it is copied.
    return reduce(into: &state!, action: action)
  }
}

/// Identifies a child's state, so that a later child is told apart; nil if there is no state.
func identity<State>(of state: State?) -> AnyHashable? {
  guard let state else { return nil }
  if let identified = state as? any Identifiable { return identified.hashableID }
  // Not for other types: a mirror costs more than the rest of an action.
  guard state is any CasePathable else { return AnyHashable(true) }
  // Enumerations differ if their cases differ, or the identities of their values.
  let mirror = Mirror(reflecting: state)
  guard mirror.displayStyle == .enum else { return AnyHashable(true) }
  guard let value = mirror.children.first else { return AnyHashable("\(state)") }
  return [value.label.map { AnyHashable($0) }, identity(of: value.value)]
}

extension Identifiable {
  fileprivate var hashableID: AnyHashable { AnyHashable(id) }
}
