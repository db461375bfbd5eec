import Foundation
import ReducersMacros
import Syrinx
import TerminalScreen

extension VoiceMemos.State {
  /// The lines on the screen.
  var screen: [String] {
    let list = rows.isEmpty ? ["  no memos yet"] : visibleRows.map(line)
    return ["Voice memos", ""] + list + covering
  }

  /// The rows around the selected row.
  private var visibleRows: ArraySlice<MemoRow.State> {
    let first = max(0, (selection.flatMap(rows.index(id:)) ?? 0) - 14)
    return rows.elements[first...].prefix(15)
  }

  private func line(_ row: MemoRow.State) -> String {
    let title = row.memo.title.prefix(32).padding(toLength: 32, withPad: " ", startingAt: 0)
    let start = "\(row.id == selection ? ">" : " ") \(title)"
    let length = row.memo.length?.clock ?? "-:--"
    guard let playhead = row.playhead else { return "\(start)  \(length)" }
    return "\(start)  \(playhead.clock) \(timeLine(playhead, of: row.memo.length)) \(length)"
  }

  private func timeLine(_ playhead: Duration, of length: Duration?) -> String {
    let width = 20
    let share = length.map { $0 > .zero ? playhead / $0 : 1 } ?? 0
    let played = min(width, Int(share * Double(width)))
    return String(repeating: "=", count: played) + String(repeating: "-", count: width - played)
  }

  private var covering: [String] {
    switch destination {
    case .alert(let alert): alert.lines
    case .record(let recording):
      [
        "", "* \(recording.recorded.clock) \(recording.title)  \(recording.peak)FS",
        "  [space] Stop",
      ]
    case .rename(let rename): ["", "New title: \(rename.title)_", "  [enter] Save  [esc] Cancel"]
    case nil: ["", "[r] Record  [space] Play or stop  [n] Rename  [d] Delete  [q] Quit"]
    }
  }

  /// Returns the action of a key; nil if it has none.
  func action(for key: Key) -> VoiceMemos.Action? {
    switch destination {
    case .alert(let alert): alert.action(for: key).map { .destination($0.alert) }
    case .record: key == .character(" ") ? .destination(.presented(.record(.stopTapped))) : nil
    case .rename(let rename): rename.action(for: key).map { .destination($0) }
    case nil: listAction(for: key)
    }
  }

  private func listAction(for key: Key) -> VoiceMemos.Action? {
    switch key {
    case .up: .selectionMoved(by: -1)
    case .down: .selectionMoved(by: 1)
    case .character("r"): .recordTapped
    case .character("n"): .renameTapped
    case .character("d"): .deleteTapped
    case .character(" "), .enter: selection.map { .rows(.element(id: $0, action: .playTapped)) }
    default: nil
    }
  }
}

extension RenameMemo.State {
  fileprivate func action(for key: Key) -> PresentationAction<VoiceMemos.Destination.Action>? {
    switch key {
    case .character(let letter): .presented(.rename(.set(\.title, title + String(letter))))
    case .backspace: .presented(.rename(.set(\.title, String(title.dropLast()))))
    case .enter: .presented(.rename(.saveTapped))
    case .escape: .dismiss
    default: nil
    }
  }
}

extension PresentationAction<VoiceMemos.Destination.Alert> {
  /// The alert's action, wrapped as an action of the destination.
  fileprivate var alert: PresentationAction<VoiceMemos.Destination.Action> {
    switch self {
    case .dismiss: .dismiss
    case .presented(let button): .presented(.alert(button))
    }
  }
}

extension Duration {
  /// The duration as minutes, seconds, and tenths of a second.
  fileprivate var clock: String {
    let tenths = Int(self / .milliseconds(100))
    return String(format: "%d:%02d.%d", tenths / 600, tenths / 10 % 60, tenths % 10)
  }
}
