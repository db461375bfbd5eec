/// A feature's logic: how an action changes its state, and what has to be done besides.
///
/// A feature declares its `body` from other reducers; a simple one implements `reduce(into:action:)`
/// itself.
public protocol Reducer<State, Action> {
  /// What the feature keeps.
  associatedtype State
  /// What can happen in it.
  associatedtype Action
  /// The type of `body`; `Never` for a reducer that implements `reduce(into:action:)`.
  associatedtype Body

  /// Changes the state for an action, and returns an effect for the store to run.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that the feature consists of, run in this order for each action.
  @ReducerBuilder<State, Action> var body: Body { get }
}

/// The type of a reducer's body: `var body: some ReducerOf<Self>`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer where Body == Never {
  /// Not for calls: a reducer without a body implements `reduce(into:action:)`.
  public var body: Body {
    fatalError("\(Self.self) has no body; it implements reduce(into:action:)")
  }
}

extension Reducer where Body: Reducer<State, Action> {
  /// Runs the body.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }
}

/// Combines the reducers of a body; each runs for each action, from top to bottom.
@resultBuilder
public enum ReducerBuilder<State, Action> {
  /// Takes one line.
  public static func buildExpression<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
  /// An empty body.
  public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }
  /// Takes the first line.
  public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }
  /// Adds a line.
  public static func buildPartialBlock<
    First: Reducer<State, Action>, Second: Reducer<State, Action>
  >(accumulated first: First, next second: Second) -> ReducerSequence<First, Second> {
    ReducerSequence(first: first, second: second)
  }
  /// Takes the first branch of a condition.
  public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
    first reducer: First
  ) -> EitherReducer<First, Second> { .first(reducer) }
  /// Takes the second branch of a condition.
  public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
    second reducer: Second
  ) -> EitherReducer<First, Second> { .second(reducer) }
  /// Takes a branch without `else`.
  public static func buildOptional<R: Reducer<State, Action>>(
    _ reducer: R?
  ) -> OptionalReducer<R> { OptionalReducer(reducer: reducer) }
  /// Takes the rounds of a loop.
  public static func buildArray<R: Reducer<State, Action>>(_ reducers: [R]) -> ReducerArray<R> {
    ReducerArray(reducers: reducers)
  }
  /// Takes a branch of `if #available`.
  public static func buildLimitedAvailability<R: Reducer<State, Action>>(_ reducer: R) -> R {
    reducer
  }
  /// Ends the body.
  public static func buildFinalResult<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
}

/// Two reducers, one after the other.
public struct ReducerSequence<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
  let first: First
  let second: Second

  /// Runs the reducer; its effects are returned.
  public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
    let effect = first.reduce(into: &state, action: action)
    return effect.merge(with: second.reduce(into: &state, action: action))
  }
}

/// One of two reducers.
public enum EitherReducer<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
  case first(First)
  case second(Second)

  /// Runs the reducer; its effects are returned.
  public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
    switch self {
    case .first(let reducer): reducer.reduce(into: &state, action: action)
    case .second(let reducer): reducer.reduce(into: &state, action: action)
    }
  }
}

/// A reducer, or nothing.
public struct OptionalReducer<Base: Reducer>: Reducer {
  let reducer: Base?

  /// Runs the reducer; its effects are returned.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    reducer?.reduce(into: &state, action: action) ?? .none
  }
}

/// Several reducers of one type.
public struct ReducerArray<Base: Reducer>: Reducer {
  let reducers: [Base]

  /// Runs the reducer; its effects are returned.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    .merge(reducers.map { $0.reduce(into: &state, action: action) })
  }
}
