import ClientDependencies
import Foundation
public import ReducersMacros

/// A memo that gets another title.
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

  /// What can happen to the title.
  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case saveTapped
    case saved(Memo)
    case failed(String)
  }

  @Dependency(\.dismiss) private var dismiss
  @Dependency(\.memos) private var memos

  /// Renames the file, and dismisses itself.
  public var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      guard case .saveTapped = action, !state.title.isEmpty else { return .none }
      return .run { [dismiss, memos, state] send in
        var memo = state.memo
        if state.title != memo.title {
          memo.file = try await memos.rename(memo: memo, title: state.title)
          memo.title = state.title
          await send(.saved(memo))
        }
        await dismiss()
      } catch: { error, send in
        await send(.failed("\(error)"))
      }
    }
  }
}
