import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine
import Synchronization

/// Keeps the last used model, so that sessions share it.
final class MoonshineModelCache: Sendable {
  // Held while a model loads, because every waiting thread needs that model.
  private let kept = Mutex<MoonshineModel?>(nil)

  /// The model of these files; loads it unless it is the kept one.
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

/// The library at the chosen path, or else the one that a search finds.
struct LibraryChoice: Sendable {
  private let chosen: FilePath?
  // Held while the library loads, once.
  private let loaded = Loaded()

  private final class Loaded: Sendable {
    let library = Mutex<ONNXLibrary?>(nil)
  }

  init(chosen: URL?) {
    self.chosen = chosen.map(FilePath.init)
  }

  /// - Throws: `.libraryMissing`; for a library that was found, with the reason that it cannot be
  ///   used.
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
