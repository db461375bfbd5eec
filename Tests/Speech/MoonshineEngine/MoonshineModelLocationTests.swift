import FilePaths
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine

@Suite struct MoonshineModelLocationTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    for name in ["moonshine-base-en", "moonshine-tiny-ja", "mine", "moonshine-half"] {
      let model = folder.file("syrinx/\(name)")
      try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
      for file in ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"] {
        if name == "moonshine-half", file == "tokenizer.bin" { continue }
        try Data("x".utf8).write(to: model.appending(path: file))
      }
    }
  }

  private func location(
    _ environment: [String: String] = [:], chosen: URL? = nil
  ) -> MoonshineModelLocation {
    let data = FilePath(folder.file("")).text
    return MoonshineModelLocation(
      chosen: chosen, environment: ["XDG_DATA_HOME": data].merging(environment) { $1 })
  }

  @Test func `installed models are found, and one is chosen by its language`() throws {
    #expect(try location().models().map(\.language) == ["en", "ja"])
    #expect(try location().model(for: nil).language == "en")
    #expect(try location().model(for: "ja-JP").language == "ja")
    #expect(throws: SpeechEngineError.languageMissing(wanted: "fr", available: "en, ja")) {
      _ = try location().model(for: "fr")
    }
  }

  @Test
  func `if a folder is named, only that folder is searched, and its model serves any language`()
    throws
  {
    let mine = folder.file("syrinx/mine")
    for location in [
      location(chosen: mine), location(["SYRINX_MOONSHINE_MODEL": FilePath(mine).text]),
    ] {
      #expect(try location.models().map(\.directory) == [FilePath(mine)])
      #expect(try location.model(for: "fr").language == "und")
    }
  }

  @Test(arguments: [
    ("moonshine-base-en", "en"), ("tiny-JA", "ja"), ("uk", "uk"), ("moonshine-tiny-fr", "fr"),
    ("moonshine-new", "und"), ("base-ort", "und"), ("mine-old", "und"), ("base-v2", "und"),
    ("base-xx", "und"),
  ])
  func `a model's language is the code at the end of its folder's name, or unknown`(
    name: String, language: String
  ) {
    #expect(MoonshineModelFiles(directory: FilePath(name)).language == language)
  }

  @Test
  func `the error for a missing model lists the searched folders and the installation command`() {
    #expect {
      try location(["XDG_DATA_HOME": "/nowhere"]).models()
    } throws: { error in
      "\(error)".contains("/nowhere/syrinx/moonshine-*")
        && "\(error)".contains("install ONNX Runtime and the Moonshine model")
    }
    #expect {
      try location(chosen: folder.file("syrinx/moonshine-half")).models()
    } throws: { "\($0)".contains("tokenizer.bin") && "\($0)".contains("it is missing") }
  }
}
