/// State that any of its actions removes: an alert closes when a button is chosen.
public protocol EphemeralState {
  /// Whether this value is such state; true, unless it is one of several destinations.
  var isEphemeral: Bool { get }
}

extension EphemeralState {
  /// True.
  public var isEphemeral: Bool { true }
}

/// The state of one of several destinations; the macro `@Reducer` writes it for an enumeration.
public protocol DestinationState: EphemeralState, CasePathable {
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
  /// The text as it is shown.
  public let description: String

  /// Text from a string.
  public init(_ text: String) { description = text }
  /// Text from a literal.
  public init(stringLiteral text: String) { description = text }
}

/// What a button means for the user.
public enum ButtonStateRole: Hashable, Sendable {
  case cancel
  case destructive
}

/// A button of an alert or a dialog, as data.
public struct ButtonState<Action> {
  /// What it means for the user.
  public let role: ButtonStateRole?
  /// The action that is sent when the button is chosen; nil if choosing it only closes the alert.
  public let action: Action?
  /// Its title.
  public let label: TextState

  /// A button with a title.
  public init(role: ButtonStateRole? = nil, action: Action? = nil, label: () -> TextState) {
    (self.role, self.action, self.label) = (role, action, label())
  }
}

extension ButtonState: Equatable where Action: Equatable {}
extension ButtonState: Hashable where Action: Hashable {}
extension ButtonState: Sendable where Action: Sendable {}

/// An alert as data; the program decides how to show it.
public struct AlertState<Action>: EphemeralState {
  /// The title.
  public var title: TextState
  /// More text; nil for none.
  public var message: TextState?
  /// The buttons, in order.
  public var buttons: [ButtonState<Action>]

  /// An alert; without buttons, a program shows one that only closes it.
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

/// A choice between several actions as data; the program decides how to show it.
public struct ConfirmationDialogState<Action>: EphemeralState {
  /// The title.
  public var title: TextState
  /// More text; nil for none.
  public var message: TextState?
  /// The buttons, in order.
  public var buttons: [ButtonState<Action>]

  /// A dialog with its buttons.
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

/// The buttons of an alert or a dialog, one to a line.
@resultBuilder
public enum ButtonStateBuilder<Action> {
  /// Takes one line.
  public static func buildExpression(_ button: ButtonState<Action>) -> [ButtonState<Action>] {
    [button]
  }
  /// Joins the lines.
  public static func buildBlock(_ buttons: [ButtonState<Action>]...) -> [ButtonState<Action>] {
    buttons.flatMap(\.self)
  }
  /// Takes a branch without `else`.
  public static func buildOptional(_ buttons: [ButtonState<Action>]?) -> [ButtonState<Action>] {
    buttons ?? []
  }
  /// Takes the first branch of a condition.
  public static func buildEither(first buttons: [ButtonState<Action>]) -> [ButtonState<Action>] {
    buttons
  }
  /// Takes the second branch of a condition.
  public static func buildEither(second buttons: [ButtonState<Action>]) -> [ButtonState<Action>] {
    buttons
  }
  /// Takes the rounds of a loop.
  public static func buildArray(_ buttons: [[ButtonState<Action>]]) -> [ButtonState<Action>] {
    buttons.flatMap(\.self)
  }
}
