import ClientDependencies

/// The types of a feature.
///
/// `ReducerOf<Self>` requires only this protocol of a feature. If it required ``Reducer``, there
/// would be a cycle: the isolation of the conformance and the type of `body` would depend on each
/// other.
public protocol ReducerTypes {
  /// The data that the feature keeps.
  associatedtype State
  /// The events that can happen in the feature.
  associatedtype Action
}

/// A feature's logic: the change of the state for each action, and the resulting effects.
///
/// A feature declares its `body` from other reducers; a simple feature implements
/// `reduce(into:action:)` itself.
public protocol Reducer<State, Action>: ReducerTypes {
  /// The data that the feature keeps.
  associatedtype State
  /// The events that can happen in the feature.
  associatedtype Action
  /// The type of `body`; `Never` for a reducer that implements `reduce(into:action:)`.
  associatedtype Body

  /// Changes the state for an action, and returns an effect for the store to run.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that the feature consists of, run in this order for each action.
  ///
  /// A store creates the body once, with the first action. The body uses the dependencies that were
  /// current when the reducer was created.
  @ReducerBuilder<State, Action> var body: Body { get }

  /// Returns a version of the reducer that creates its child reducers only once.
  ///
  /// Only reducers in this module implement this function.
  func prepared() -> PreparedReducer<State, Action>
}

/// The type of a reducer's body: `var body: some ReducerOf<Self>`.
public typealias ReducerOf<R: ReducerTypes> = Reducer<R.State, R.Action>

extension Reducer where Body == Never {
  /// Must not be called: a reducer without a body implements `reduce(into:action:)`.
  public var body: Body {
    fatalError("\(Self.self) has no body; it implements reduce(into:action:)")
  }

  /// Returns a reducer that calls `reduce(into:action:)`.
  @inlinable
  public func prepared() -> PreparedReducer<State, Action> {
    PreparedReducer(of: Self.self) { reduce }
  }
}

extension Reducer where Body: Reducer<State, Action> {
  /// Runs the body.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }

  /// Returns a reducer that creates the body with the first action.
  ///
  /// The body is not created earlier, because the feature may contain itself.
  @inlinable
  public func prepared() -> PreparedReducer<State, Action> {
    PreparedReducer(of: Self.self) { body.prepared().function }
  }
}

/// Combines the reducers of a body; each runs for each action, from top to bottom.
@resultBuilder
public enum ReducerBuilder<State, Action> {
  /// A reducer that combines one or more statements of a body.
  public typealias Component = PreparedReducer<State, Action>

  /// Converts an expression statement into a component.
  @inlinable
  public static func buildExpression(_ reducer: some Reducer<State, Action>) -> Component {
    reducer.prepared()
  }
  /// Converts an expression statement of the type `any Reducer` into a component.
  public static func buildExpression(_ reducer: any Reducer<State, Action>) -> Component {
    reducer.prepared()
  }
  /// An empty body.
  public static func buildBlock() -> Component { EmptyReducer().prepared() }
  /// Begins a block with its first component.
  public static func buildPartialBlock(first: Component) -> Component { first }
  /// Appends the next component to a block.
  @inlinable
  public static func buildPartialBlock(accumulated: Component, next: Component) -> Component {
    Reduce { state, action in
      let effect = accumulated.reduce(into: &state, action: action)
      return effect.merge(with: next.reduce(into: &state, action: action))
    }.prepared()
  }
  /// Builds the first branch of a condition.
  public static func buildEither(first reducer: Component) -> Component { reducer }
  /// Builds the second branch of a condition.
  public static func buildEither(second reducer: Component) -> Component { reducer }
  /// Builds a branch without `else`.
  public static func buildOptional(_ reducer: Component?) -> Component { reducer ?? buildBlock() }
  /// Builds the iterations of a loop.
  public static func buildArray(_ reducers: [Component]) -> Component {
    Reduce { state, action in
      .merge(reducers.map { $0.reduce(into: &state, action: action) })
    }.prepared()
  }
  /// Builds a branch of `if #available`.
  public static func buildLimitedAvailability(_ reducer: Component) -> Component { reducer }
}

/// A reducer that creates its child reducers once and uses them for each action.
///
/// The functions that reduce are `@inlinable`, so that the compiler specializes them for the types
/// of each feature. Without that, an action spends most of its time on looking up types.
public final class PreparedReducer<State, Action>: Reducer {
  @usableFromInline typealias Function = (inout State, Action) -> Effect<Action>

  /// The reducer's type, for reports.
  let type: Any.Type
  private let make: () -> Function
  /// The dependencies that were current when the reducer was created.
  private let dependencies = DependencyValues._current
  @usableFromInline var made: Function?

  @usableFromInline
  init(of type: Any.Type, _ make: @escaping () -> Function) {
    (self.type, self.make) = (type, make)
  }

  @inlinable var function: Function { made ?? makeFunction() }

  @usableFromInline
  func makeFunction() -> Function {
    // The child reducers are created with this reducer's dependencies, not with those of the first
    // action.
    let function = withDependencies {
      $0 = dependencies
    } operation: {
      make()
    }
    made = function
    return function
  }

  /// Runs the reducer and returns its effects.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    function(&state, action)
  }

  /// Returns the reducer itself.
  @inlinable
  public func prepared() -> PreparedReducer { self }
}
