public import ClientDependencies
import CustomDump

/// A reducer from a function.
public struct Reduce<State, Action>: Reducer {
  @usableFromInline let function: (inout State, Action) -> Effect<Action>

  /// Creates a reducer that calls the function for each action.
  @inlinable
  public init(_ function: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
    self.function = function
  }

  /// Creates a type-erased reducer.
  public init(_ reducer: some Reducer<State, Action>) {
    function = reducer.prepared().reduce
  }

  /// Runs the reducer and returns its effects.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    function(&state, action)
  }
}

/// A reducer that does nothing.
public struct EmptyReducer<State, Action>: Reducer {
  /// A reducer that does nothing.
  public init() {}

  /// Runs the reducer and returns its effects.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}

/// Combines several reducers, so that a modifier applies to all of them.
public struct CombineReducers<State, Action>: Reducer {
  private let base: PreparedReducer<State, Action>

  /// Creates a reducer from the reducers of a body.
  public init(@ReducerBuilder<State, Action> _ build: () -> PreparedReducer<State, Action>) {
    base = build()
  }

  /// Runs the reducer and returns its effects.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    base.reduce(into: &state, action: action)
  }
}

extension Reducer {
  /// Sets a dependency of this reducer and of its effects.
  public func dependency<Value: Sendable>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable, _ value: Value
  ) -> some ReducerOf<Self> {
    DependencyReducer(self) { $0[keyPath: keyPath] = value }
  }

  /// Changes a dependency of this reducer and of its effects.
  public func transformDependency<Value>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable,
    _ transform: @escaping @Sendable (inout Value) -> Void
  ) -> some ReducerOf<Self> {
    DependencyReducer(self) { transform(&$0[keyPath: keyPath]) }
  }

  /// Runs another reducer whenever a value of the state has changed.
  ///
  /// - Parameters:
  ///   - value: returns the value that is compared before and after each action.
  ///   - reducer: makes the reducer from the old and the new value; the reducer gets the same
  ///     action.
  public func onChange<Value: Equatable, Next: Reducer<State, Action>>(
    of value: @escaping (State) -> Value,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ old: Value, _ new: Value) -> Next
  ) -> some ReducerOf<Self> {
    let base = prepared()
    return Reduce<State, Action> { state, action in
      let old = value(state)
      let effect = base.reduce(into: &state, action: action)
      let new = value(state)
      guard old != new else { return effect }
      return effect.merge(with: reducer(old, new).reduce(into: &state, action: action))
    }
  }
}

/// A reducer that runs with other dependencies.
private struct DependencyReducer<State, Action>: Reducer {
  let base: PreparedReducer<State, Action>
  let update: (inout DependencyValues) -> Void

  init(
    _ base: some Reducer<State, Action>, update: @escaping (inout DependencyValues) -> Void
  ) {
    // The body is created with the changed dependencies, too.
    self.base = withDependencies(update) { base.prepared() }
    self.update = update
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    withDependencies(update) { base.reduce(into: &state, action: action) }
  }
}

extension Reducer {
  /// Prints each action and the resulting change of the state, only in debug builds.
  ///
  /// - Parameter print: receives the text; by default it is written to standard output.
  public func _printChanges(
    to print: @escaping (String) -> Void = { Swift.print($0) }
  ) -> some ReducerOf<Self> {
    #if DEBUG
    let base = prepared()
    return Reduce<State, Action> { state, action in
      let before = state
      let effect = base.reduce(into: &state, action: action)
      var text = "received action:\n"
      customDump(action, to: &text, indent: 2)
      text += "\n" + (diff(before, state) ?? "  (no change of the state)") + "\n"
      print(text)
      return effect
    }
    #else
    self
    #endif
  }
}
