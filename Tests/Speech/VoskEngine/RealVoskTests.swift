import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import VoskEngine

/// The library from the wheel that pip installs, which includes no model.
@Suite(.timeLimit(.minutes(5))) struct RealVoskTests {
  /// The library, downloaded once; without PyPI, the tests that need it fail.
  private static let fetched = Result { try run("bash", [support("real-vosk.sh")]) }

  private let library: VoskLibrary

  init() throws {
    library = try VoskLibrary(path: Self.fetched.get())
  }

  @Test func `the installed libvosk has the known version and every function of that version`()
    throws
  {
    #expect(VoskLibrary.version(ofFile: library.path) == VoskLibrary.knownVersion)
    let functions = library.functions
    #expect(functions.findWord != nil && functions.newRecognizerForPhrases != nil)
    #expect(functions.setWords != nil && functions.setPartialWords != nil)
    #expect(functions.setMaxAlternatives != nil && functions.setLogLevel != nil)
    #expect(functions.setEndpointerMode == nil && functions.setEndpointerDelays == nil)
  }

  @Test func `a folder without a model is an error`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "graph"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try #require(VoskModelFiles(directory: folder.path))
    #expect {
      try VoskModel(files, with: library)
    } throws: { error in
      guard case .modelDamaged(folder.path, _) = error as? SpeechEngineError else { return false }
      return true
    }
  }

  @Test
  func `a model with truncated files passes validation, and loading it throws modelDamaged`()
    throws
  {
    let vosk = try FakeVosk()
    let engine = SpeechEngine.vosk(
      library: URL(filePath: library.path), modelDirectory: vosk.model)
    #expect(
      engine.availability() == .ready(SpeechModel(language: "en-US", location: vosk.model.path)))
    #expect {
      try engine.makeSession(SpeechSessionOptions())
    } throws: { error in
      guard case .modelDamaged(vosk.model.path, _) = error as? SpeechEngineError else {
        return false
      }
      return true
    }
  }

  @Test func `a missing folder makes the engine unavailable`() {
    let engine = SpeechEngine.vosk(
      library: URL(filePath: library.path), modelDirectory: URL(filePath: "/nowhere"))
    guard case .unavailable(let error) = engine.availability() else {
      Issue.record("it says that it is ready")
      return
    }
    #expect("\(error)".contains("/nowhere") && "\(error)".contains("does not exist"))
    #expect(engine.models().isEmpty)
  }
}
