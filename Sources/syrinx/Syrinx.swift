import ALSASoundCard
import AudioPlayerClientLive
import AudioRecorderClientLive
import PocketSphinxEngine
import SpeechClientLive
import SpeechEngine
import SyrinxCommand
import VoskEngine
import Wyoming
import WyomingEngine

/// The command: the live values of the modules imported here are what it works with.
@main
enum Syrinx {
  static func main() {
    CommandLineProgram.run(engines: engines)
  }

  private static let engines = [
    EngineMaker("pocketsphinx") { .pocketSphinx(modelDirectory: $0.modelDirectory) },
    EngineMaker("vosk") { .vosk(modelDirectory: $0.modelDirectory, language: $0.language) },
    EngineMaker("wyoming") { .wyoming(server: $0.server ?? .usual) },
  ]
}
