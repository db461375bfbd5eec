import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine
import Synchronization

/// The library at the chosen path, or else the one that a search finds.
final class LibraryChoice: Sendable {
  private let chosen: FilePath?
  // Held while the library loads, once.
  private let loaded = Mutex<ONNXLibrary?>(nil)

  init(chosen: URL?) {
    self.chosen = chosen.map(FilePath.init)
  }

  /// - Throws: `.libraryMissing`; for a library that was found, with the reason that it cannot be
  ///   used.
  func load() throws(SpeechEngineError) -> ONNXLibrary {
    try loaded.withLock { library throws(SpeechEngineError) in
      if let library { return library }
      let found = try SpeechEngineError.during { () throws(ONNXError) in
        try ONNXLibrary.load(chosen: chosen)
      }
      library = found
      return found
    }
  }
}
