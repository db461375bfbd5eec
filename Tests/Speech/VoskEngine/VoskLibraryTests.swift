import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import VoskEngine

@Suite(.timeLimit(.minutes(5))) struct VoskLibraryTests {
  private func failure(_ path: String) -> (searched: [String], remedy: String)? {
    do throws(SpeechEngineError) {
      _ = try VoskLibrary(path: path)
      return nil
    } catch {
      guard case .libraryMissing(let searched, let remedy) = error else { return nil }
      return (searched, remedy)
    }
  }

  @Test func `the error for a missing library contains the path and the installation command`()
    throws
  {
    let failure = try #require(self.failure("/nowhere/libvosk.so"))
    #expect(failure.searched == ["/nowhere/libvosk.so"])
    #expect(failure.remedy.contains("No such file"))
    #expect(failure.remedy.contains("pip install --break-system-packages vosk"))
    #expect(failure.remedy.contains("SYRINX_VOSK_LIBRARY"))
  }

  @Test func `a file that is not a library is an error`() throws {
    let vosk = try FakeVosk()
    let failure = try #require(self.failure(vosk.model.appending(path: "conf/model.conf").path))
    #expect(failure.remedy.contains("invalid ELF header") || failure.remedy.contains("too short"))
  }

  @Test func `the error for a missing function contains its name and the required version`() throws
  {
    let vosk = try FakeVosk(flags: "-DLACKING")
    let remedy = try #require(self.failure(vosk.library.path)).remedy
    #expect(remedy.contains("it has no vosk_recognizer_final_result"))
    #expect(remedy.contains("0.3.45"))
  }

  @Test func `the version is read from pip's files beside the library`() throws {
    let vosk = try FakeVosk(flags: "-DLACKING")
    let packages = vosk.folder.appending(path: "site-packages")
    for name in ["vosk", "vosk-0.3.7.dist-info"] {
      try FileManager.default.createDirectory(
        at: packages.appending(path: name), withIntermediateDirectories: true)
    }
    let library = packages.appending(path: "vosk/libvosk.so")
    try FileManager.default.copyItem(at: vosk.library, to: library)
    #expect(VoskLibrary.version(ofFile: library.path) == "0.3.7")
    #expect(
      try #require(self.failure(library.path)).remedy.contains("version 0.3.7 has no vosk_recogn"))
    #expect(VoskLibrary.version(ofFile: vosk.library.path) == nil)
  }

  @Test func `a library without optional functions works, and reports unsupported requests`() throws
  {
    let vosk = try FakeVosk(flags: "-DMINIMAL")
    let engine = vosk.engine
    let result = try engine.makeSession(SpeechSessionOptions()).understand(
      speech(.go, .stop, silence: .zero))
    #expect(result.texts == ["go", "stop"])
    #expect(result.words.map(\.frames) == [0..<5_600, 5_600..<11_200])
    var options = SpeechSessionOptions()
    options.alternativeCount = 1
    #expect {
      try engine.makeSession(options)
    } throws: {
      "\($0)".contains("vosk_recognizer_set_max_alternatives")
    }
    let grammar = SpeechSessionOptions(grammar: "#JSGF V1.0;\npublic <a> = go;")
    #expect {
      try engine.makeSession(grammar)
    } throws: {
      "\($0)".contains("vosk_recognizer_new_grm")
    }
  }

  @Test func `if the environment variable names a library, no other library is loaded`() throws {
    let vosk = try FakeVosk()
    let named = VoskLibraryLocation(
      chosen: nil, environment: ["SYRINX_VOSK_LIBRARY": vosk.library.path])
    #expect(try named.load().path == vosk.library.path)
    let wrong = VoskLibraryLocation(
      chosen: nil,
      environment: [
        "SYRINX_VOSK_LIBRARY": "/nowhere/libvosk.so", "LD_LIBRARY_PATH": vosk.folder.path,
      ])
    #expect(throws: SpeechEngineError.self) { try wrong.load() }
    let chosen = VoskLibraryLocation(
      chosen: vosk.library, environment: ["SYRINX_VOSK_LIBRARY": "/nowhere"])
    #expect(try chosen.load().path == vosk.library.path)
  }

  @Test func `the loader's path is searched first, then pip's folders`() throws {
    let vosk = try FakeVosk()
    let package = vosk.folder.appending(path: "home/.local/lib/python3.11/site-packages/vosk")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    let installed = package.appending(path: "libvosk.so")
    try FileManager.default.copyItem(at: vosk.library, to: installed)
    let home = vosk.folder.appending(path: "home").path
    let user = VoskLibraryLocation(chosen: nil, environment: ["HOME": home])
    #expect(user.found.contains(installed.path))
    let both = VoskLibraryLocation(
      chosen: nil, environment: ["HOME": home, "LD_LIBRARY_PATH": "/nowhere:\(vosk.folder.path)"])
    #expect(both.found.first == vosk.library.path)
    let environment = VoskLibraryLocation(
      chosen: nil, environment: ["VIRTUAL_ENV": home + "/.local"])
    #expect(environment.found.contains(installed.path))
  }

  @Test func `the error for a missing library lists all searched paths`() throws {
    let vosk = try FakeVosk()
    let location = VoskLibraryLocation(
      chosen: nil, environment: ["HOME": vosk.folder.path, "CONDA_PREFIX": "/nowhere/conda"])
    guard location.found.isEmpty else { return }
    #expect {
      try location.load()
    } throws: { error in
      guard case .libraryMissing(let searched, _) = error as? SpeechEngineError else {
        return false
      }
      let text = searched.joined(separator: "\n")
      return text.contains("/usr/local/lib") && text.contains("/nowhere/conda, \(vosk.folder.path)")
    }
  }

  @Test func `an unusable library is skipped if the next library is usable`() throws {
    let (whole, lacking) = (try FakeVosk(), try FakeVosk(flags: "-DLACKING"))
    let location = VoskLibraryLocation(
      chosen: nil,
      environment: ["LD_LIBRARY_PATH": "\(lacking.folder.path):\(whole.folder.path)"])
    #expect(try location.load().path == whole.library.path)
  }
}
