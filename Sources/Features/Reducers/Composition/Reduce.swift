public import ClientDependencies
import CustomDump

/// A reducer that calls a function.
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

  /// Sets the dependency whose key is the value's own type, for this reducer and its effects.
  public func dependency<Value: TestDependencyKey>(
    _ value: Value
  ) -> some ReducerOf<Self> where Value.Value == Value {
    DependencyReducer(self) { $0[Value.self] = value }
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
    onChange(of: value, removeDuplicates: ==, reducer)
  }

  /// Runs another reducer whenever a value of the state has changed, according to a function.
  ///
  /// - Parameters:
  ///   - value: returns the value that is compared before and after each action.
  ///   - isDuplicate: returns true if the value has not changed.
  ///   - reducer: makes the reducer from the old and the new value; the reducer gets the same
  ///     action.
  public func onChange<Value, Next: Reducer<State, Action>>(
    of value: @escaping (State) -> Value,
    removeDuplicates isDuplicate: @escaping (_ old: Value, _ new: Value) -> Bool,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ old: Value, _ new: Value) -> Next
  ) -> some ReducerOf<Self> {
    let base = prepared()
    return Reduce<State, Action> { state, action in
      let old = value(state)
      let effect = base.reduce(into: &state, action: action)
      let new = value(state)
      guard !isDuplicate(old, new) else { return effect }
      return effect.merge(with: reducer(old, new).reduce(into: &state, action: action))
    }
  }
}

extension Reducer {
  /// Changes the state and runs an effect whenever a value of the state has changed.
  ///
  /// - Parameters:
  ///   - value: returns the value that is compared before and after each action.
  ///   - perform: receives the old value and the state with the new one.
  public func onChange<Value: Equatable>(
    of value: @escaping (State) -> Value,
    _ perform: @escaping (_ old: Value, _ state: inout State) -> Effect<Action>
  ) -> some ReducerOf<Self> {
    onChange(of: value) { old, _ in Reduce { state, _ in perform(old, &state) } }
  }
}

/// Runs a reducer with changed dependencies.
struct DependencyReducer<State, Action>: Reducer {
  let base: PreparedReducer<State, Action>
  let update: (inout DependencyValues) -> Void

  init(
    _ base: some Reducer<State, Action>, update: @escaping (inout DependencyValues) -> Void
  ) {
    // The body is created in this scope, so that it gets the changed dependencies, too.
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
  /// - Parameter printer: prints the actions and the changes; nil prints nothing.
  public func _printChanges(
    _ printer: _ReducerPrinter<State, Action>? = .customDump
  ) -> some ReducerOf<Self> {
    let base = prepared()
    return Reduce<State, Action> { state, action in
      #if DEBUG
      guard let printer else { return base.reduce(into: &state, action: action) }
      let before = state
      let (effect, changes) = SharedChanges.track { base.reduce(into: &state, action: action) }
      // Both states refer to the same shared values, which have already changed. Inside an
      // assertion, the printed difference contains their old values, too.
      changes.assert {
        printer.printChange(receivedAction: action, oldState: before, newState: state)
      }
      return effect
      #else
      return base.reduce(into: &state, action: action)
      #endif
    }
  }
}

/// Prints the actions and the changes of the state of `_printChanges`.
public struct _ReducerPrinter<State, Action>: Sendable {
  private let print: @Sendable (Action, State, State) -> Void

  /// Creates a printer from a function.
  public init(
    printChange:
      @escaping @Sendable (
        _ receivedAction: Action, _ oldState: State, _ newState: State
      ) -> Void
  ) {
    print = printChange
  }

  /// Prints an action, and the state before and after it.
  public func printChange(receivedAction: Action, oldState: State, newState: State) {
    print(receivedAction, oldState, newState)
  }

  /// Prints an action with its values, and the difference of the states.
  public static var customDump: Self {
    Self { action, before, after in
      let change = diff(before, after) ?? "  (No state changes)"
      Swift.print("received action:\n\(detail(of: action, indent: 2))\n\(change)\n")
    }
  }

  /// Prints only the name of an action.
  public static var actionLabels: Self {
    Self { action, _, _ in Swift.print("received action: \(summary(of: action))") }
  }
}
