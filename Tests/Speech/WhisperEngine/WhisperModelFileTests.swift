import FilePaths
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import WhisperEngine

@Suite(.timeLimit(.minutes(5))) struct WhisperModelFileTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func write(_ bytes: [UInt8], _ name: String = "ggml-tiny.bin") throws -> WhisperModelFile
  {
    try Data(bytes).write(to: folder.file(name))
    return WhisperModelFile(path: FilePath(folder.file(name)))
  }

  private func damage(of file: WhisperModelFile) -> String? {
    do throws(SpeechEngineError) { try file.validate() } catch {
      guard case .modelDamaged(file.location, let reason) = error else { return "\(error)?" }
      return reason
    }
    return nil
  }

  @Test func `a file with the structure of a model is valid`() throws {
    #expect(try damage(of: write(TinyWhisperModel().bytes)) == nil)
  }

  @Test(arguments: [7 as UInt64])
  func `each of 100 files cut at some length is reported as damaged`(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let model = TinyWhisperModel()
    for _ in 0..<100 {
      let length = Int.random(in: 1..<model.bytes.count, using: &random)
      let reason = try damage(of: write(Array(model.bytes.prefix(length))))
      #expect(reason != nil && reason?.hasSuffix("?") == false, "\(length): \(reason ?? "valid")")
    }
  }

  @Test(arguments: [8 as UInt64])
  func `each of 100 files with an absurd number is reported as damaged`(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let model = TinyWhisperModel()
    for _ in 0..<100 {
      var changed = model
      let offset = model.numberOffsets.randomElement(using: &random) ?? 0
      changed.set(UInt32.random(in: 100_001...(.max), using: &random), at: offset)
      let reason = try damage(of: write(changed.bytes))
      #expect(reason != nil && reason?.hasSuffix("?") == false, "\(offset): \(reason ?? "valid")")
    }
  }

  @Test func `the reason of damage names what is wrong`() throws {
    #expect(try damage(of: write(Array("RIFF....WAVE".utf8)))?.contains("not a ggml file") == true)
    #expect(
      try damage(of: write(TinyWhisperModel().bytes.dropLast()))?.contains("cut short") == true)
    let missing = try damage(of: write(TinyWhisperModel().bytes.dropLast(16 + 9 + 128)))
    #expect(missing == "it has 49 weights instead of 50")
    let more = TinyWhisperModel().bytes + TinyWhisperModel().bytes.suffix(16 + 9 + 128)
    #expect(try damage(of: write(more)) == "it has the weight weight.49 twice")
  }

  @Test func `a folder, a pipe, and an empty file are no models`() throws {
    #expect(try damage(of: write([])) == "it is empty")
    #expect(mkfifo(folder.file("ggml-pipe.bin").path, 0o600) == 0)
    let pipe = WhisperModelFile(path: FilePath(folder.file("ggml-pipe.bin")))
    #expect(damage(of: pipe) == "it is not a regular file")
  }

  @Test func `a location is a file or a folder, and the vocabulary of an English model is smaller`()
    throws
  {
    var english = TinyWhisperModel()
    english.set(51_864, at: english.numberOffsets[1])
    _ = try write(english.bytes, "ggml-small.bin")
    let file = try write(TinyWhisperModel().bytes, "ggml-tiny.bin")
    let models = { (url: URL?, environment: [String: String]) in
      try WhisperModelLocation(chosen: url, environment: environment).models()
    }
    #expect(try models(folder.url, [:]).map(\.language) == ["en", "mul"])
    #expect(try models(folder.file("ggml-tiny.bin"), [:]) == [file])
    #expect(try models(nil, ["SYRINX_WHISPER_MODEL": file.location]) == [file])
    let location = WhisperModelLocation(chosen: folder.url, environment: [:])
    #expect(try location.model(for: "es-MX") == file)
    #expect(try location.model(for: "auto").language == "en")
    #expect(throws: SpeechEngineError.self) { try models(folder.file("missing.bin"), [:]) }
  }

  @Test func `the error for a language that Whisper does not know has the number of languages`()
    throws
  {
    let location = WhisperModelLocation(
      chosen: FilePath(try write(TinyWhisperModel().bytes).location).url, environment: [:])
    #expect {
      try location.model(for: "xx")
    } throws: {
      "\($0)".contains("knows en, es, fr, de, or 95 others") && "\($0)".contains("not xx")
    }
  }

  @Test func `tags with regions, scripts, and other codes map to the languages of the models`() {
    let codes = [
      "en": 0, "ZH-Hant-TW": 1, "es_419": 3, "nb-NO": 29, "fil": 89, "jv": 97, "jw": 97, "yue": 99,
    ]
    for (tag, index) in codes { #expect(WhisperLanguage.code(for: tag) == index, "\(tag)") }
    for tag in ["", "-", "english", "und", "mul", "auto"] {
      #expect(WhisperLanguage.code(for: tag) == nil, "\(tag)")
    }
  }
}
