public import ReducersMacros

/// A memo that gets another title, which the list saves.
@Reducer
public struct RenameMemo {
  /// The memo and the title that is being typed.
  @ObservableState
  public struct State: Equatable, Sendable {
    /// The memo with its old title.
    public let memo: Memo
    /// The new title.
    public var title: String
  }

  /// The events of the dialog.
  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case saveTapped
  }

  /// Takes the typed text.
  public var body: some ReducerOf<Self> {
    BindingReducer()
  }
}
