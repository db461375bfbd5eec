import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import VoskEngine

@Suite(.timeLimit(.minutes(2))) struct VoskLibraryTests {
  private func trouble(_ path: String) -> (searched: [String], remedy: String)? {
    do throws(SpeechEngineError) {
      _ = try VoskLibrary(path: path)
      return nil
    } catch {
      guard case .libraryMissing(let searched, let remedy) = error else { return nil }
      return (searched, remedy)
    }
  }

  @Test func `a path without a library is named, with what brings one`() throws {
    let trouble = try #require(self.trouble("/nowhere/libvosk.so"))
    #expect(trouble.searched == ["/nowhere/libvosk.so"])
    #expect(trouble.remedy.contains("No such file"))
    #expect(trouble.remedy.contains("pip install vosk"))
    #expect(trouble.remedy.contains("SYRINX_VOSK_LIBRARY"))
  }

  @Test func `a file that is no library is an error`() throws {
    let vosk = try FakeVosk()
    let trouble = try #require(self.trouble(vosk.model.appending(path: "conf/model.conf").path))
    #expect(trouble.remedy.contains("invalid ELF header") || trouble.remedy.contains("too short"))
  }

  @Test func `a function that is missing is named, and the version that has it`() throws {
    let vosk = try FakeVosk(flags: "-DLACKING")
    let remedy = try #require(self.trouble(vosk.library.path)).remedy
    #expect(remedy.contains("it has no vosk_recognizer_final_result"))
    #expect(remedy.contains("0.3.45"))
  }

  @Test func `the version is the one that pip has noted beside the library`() throws {
    let vosk = try FakeVosk(flags: "-DLACKING")
    let packages = vosk.folder.appending(path: "site-packages")
    for name in ["vosk", "vosk-0.3.7.dist-info"] {
      try FileManager.default.createDirectory(
        at: packages.appending(path: name), withIntermediateDirectories: true)
    }
    let library = packages.appending(path: "vosk/libvosk.so")
    try FileManager.default.copyItem(at: vosk.library, to: library)
    #expect(LibraryVersion(path: library.path)?.text == "0.3.7")
    #expect(
      try #require(self.trouble(library.path)).remedy.contains("version 0.3.7 has no vosk_recogn"))
    #expect(LibraryVersion(path: vosk.library.path) == nil)
  }

  @Test func `a library without what is optional does the rest, and says what it cannot do`() throws
  {
    let vosk = try FakeVosk(flags: "-DMINIMAL")
    let engine = vosk.engine
    let heard = try engine.makeSession(SpeechSessionOptions()).understand(
      speech(.go, .stop, silence: .zero))
    #expect(heard.texts == ["go", "stop"])
    #expect(heard.words.map(\.frames) == [0..<5_600, 5_600..<11_200])
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

  @Test func `the variable's library is the only one`() throws {
    let vosk = try FakeVosk()
    let named = LibraryLocation(
      chosen: nil, environment: ["SYRINX_VOSK_LIBRARY": vosk.library.path])
    #expect(try named.load().path == vosk.library.path)
    let wrong = LibraryLocation(
      chosen: nil,
      environment: [
        "SYRINX_VOSK_LIBRARY": "/nowhere/libvosk.so", "LD_LIBRARY_PATH": vosk.folder.path,
      ])
    #expect(throws: SpeechEngineError.self) { try wrong.load() }
    let chosen = LibraryLocation(
      chosen: vosk.library, environment: ["SYRINX_VOSK_LIBRARY": "/nowhere"])
    #expect(try chosen.load().path == vosk.library.path)
  }

  @Test func `the loader's path comes first, then where pip installs`() throws {
    let vosk = try FakeVosk()
    let package = vosk.folder.appending(path: "home/.local/lib/python3.11/site-packages/vosk")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    let installed = package.appending(path: "libvosk.so")
    try FileManager.default.copyItem(at: vosk.library, to: installed)
    let home = vosk.folder.appending(path: "home").path
    let user = LibraryLocation(chosen: nil, environment: ["HOME": home])
    #expect(user.found.contains(installed.path))
    let both = LibraryLocation(
      chosen: nil, environment: ["HOME": home, "LD_LIBRARY_PATH": "/nowhere:\(vosk.folder.path)"])
    #expect(both.found.first == vosk.library.path)
    let environment = LibraryLocation(
      chosen: nil, environment: ["VIRTUAL_ENV": home + "/.local"])
    #expect(environment.found.contains(installed.path))
  }

  @Test func `a missing library is reported with all places searched`() throws {
    let vosk = try FakeVosk()
    let location = LibraryLocation(
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

  @Test func `of two libraries the one that can be used is taken`() throws {
    let (whole, lacking) = (try FakeVosk(), try FakeVosk(flags: "-DLACKING"))
    let location = LibraryLocation(
      chosen: nil,
      environment: ["LD_LIBRARY_PATH": "\(lacking.folder.path):\(whole.folder.path)"])
    #expect(try location.load().path == whole.library.path)
  }
}
