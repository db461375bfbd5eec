/// State that any action takes away: an alert is over when a button is chosen.
public protocol EphemeralState {}

func isEphemeral<State>(_ state: State.Type) -> Bool { state is any EphemeralState.Type }

/// Text of an alert or a dialog.
public struct TextState: Hashable, Sendable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  /// The text as it is shown.
  public let description: String

  public init(_ text: String) { description = text }
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
  /// What is sent when it is chosen; nil for nothing but the end of the alert.
  public let action: Action?
  /// Its title.
  public let label: TextState

  public init(role: ButtonStateRole? = nil, action: Action? = nil, label: () -> TextState) {
    (self.role, self.action, self.label) = (role, action, label())
  }
}

extension ButtonState: Equatable where Action: Equatable {}
extension ButtonState: Hashable where Action: Hashable {}
extension ButtonState: Sendable where Action: Sendable {}

/// An alert as data: what shows it is up to the program.
public struct AlertState<Action>: EphemeralState {
  public var title: TextState
  public var message: TextState?
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

/// A choice between several actions as data: what shows it is up to the program.
public struct ConfirmationDialogState<Action>: EphemeralState {
  public var title: TextState
  public var message: TextState?
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
  public static func buildExpression(_ button: ButtonState<Action>) -> [ButtonState<Action>] {
    [button]
  }
  public static func buildBlock(_ buttons: [ButtonState<Action>]...) -> [ButtonState<Action>] {
    buttons.flatMap(\.self)
  }
  public static func buildOptional(_ buttons: [ButtonState<Action>]?) -> [ButtonState<Action>] {
    buttons ?? []
  }
  public static func buildEither(first buttons: [ButtonState<Action>]) -> [ButtonState<Action>] {
    buttons
  }
  public static func buildEither(second buttons: [ButtonState<Action>]) -> [ButtonState<Action>] {
    buttons
  }
  public static func buildArray(_ buttons: [[ButtonState<Action>]]) -> [ButtonState<Action>] {
    buttons.flatMap(\.self)
  }
}
