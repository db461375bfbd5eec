import ReducersMacros

/// The dialog in which the user types a memo's new title; the list saves the title.
@Reducer
struct RenameMemo {
  /// The memo and the title that is being typed.
  @ObservableState
  struct State: Equatable, Sendable {
    /// The memo with its old title.
    let memo: Memo
    /// The new title.
    var title: String
  }

  /// The events of the dialog.
  enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case saveTapped
  }

  /// Stores the typed text.
  var body: some ReducerOf<Self> {
    BindingReducer()
  }
}
