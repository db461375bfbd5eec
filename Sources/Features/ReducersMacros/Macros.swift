// Code with these macros needs both modules, because the expansions use names from
// `ClientDependencies` and `Reducers`.
@_exported public import ClientDependenciesMacros
@_exported public import Reducers

/// Adds key paths to the cases of an enumeration: `\.child`, `action.is(\.child)`, `action[case:
/// \.child]`.
///
/// The value of a case is its associated value, a tuple if it has several, or `Void` if it has
/// none.
@attached(extension, conformances: CasePathable)
@attached(member, names: named(AllCasePaths), named(allCasePaths))
public macro CasePathable() =
  #externalMacro(module: "ReducersMacrosPlugin", type: "CasePathableMacro")

/// Turns a struct into a feature, or an enumeration into the destinations of a feature.
///
/// ```swift
/// @Reducer
/// struct Counter {
///   struct State: Equatable { var count = 0 }
///   enum Action { case increment }
///
///   var body: some ReducerOf<Self> {
///     Reduce { state, action in
///       state.count += 1
///       return .none
///     }
///   }
/// }
/// ```
///
/// The struct conforms to `Reducer`. Its nested enumerations `State` and `Action` get
/// ``CasePathable()``, and `body` is a result builder. A missing `State`, `Action`, or `body` is
/// added, without content.
///
/// Each case of an enumeration is a destination. Its value is a feature, an `AlertState`, or a
/// `ConfirmationDialogState`. A case without a value, with several values, or with
/// ``ReducerCaseIgnored()`` is data:
///
/// ```swift
/// @Reducer
/// enum Destination {
///   case edit(Edit)
///   case alert(AlertState<Alert>)
/// }
/// ```
///
/// The enumeration becomes a reducer, and its `State` and `Action` have the same cases.
/// `.ifLet(\.$destination, action: \.destination)` and `.forEach(\.path, action: \.path)` need no
/// closure with another reducer. To make its state conform to a protocol, write an extension,
/// `extension Destination.State: Equatable {}`, or an argument of the macro:
/// `@Reducer(state: .equatable)`.
@attached(memberAttribute)
@attached(extension, conformances: Reducer, ReducerTypes)
@attached(member, names: named(State), named(Action), named(body))
public macro Reducer() =
  #externalMacro(module: "ReducersMacrosPlugin", type: "ReducerMacro")

/// Turns an enumeration into the destinations of a feature, with conformances of its types:
/// `@Reducer(state: .equatable, .sendable, action: .equatable)`.
@attached(memberAttribute)
@attached(extension, conformances: Reducer, ReducerTypes)
@attached(member, names: named(State), named(Action), named(body))
public macro Reducer(
  state: _SynthesizedConformance..., action: _SynthesizedConformance...
) = #externalMacro(module: "ReducersMacrosPlugin", type: "ReducerMacro")

/// A conformance that the macro `@Reducer` declares.
public enum _SynthesizedConformance: Sendable {
  case codable, decodable, encodable, equatable, hashable, sendable
}

/// Marks a case of a destination enumeration as data, without a reducer or actions.
@attached(peer)
public macro ReducerCaseIgnored() =
  #externalMacro(module: "ReducersMacrosPlugin", type: "MarkerMacro")

/// Has no effect: a property with this attribute is observed like any other.
///
/// Code that was written for the Composable Architecture compiles with it.
@attached(peer)
public macro ObservationStateIgnored() =
  #externalMacro(module: "ReducersMacrosPlugin", type: "MarkerMacro")

/// Lets a screen with a property `store` send the actions of the case `view`: `send(.tapped)`.
@attached(extension, conformances: ViewActionSending)
public macro ViewAction<R: Reducer>(for reducer: R.Type) =
  #externalMacro(module: "ReducersMacrosPlugin", type: "ViewActionMacro")
where R.Action: ViewAction

/// Stores the state of a presented feature: `@Presents var destination: Destination.State?`.
///
/// `$destination` is its `PresentationState`, for `ifLet(\.$destination, action: \.destination)`.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`), prefixed(_))
public macro Presents() =
  #externalMacro(module: "ReducersMacrosPlugin", type: "PresentsMacro")

/// Marks the state of a feature, so that its properties are observed individually.
///
/// The macro generates no code, because a store observes any state in this way. See
/// <doc:/Reducers/ComingFromTheComposableArchitecture>.
@attached(peer)
public macro ObservableState() =
  #externalMacro(module: "ReducersMacrosPlugin", type: "ObservableStateMacro")
