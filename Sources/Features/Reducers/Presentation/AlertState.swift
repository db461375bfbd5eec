public import CustomDump

/// State that is removed by any of its actions: an alert closes when a button is chosen.
public protocol EphemeralState<Action> {
  /// The actions that the buttons send.
  associatedtype Action
}

/// The state of one of several destinations; `@Reducer` on an enumeration declares such a state.
public protocol DestinationState: CasePathable {
  /// The actions of the destinations.
  associatedtype DestinationAction
  /// The type of `destinations`.
  associatedtype Destinations: Reducer<Self, DestinationAction>

  /// The reducers of the destinations.
  static var destinations: Destinations { get }
}

/// Text of an alert or a dialog.
public struct TextState: Hashable, Sendable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  /// The displayed text.
  public let description: String

  /// Creates the text from a string.
  public init(_ text: String) { description = text }
  /// Creates the text from a literal.
  public init(stringLiteral text: String) { description = text }
}

extension TextState: CustomDumpRepresentable {
  /// The text, for test failures.
  public var customDumpValue: Any { description }
}

/// The role of a button.
public enum ButtonStateRole: Hashable, Sendable {
  case cancel
  case destructive
}

/// A button of an alert or a dialog, as data.
public struct ButtonState<Action> {
  /// The role of the button.
  public let role: ButtonStateRole?
  /// The action to send when the button is chosen; nil if the button only closes the alert.
  public let action: Action?
  /// The button's title.
  public let label: TextState

  /// Creates a button with a title.
  public init(role: ButtonStateRole? = nil, action: Action? = nil, label: () -> TextState) {
    (self.role, self.action, self.label) = (role, action, label())
  }

  /// Creates a button that sends an action: `ButtonState(action: .send(.delete)) { … }`.
  public init(
    role: ButtonStateRole? = nil, action: ButtonStateAction<Action>, label: () -> TextState
  ) {
    self.init(role: role, action: action.action, label: label)
  }
}

/// What a button sends: `.send(.delete)`.
public struct ButtonStateAction<Action> {
  fileprivate let action: Action?

  /// Sends an action; nil only closes the alert.
  public static func send(_ action: Action?) -> Self { Self(action: action) }
}

extension ButtonState: Equatable where Action: Equatable {}
extension ButtonState: Hashable where Action: Hashable {}
extension ButtonState: Sendable where Action: Sendable {}

/// An alert as data; the program shows it.
public struct AlertState<Action>: EphemeralState {
  /// The title.
  public var title: TextState
  /// The text below the title; nil for none.
  public var message: TextState?
  /// The buttons, in order.
  public var buttons: [ButtonState<Action>]

  /// Creates an alert; for an alert without buttons, the program shows a button that closes it.
  public init(
    title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    (self.title, buttons, self.message) = (title(), actions(), message?())
  }
}

extension AlertState: Equatable where Action: Equatable {}
extension AlertState: Hashable where Action: Hashable {}
extension AlertState: Sendable where Action: Sendable {}

/// A confirmation dialog with several actions, as data; the program shows the dialog.
public struct ConfirmationDialogState<Action>: EphemeralState {
  /// The title.
  public var title: TextState
  /// The text below the title; nil for none.
  public var message: TextState?
  /// The buttons, in order.
  public var buttons: [ButtonState<Action>]

  /// Creates a dialog with its buttons.
  public init(
    title: () -> TextState, @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>],
    message: (() -> TextState)? = nil
  ) {
    (self.title, buttons, self.message) = (title(), actions(), message?())
  }
}

extension ConfirmationDialogState: Equatable where Action: Equatable {}
extension ConfirmationDialogState: Hashable where Action: Hashable {}
extension ConfirmationDialogState: Sendable where Action: Sendable {}

/// A result builder for the buttons of an alert or a dialog.
@resultBuilder
public enum ButtonStateBuilder<Action> {
  /// Converts an expression statement into an array of one button.
  public static func buildExpression(_ button: ButtonState<Action>) -> [ButtonState<Action>] {
    [button]
  }
  /// Joins the buttons of a block's statements.
  public static func buildBlock(_ buttons: [ButtonState<Action>]...) -> [ButtonState<Action>] {
    buttons.flatMap(\.self)
  }
  /// Builds a branch without `else`.
  public static func buildOptional(_ buttons: [ButtonState<Action>]?) -> [ButtonState<Action>] {
    buttons ?? []
  }
  /// Builds the first branch of a condition.
  public static func buildEither(first buttons: [ButtonState<Action>]) -> [ButtonState<Action>] {
    buttons
  }
  /// Builds the second branch of a condition.
  public static func buildEither(second buttons: [ButtonState<Action>]) -> [ButtonState<Action>] {
    buttons
  }
  /// Builds the iterations of a loop.
  public static func buildArray(_ buttons: [[ButtonState<Action>]]) -> [ButtonState<Action>] {
    buttons.flatMap(\.self)
  }
}
