public import ClientDependencies
public import Observation

/// The runtime of a feature: it holds the state, reduces each action, and runs the effects.
///
/// A store that `scope` returns is a view of its parent's state. When the store that was created
/// with `init` is released, its effects are canceled.
///
/// An `Equatable` value, as in `store.count`, is observed separately: its observers are notified
/// only of actions that changed it. They are notified after the action, when the store has the new
/// state. Observers of `state`, or of a value that is not `Equatable`, are notified of each action.
///
/// To detect changes, the store rereads the observed properties after each action. A computed
/// property, or a subscript as in `store.items[0]`, must therefore not trap for any state.
///
/// In a command-line program, use a store in `@MainActor` functions: an asynchronous `main` serves
/// the main actor while it waits.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action>: Observable {
  /// Reads the state, or the last state of a removed child; the closure does not retain `core`.
  private let read: () -> (state: State, isPresent: Bool)
  private let deliver: (Action) -> StoreTask
  let changes: StoreChanges
  /// The key paths from the root store to this store.
  private let place: [AnyKeyPath]
  /// The root store's `StoreCore`.
  private let core: any AnyObject & Sendable
  private var children: [StoreID: WeakStore] = [:]
  private var purgeLimit = 16

  /// Creates a store for a feature.
  ///
  /// - Parameters:
  ///   - initialState: the state before the first action, created with the store's dependencies.
  ///   - reducer: the feature, created with the store's dependencies.
  ///   - prepareDependencies: changes the current dependencies for the feature and its effects.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State,
    @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let core = StoreCore(
      initialState, reducer, prepareDependencies,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    self.init(
      read: { [unowned core] in (core.state, true) },
      deliver: { action in
        let origin = EffectGroup()
        core.reduce(action, for: origin)
        return StoreTask(group: origin)
      }, changes: core.changes, place: [], core: core)
  }

  private init(
    read: @escaping () -> (state: State, isPresent: Bool),
    deliver: @escaping (Action) -> StoreTask, changes: StoreChanges, place: [AnyKeyPath],
    core: any AnyObject & Sendable
  ) {
    (self.read, self.deliver, self.changes) = (read, deliver, changes)
    (self.place, self.core) = (place, core)
  }

  /// The current state; its observers are notified of every action.
  ///
  /// The reducer must use its parameter instead. If the reducer, or a function that it calls, reads
  /// this property, an issue is reported and the initial state is returned.
  public var state: State {
    changes.accessAll()
    return read().state
  }

  /// A value of the state that is not `Equatable`.
  ///
  /// Its observers are notified of every action, not only of changes, because the store cannot
  /// compare such values.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  /// A value of the state; its observers are notified only of actions that change the value.
  public subscript<Value: Equatable>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    observe(keyPath) { $0[keyPath: keyPath] }
  }

  /// Reads a value and registers it, so that observers are notified when it changes.
  private func observe<Value: Equatable>(
    _ keyPath: AnyKeyPath, _ value: @escaping (State) -> Value
  ) -> Value {
    let now = read()
    let current = value(now.state)
    // The last state of a removed child never changes, so it needs no observation.
    guard now.isPresent else { return current }
    changes.access(place + [keyPath]) { [read] in
      let now = read()
      return !now.isPresent || value(now.state) != current
    }
    return current
  }

  /// Reads the state without registering the read for observation.
  public func withState<Value>(_ body: (State) -> Value) -> Value { body(read().state) }

  /// Runs the reducer for an action, and starts its effects.
  ///
  /// An action that is sent while the reducer is running is reduced afterward. If an action
  /// leads to 200,000 actions, an issue is reported and the waiting actions are dropped.
  ///
  /// - Returns: the effects of the action and of the actions that result from it.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { deliver(action) }

  /// The current state, and the state after each action.
  ///
  /// The stream ends when the iterating task is canceled or the store that was created with `init`
  /// is released.
  ///
  /// A slow reader gets the newest state; earlier states are skipped.
  public var states: AsyncStream<State> {
    let changed = changes.stream()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { [core, read] continuation in
      continuation.yield(read().state)
      let task = Task { @MainActor [weak core] in
        for await _ in changed {
          guard let core else { break }
          withExtendedLifetime(core) { _ = continuation.yield(read().state) }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// A store for a child feature.
  ///
  /// While the child store is retained, the same store is returned.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    child(state, action) { [read] in
      let parent = read()
      return (parent.state[keyPath: state], parent.isPresent)
    }
  }

  /// A store for a child feature whose state is optional; nil while the state is nil.
  ///
  /// After the state becomes nil, a retained child store keeps the last state. Its actions still
  /// reach the parent's reducer, which reports them. Its observers are notified once.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    observe(state.appending(path: \.isSet)) { $0[keyPath: state] != nil }
      ? optionalChild(state: state, action: action) : nil
  }

  fileprivate func optionalChild<ChildState, ChildAction>(
    state: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    guard var last = read().state[keyPath: state] else { return nil }
    return child(state, action) { [read] in
      let parent = read()
      guard let child = parent.state[keyPath: state] else { return (last, false) }
      last = child
      return (child, parent.isPresent)
    }
  }

  /// A store for the presented feature; nil while no feature is presented.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(
      state: state.appending(path: \.wrappedValue), action: action.appending(path: \.presented))
  }

  /// The stores of the elements of an identified array, by their IDs.
  ///
  /// Each store is created when it is read.
  public func scope<ID: Hashable & Sendable, ChildState, ChildAction>(
    state: KeyPath<State, IdentifiedArray<ID, ChildState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ChildAction>>
  ) -> StoreRows<State, Action, ID, ChildState, ChildAction> {
    let path = state.appending(path: \.ids)
    let ids = observe(path) { $0[keyPath: path] }
    return StoreRows(store: self, ids: Array(ids), state: state, action: action)
  }

  /// The retained child store, or a new store that reads its state with `read`.
  private func child<ChildState, ChildAction>(
    _ state: AnyKeyPath, _ action: CaseKeyPath<Action, ChildAction>,
    read: @escaping () -> (state: ChildState, isPresent: Bool)
  ) -> Store<ChildState, ChildAction> {
    let id = StoreID(state: state, action: action)
    if let child = children[id]?.store as? Store<ChildState, ChildAction> { return child }
    if children.count >= purgeLimit {
      children = children.filter { $0.value.store != nil }
      purgeLimit = max(16, 2 * children.count)
    }
    let path = AnyCasePath(action)
    let child = Store<ChildState, ChildAction>(
      read: read, deliver: { self.deliver(path.embed($0)) }, changes: changes,
      place: place + [state], core: core)
    children[id] = WeakStore(store: child)
    return child
  }
}

/// The stores of the elements of an identified array.
@MainActor
public struct StoreRows<State, Action, ID: Hashable & Sendable, ChildState, ChildAction> {
  fileprivate let store: Store<State, Action>
  /// The IDs that the elements had when `scope` was called, in order.
  public let ids: [ID]
  fileprivate let state: KeyPath<State, IdentifiedArray<ID, ChildState>>
  fileprivate let action: CaseKeyPath<Action, IdentifiedAction<ID, ChildAction>>

  /// The number of elements.
  public var count: Int { ids.count }

  /// The store of the element with an ID; nil if there is none.
  public subscript(id id: ID) -> Store<ChildState, ChildAction>? {
    // Observers of the IDs are notified when an element appears or disappears, so a row's presence
    // is not observed separately.
    store.optionalChild(
      state: state.appending(path: \.[id: id]), action: action.appending(path: \.[id: id]))
  }

  /// The stores of all elements, in order.
  public var stores: [Store<ChildState, ChildAction>] { ids.compactMap { self[id: $0] } }
}

/// The store of a feature: `StoreOf<Counter>`.
public typealias StoreOf<R: ReducerTypes> = Store<R.State, R.Action>

/// The effects of a sent action, and of the actions that resulted from it.
public struct StoreTask: Sendable {
  let group: EffectGroup

  /// Waits for the effects; if the waiting task is canceled, the effects are canceled, too.
  public func finish() async {
    await withTaskCancellationHandler {
      await group.waitUntilEmpty()
    } onCancel: {
      Task { @MainActor in group.cancel() }
    }
  }

  /// Cancels the effects; `finish` waits for their end.
  @MainActor
  public func cancel() { group.cancel() }

  /// Whether the effects were canceled.
  @MainActor
  public var isCancelled: Bool { group.isCancelled }
}

/// An action with a case `view` for the actions that a screen sends.
public protocol ViewAction<ViewAction> {
  /// The actions of the screen.
  associatedtype ViewAction

  /// The case that holds an action of the screen.
  static func view(_ action: ViewAction) -> Self
}

/// A screen that sends the actions of the case `view`.
///
/// The macro `@ViewAction` adds the conformance.
@MainActor
public protocol ViewActionSending<StoreState, StoreAction> {
  /// The state of the store.
  associatedtype StoreState
  /// The actions of the store.
  associatedtype StoreAction: ViewAction

  /// The store of the screen's feature.
  var store: Store<StoreState, StoreAction> { get }
}

extension ViewActionSending {
  /// Sends an action of the screen.
  @discardableResult
  public func send(_ action: StoreAction.ViewAction) -> StoreTask { store.send(.view(action)) }
}

extension Optional {
  /// Whether there is a value; used as a component of a key path.
  fileprivate var isSet: Bool { self != nil }
}

private struct StoreID: Hashable {
  let state: AnyKeyPath
  let action: AnyKeyPath
}

private struct WeakStore {
  weak var store: AnyObject?
}
