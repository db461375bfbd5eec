import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

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
    #expect(AcousticModelLanguage.tag(ofFilesNamed: paths) == tag)
  }

  @Test(arguments: [("fr-fr", "fr-FR"), ("words", "und")])
  func `a model of another language is called by it, and taken where that is asked for`(
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
