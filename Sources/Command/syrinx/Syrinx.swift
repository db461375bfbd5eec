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
import WhisperEngine
import Wyoming
import WyomingEngine

/// The executable: it links the live values of the modules imported here.
@main
enum Syrinx {
  static func main() {
    CommandLineProgram.run(
      engines: engines, defaultEngine: defaultEngine, detector: .best, preparation: preparation)
  }

  /// The default engine: the best installed engine for the language.
  private static let defaultEngine = EngineMaker("best") {
    .best(modelDirectory: $0.modelDirectory, language: $0.language)
  }

  private static let engines = [
    EngineMaker("moonshine") {
      .moonshine(modelDirectory: $0.modelDirectory, language: $0.language)
    },
    EngineMaker("pocketsphinx") { .pocketSphinx(modelDirectory: $0.modelDirectory) },
    EngineMaker("vosk") { .vosk(modelDirectory: $0.modelDirectory, language: $0.language) },
    EngineMaker("whisper") {
      .whisper(modelDirectory: $0.modelDirectory, language: $0.language)
    },
    EngineMaker("wyoming") { .wyoming(server: $0.server ?? .usual) },
  ]

  private static let preparation = EnginePreparation.moonshine(
    files: InstalledFolder.preparedMoonshineFiles
  ) { folder, library in
    try InstalledFolder(FilePath(folder))
      .prepareMoonshine(with: ONNXLibrary(path: FilePath(library)))
  }
}
