public import ClientDependencies
import CustomDump

/// A reducer from a function.
public struct Reduce<State, Action>: Reducer {
  @usableFromInline let function: (inout State, Action) -> Effect<Action>

  /// A reducer that calls the function for each action.
  @inlinable
  public init(_ function: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
    self.function = function
  }

  /// The same reducer without its type.
  public init(_ reducer: some Reducer<State, Action>) {
    function = reducer.prepared().reduce
  }

  /// Runs the reducer; its effects are returned.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    function(&state, action)
  }
}

/// A reducer that does nothing.
public struct EmptyReducer<State, Action>: Reducer {
  /// A reducer that does nothing.
  public init() {}

  /// Runs the reducer; its effects are returned.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}

/// Several reducers as one, so that a modifier applies to all of them.
public struct CombineReducers<State, Action>: Reducer {
  private let base: PreparedReducer<State, Action>

  /// The reducers of a body as one.
  public init(@ReducerBuilder<State, Action> _ build: () -> PreparedReducer<State, Action>) {
    base = build()
  }

  /// Runs the reducer; its effects are returned.
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
  ///   - value: what is compared before and after each action.
  ///   - reducer: makes the reducer from the old and the new value; it gets the same action.
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
    // Its body, too, is made with the changed dependencies.
    self.base = withDependencies(update) { base.prepared() }
    self.update = update
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    withDependencies(update) { base.reduce(into: &state, action: action) }
  }
}

extension Reducer {
  /// Prints each action and the change of the state that follows from it, in debug builds only.
  ///
  /// - Parameter print: takes the text; by default it goes to standard output.
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
