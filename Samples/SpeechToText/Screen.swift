import Foundation
import ReducersMacros
import TerminalScreen

extension SpeechToText.State {
  /// The lines on the screen.
  var screen: [String] {
    let text = (lines + (draft.isEmpty ? [] : ["\(draft) ..."])).flatMap { $0.wrapped(to: 79) }
      .suffix(15)
    let help = "[space] \(microphone == .closed ? "Listen" : "Stop")  [q] Quit"
    return ["Speech to text: \(microphone.status)", ""] + text + (alert?.lines ?? ["", help])
  }

  /// Returns the action of a key; nil if it has none.
  func action(for key: Key) -> SpeechToText.Action? {
    if let alert { return alert.action(for: key).map { .alert($0) } }
    guard key == .character(" ") else { return nil }
    return microphone == .closed ? .listenTapped : .stopTapped
  }
}

extension SpeechToText.Microphone {
  fileprivate var status: String {
    switch self {
    case .closed: "not listening"
    case .opening: "loading the model"
    case .open(let time): "listening \(time.components.seconds) s"
    }
  }
}
