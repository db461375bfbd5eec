import ALSASoundCard
import AudioPlayerClientLive
import AudioRecorderClientLive
import FilePaths
import MoonshineEngine
import ONNXRuntime
import PocketSphinxEngine
import SileroDetector
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
    CommandLineProgram.run(
      engines: engines, usual: usual, detector: .best, preparation: preparation)
  }

  /// Moonshine where it is installed, else PocketSphinx.
  private static let usual = EngineMaker("best") {
    .best(modelDirectory: $0.modelDirectory, language: $0.language)
  }

  private static let engines = [
    EngineMaker("moonshine") {
      .moonshine(modelDirectory: $0.modelDirectory, language: $0.language)
    },
    EngineMaker("pocketsphinx") { .pocketSphinx(modelDirectory: $0.modelDirectory) },
    EngineMaker("vosk") { .vosk(modelDirectory: $0.modelDirectory, language: $0.language) },
    EngineMaker("wyoming") { .wyoming(server: $0.server ?? .usual) },
  ]

  private static let preparation = EnginePreparation.moonshine(
    files: [MoonshinePreparation.encoder, MoonshinePreparation.decoder].map(\.prepared)
  ) { folder, library in
    try MoonshinePreparation.prepare(
      InstalledFolder(FilePath(folder)), with: ONNXLibrary(path: FilePath(library)))
  }
}
