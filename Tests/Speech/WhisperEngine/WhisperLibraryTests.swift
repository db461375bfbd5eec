import FilePaths
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import WhisperEngine

@Suite(.timeLimit(.minutes(5))) struct WhisperLibraryTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Compiles a library with a function for each name, of which `whisper_version` returns `version`.
  private func library(version: String, lacking: String = "") throws -> URL {
    let names = """
      log_set context_default_params_by_ref free_context_params full_default_params_by_ref \
      free_params init_from_buffer_with_params_no_state free init_state free_state \
      full_with_state encode_with_state decode_with_state get_logits_from_state tokenize \
      token_to_str is_multilingual n_vocab token_eot token_sot token_prev token_nosp token_not \
      token_transcribe token_translate
      """.split(separator: " ").filter { $0 != lacking }
    let code =
      "#include <stdlib.h>\n"
      + "const char *whisper_version(void) { return \"\(version)\"; }\n"
      + names.map { "void *whisper_\($0)(void) { return calloc(1, 512); }\n" }.joined()
    let (source, library) = (folder.file("stub.c"), folder.file("libwhisper.so"))
    try code.write(to: source, atomically: true, encoding: .utf8)
    try Tool.run(
      "cc", package: "gcc", ["-shared", "-fPIC", "-w", "-o", library.path, source.path])
    return library
  }

  private func failure(_ library: URL) throws -> String {
    let engine = SpeechEngine.whisper(modelDirectory: folder.url, library: library)
    guard case .unavailable(let error) = engine.availability() else {
      Issue.record("the library is accepted")
      return ""
    }
    #expect(error.searchedPlaces == [library.path])
    return "\(error)"
  }

  @Test(arguments: ["1.7.6", "1.9.0", "2.8.5", ""])
  func `a library of another version is refused by its version`(version: String) throws {
    let sentence = try failure(library(version: version))
    let name = version.isEmpty ? "unknown" : version
    #expect(sentence.contains("its version is \(name), and only 1.8.x is supported"), "\(sentence)")
  }

  @Test func `a library with other parameters than those of version 1.8 is refused`() throws {
    let sentence = try failure(library(version: "1.8.9"))
    #expect(sentence.contains("its parameters are not those of version 1.8"), "\(sentence)")
  }

  @Test func `the error for a missing function, file, or library says what is missing`() throws {
    #expect(
      try failure(library(version: "1.8.5", lacking: "n_vocab")).contains("has no whisper_n_vocab"))
    #expect(try failure(folder.file("nothing.so")).contains("it is missing"))
    try Data("text".utf8).write(to: folder.file("text.so"))
    #expect(try failure(folder.file("text.so")).contains("cannot be loaded"))
  }

  @Test func `without a model, the error names what to install`() throws {
    let location = WhisperModelLocation(
      chosen: nil, environment: ["XDG_DATA_HOME": folder.url.path, "HOME": folder.url.path])
    #expect(
      throws: SpeechEngineError.modelNotInstalled(
        searched: ["\(folder.url.path)/syrinx/whisper-*"],
        remedy: "install libwhisper and the Whisper model")
    ) { try location.models() }
  }
}
