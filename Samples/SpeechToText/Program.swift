// Shows live speech as text on the terminal: swift run --traits Development SpeechToText [SOUND]
import Foundation
import ReducersMacros
import Syrinx
import TerminalScreen

@main
@MainActor
enum Program {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count < 2 else {
      print("usage: SpeechToText [SOUND]")
      exit(64)
    }
    do {
      let microphone = try arguments.first.map { try virtualMicrophone(URL(fileURLWithPath: $0)) }
      try await withDependencies {
        if let microphone { $0.soundCard = microphone }
      } operation: {
        try await TerminalScreen.run(run)
      }
    } catch {
      FileHandle.standardError.write(Data("SpeechToText: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ screen: TerminalScreen) async {
    let store = Store(initialState: SpeechToText.State()) { SpeechToText() }
    let drawing = Task {
      for await state in store.states { screen.draw(state.screen) }
    }
    for await key in screen.keys {
      if key == .character("q"), store.alert == nil { break }
      if let action = store.state.action(for: key) { store.send(action) }
    }
    drawing.cancel()
    await drawing.value
  }

  /// Returns a sound card whose microphone captures the first minute of a sound file, in real time.
  private static func virtualMicrophone(_ file: URL) throws -> SoundCard {
    let reader = try SoundFileReader(url: file)
    let sound = try reader.read(atMost: FrameCount(.seconds(60), at: reader.format.sampleRate))
    let pace = VirtualPace.lockstep(ContinuousClock(), slack: .milliseconds(50))
    return VirtualSoundCard(pace: pace, microphone: .buffer(sound)).soundCard
  }
}
