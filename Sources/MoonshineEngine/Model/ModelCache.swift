import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine
import Synchronization

/// Keeps the model that was used last, because sessions share it.
final class ModelCache: Sendable {
  // Held while a model loads: whoever waits for it wants that very model, and has its own thread.
  private let kept = Mutex<MoonshineModel?>(nil)

  /// The model of these files, which is loaded here and now where it is not the one that is kept.
  func model(
    _ files: MoonshineModelFiles, in library: ONNXLibrary
  ) throws(SpeechEngineError) -> MoonshineModel {
    try kept.withLock { kept throws(SpeechEngineError) in
      if let kept, kept.files == files, kept.library.path == library.path { return kept }
      // Free an unused model before loading the next one.
      kept = nil
      let model = try MoonshineModel(files, in: library)
      kept = model
      return model
    }
  }
}

/// The library that was chosen, or the one that is found.
struct LibraryChoice: Sendable {
  private let chosen: FilePath?
  // Held while a library loads, which is once.
  private let loaded = Loaded()

  private final class Loaded: Sendable {
    let library = Mutex<ONNXLibrary?>(nil)
  }

  init(chosen: URL?) {
    self.chosen = chosen.map(FilePath.init)
  }

  /// - Throws: `.libraryMissing`, with what is wrong where one was found.
  func load() throws(SpeechEngineError) -> ONNXLibrary {
    try loaded.library.withLock { library throws(SpeechEngineError) in
      if let library { return library }
      let found = try SpeechEngineError.during { () throws(ONNXError) in
        try ONNXLibrary.load(chosen: chosen)
      }
      library = found
      return found
    }
  }
}
