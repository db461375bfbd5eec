import Foundation
import ReducersMacros
import Syrinx

extension VoiceMemos.State {
  /// The memo to which commands apply.
  var selected: MemoRow.State? { selection.flatMap { rows[id: $0] } }

  mutating func moveSelection(by distance: Int) {
    guard let index = selection.flatMap(rows.index(id:)) else { return }
    selection = rows[min(max(0, index + distance), rows.count - 1)].id
  }

  mutating func remove(_ id: Memo.ID) {
    if selection == id { moveSelection(by: rows.last?.id == id ? -1 : 1) }
    rows.remove(id: id)
    if rows.isEmpty { selection = nil }
  }

  mutating func insertRecorded(_ length: Duration, id: Memo.ID) {
    guard case .record(let recording) = destination else { return }
    let memo = Memo(id: id, title: recording.title, file: recording.file, length: length)
    rows.insert(MemoRow.State(memo: memo), at: 0)
    selection = id
  }
}

extension AlertState<VoiceMemos.Destination.Alert> {
  static var recordingDenied: Self {
    AlertState {
      TextState("The microphone cannot be used")
    } message: {
      TextState("Connect a microphone, and check that you are in the group \"audio\".")
    }
  }

  static func delete(_ memo: Memo) -> Self {
    AlertState {
      TextState("Delete \"\(memo.title)\"?")
    } actions: {
      ButtonState(role: .destructive, action: .delete(memo)) { TextState("Delete") }
    }
  }

  static func failed(_ reason: String) -> Self {
    AlertState {
      TextState("That did not work")
    } message: {
      TextState(reason)
    }
  }
}
