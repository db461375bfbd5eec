// Records and plays memos on the terminal:
// swift run --traits Development VoiceMemos [FOLDER [virtual]]
import Foundation
import ReducersMacros
import Syrinx
import TerminalScreen

@main
@MainActor
enum Program {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count < 2 || (arguments.count == 2 && arguments.last == "virtual") else {
      print("usage: VoiceMemos [FOLDER [virtual]]")
      exit(64)
    }
    do {
      try await withDependencies {
        if let folder = arguments.first { $0.memos = .folder(URL(fileURLWithPath: folder)) }
        if arguments.count == 2 { $0.soundCard = virtualSoundCard }
      } operation: {
        try await TerminalScreen.run(run)
      }
    } catch {
      FileHandle.standardError.write(Data("VoiceMemos: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ screen: TerminalScreen) async {
    let store = Store(initialState: VoiceMemos.State()) { VoiceMemos() }
    let drawing = Task {
      for await state in store.states { screen.draw(state.screen) }
    }
    store.send(.onAppear)
    for await key in screen.keys {
      if key == .character("q"), store.destination == nil { break }
      if let action = store.state.action(for: key) { store.send(action) }
    }
    await store.send(.quitTapped).finish()
    drawing.cancel()
    await drawing.value
  }

  /// A virtual card that captures a soft tone and plays nothing audible.
  private static var virtualSoundCard: SoundCard {
    let tone = VirtualMicrophone.signal(.sine(440, amplitude: 0.1))
    let pace = VirtualPace.lockstep(ContinuousClock(), slack: .milliseconds(50))
    return VirtualSoundCard(pace: pace, microphone: tone, keepsPlayback: false).soundCard
  }
}
