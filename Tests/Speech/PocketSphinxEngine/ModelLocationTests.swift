import AudioCore
import Foundation
import SpeechEngine
import Testing
import TestTools

@testable import PocketSphinxEngine

@Suite struct ModelLocationTests {
  @Test(arguments: [
    ("/nowhere/model", "the folder does not exist"), ("/proc/self", "the folder contains no model"),
  ])
  func `the error for a folder without a model names the folder, and no package`(
    folder: String, reason: String
  ) {
    for location in [
      ModelLocation(chosen: URL(filePath: folder), environment: [:]),
      ModelLocation(chosen: nil, environment: ["SYRINX_POCKETSPHINX_MODEL": folder]),
    ] {
      guard case .unavailable(let error) = location.availability else {
        Issue.record("it says that it is ready")
        continue
      }
      #expect("\(error)".contains(folder) && "\(error)".contains(reason))
      #expect(!"\(error)".contains("install"))
    }
  }

  @Test
  func `the caller's directory is used, or else the environment's, or else Debian's`() {
    let environment = ["SYRINX_POCKETSPHINX_MODEL": "/from/environment"]
    #expect(ModelLocation(chosen: nil, environment: [:]).directory == ModelFolder.system)
    #expect(ModelLocation(chosen: nil, environment: environment).directory == "/from/environment")
    #expect(
      ModelLocation(chosen: URL(filePath: "/chosen"), environment: environment).directory
        == "/chosen")
  }

  @Test func `an installed model is ready`() {
    #expect(
      ModelLocation(chosen: nil, environment: [:]).availability
        == .ready(SpeechModel(language: "en-US", location: ModelFolder.system)))
  }

  @Test
  func `a directory without a dictionary is reported as damage, and no other directory is used`()
    throws
  {
    let folder = try ModelFolder()
    try folder.remove("cmudict-en-us.dict")
    #expect(
      folder.engine.availability()
        == .unavailable(
          .modelDamaged(path: folder.url.path, reason: "it has no dictionary (*.dict)")))
  }
}

@Suite struct AcousticModelLanguageTests {
  @Test(arguments: [
    (["/m/en-us", "/m/en-us/cmudict-en-us.dict"], "en-US"),
    (["/m/fr-fr/", "/m/fr-fr/cmudict-en-us.dict"], "fr-FR"),
    (["/m/cmusphinx-it-5.2", "/m/cmusphinx-it-5.2/it.dict"], "it"),
    (["/m/fr", "/m/fr/dictionary.dict", "/m/fr/fr-ca"], "fr-CA"),
    (["/m/DE_at"], "de-AT"), (["/m/voxforge-de-20171217"], "de"),
    (["/m/mine", "/m/mine/words.dict", "/m/mine/en-us.lm.bin"], "en-US"),
    (["/m/my-model-of-today", "/m/my-model-of-today/words.dict"], "und"), (["/"], "und"),
  ])
  func `a model's language follows from its name`(paths: [String], tag: String) {
    #expect(ModelFiles.tag(ofFilesNamed: paths) == tag)
  }

  @Test(arguments: [("fr-fr", "fr-FR"), ("words", "und")])
  func `a model of another language reports that language, and serves requests for it`(
    name: String, tag: String
  ) throws {
    let folder = try ModelFolder()
    let moved = folder.url.appending(path: name)
    try FileManager.default.createDirectory(at: moved, withIntermediateDirectories: true)
    for (old, new) in [
      ("en-us", "acoustic"), ("cmudict-en-us.dict", "words.dict"), ("en-us.lm.bin", "words.lm.bin"),
    ] {
      try FileManager.default.moveItem(
        at: folder.url.appending(path: old), to: moved.appending(path: new))
    }
    let location = ModelLocation(chosen: moved, environment: [:])
    #expect(location.availability == .ready(SpeechModel(language: tag, location: moved.path)))
    try location.check(language: "fr-FR")
    try location.check(language: nil)
    guard tag != "und" else { return }
    #expect(throws: SpeechEngineError.languageMissing(wanted: "en-US", available: "fr-FR")) {
      try location.check(language: "en-US")
    }
  }
}
