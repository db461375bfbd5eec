import AudioCore
import FilePaths
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine

@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(5))) struct SpeechEngineMoonshineTests {
  @Test func `the engine reports its model and its capabilities`() throws {
    let engine = try RealModel.engine
    let folder = try RealModel.folder.text
    #expect(engine.name == "moonshine")
    #expect(engine.availability() == .ready(SpeechModel(language: "en", location: folder)))
    #expect(engine.models() == [SpeechModel(language: "en", location: folder)])
    #expect(!engine.capabilities.contains(.keyPhrases) && !engine.isRemote)
    let traits = try engine.makeSession(SpeechSessionOptions()).traits
    #expect(traits.decodeInterval == .milliseconds(300))
    #expect(traits.utteranceLength.upperBound == .seconds(20))
  }

  @Test func `the error for a missing model or library contains the installation command`() throws {
    for (engine, remedy) in [
      (
        SpeechEngine.moonshine(
          modelDirectory: URL(filePath: "/nowhere"),
          library: try ONNXComponents.path("onnxruntime/libonnxruntime.so").url),
        "the folder does not exist"
      ),
      (
        SpeechEngine.moonshine(library: URL(filePath: "/nowhere/libonnxruntime.so")),
        "install ONNX Runtime and the Moonshine model"
      ),
    ] {
      guard case .unavailable(let error) = engine.availability() else {
        Issue.record("it says that it is ready")
        continue
      }
      #expect("\(error)".contains("/nowhere"))
      #expect("\(error)".contains(remedy))
      #expect(engine.models().isEmpty)
    }
  }

  @Test func `a model without a language has word times in the requested language`()
    throws
  {
    let folder = try TestFolder()
    let mine = folder.file("mine")
    try FileManager.default.createSymbolicLink(at: mine, withDestinationURL: RealModel.folder.url)
    let engine = SpeechEngine.moonshine(
      modelDirectory: mine,
      library: try ONNXComponents.path("onnxruntime/libonnxruntime.so").url)
    #expect(engine.models().map(\.language) == ["und"])
    for (language, isMeasured) in [("en-US", true), ("fr", false)] {
      let session = try engine.makeSession(SpeechSessionOptions(language: language))
      #expect(try session.recognize(Clip.goForward.samples).hasEstimatedTimes != isMeasured)
    }
  }

  @Test
  func `PocketSphinx is the best engine for key phrases and for languages that only it supports`()
    throws
  {
    let folder = try TestFolder()
    let japanese = folder.file("moonshine-tiny-ja")
    try FileManager.default.createSymbolicLink(
      at: japanese, withDestinationURL: RealModel.folder.url)
    let best = SpeechEngine.best(modelDirectory: japanese)
    var phrases = SpeechSessionOptions(language: "ja")
    phrases.keyPhrases = [KeyPhrase("go forward")]
    for options in [phrases, SpeechSessionOptions(language: "en")] {
      let engine = try #require(best.choose(options))
      #expect(engine.name == "pocketsphinx")
    }
    #expect(best.choose(SpeechSessionOptions(language: "ja"))?.name == "moonshine")
    #expect(best.choose(SpeechSessionOptions(language: "fr"))?.name == "moonshine")
    #expect(best.choose(SpeechSessionOptions())?.name == "moonshine")
    #expect(best.models().contains { $0.language.hasPrefix("en") })
    let session = try best.makeSession(SpeechSessionOptions(language: "en"))
    #expect(try session.recognize(Clip.goForward.samples).text == "go forward ten meters")
  }

  @Test func `the best engine always supports key phrases`() throws {
    #expect(["moonshine", "pocketsphinx"].contains(SpeechEngine.best.name))
    var options = SpeechSessionOptions()
    options.keyPhrases = [KeyPhrase("go forward")]
    #expect(SpeechEngine.best.capabilities.contains(.keyPhrases))
    #expect(
      try SpeechEngine.best.makeSession(options).recognize(Clip.goForward.samples).text
        == "go forward")
  }
}
