import AudioCore
import FilePaths
import Foundation
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import WhisperEngine

/// Recognizes with the installed model.
@Suite(.installedWhisper, .ownThread, .timeLimit(.minutes(10))) struct WhisperSessionTests {
  private static let made = Result {
    SpeechEngine.whisper(
      modelDirectory: try ONNXComponents.path("whisper-base").url,
      library: try ONNXComponents.path("libwhisper/libwhisper.so").url)
  }

  private func session(
    _ language: String? = nil, _ change: (inout SpeechSessionOptions) -> Void = { _ in }
  ) throws -> any SpeechEngineSession {
    var options = SpeechSessionOptions(language: language)
    change(&options)
    return try Self.made.get().makeSession(options)
  }

  /// Returns the samples of a recording beside `SYRINX_SPEECH_DATA`; nil if there is none.
  private func recording(_ name: String) throws -> [Float]? {
    guard let folder = Clip.folder?.deletingLastPathComponent(),
      FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    else { return nil }
    return try SoundFileReader(url: folder.appending(path: name)).read(atMost: 1_000_000).samples
  }

  @Test func `the engine reports its model and its capabilities`() throws {
    let engine = try Self.made.get()
    let file = try ONNXComponents.path("whisper-base/ggml-base-q8_0.bin").text
    #expect(engine.name == "whisper")
    #expect(engine.availability() == .ready(SpeechModel(language: "mul", location: file)))
    let models = engine.models()
    #expect(models.count == 99 && models.contains(SpeechModel(language: "ja", location: file)))
    #expect(engine.capabilities.isSuperset(of: [.languageDetection, .translation]))
    #expect(!engine.capabilities.contains(.grammar) && !engine.isRemote)
  }

  @Test(arguments: ["en", "en-GB"])
  func `English in a requested language has words, confidences, and no detected language`(
    language: String
  ) throws {
    let hypothesis = try session(language).recognize(Clip.goForward.samples)
    #expect(Clip.goForwardTexts.contains(hypothesis.text), "\(hypothesis.text)")
    #expect(hypothesis.language == nil && hypothesis.hasEstimatedTimes)
    #expect(hypothesis.words.allSatisfy { (0.1...1).contains($0.confidence ?? 0) })
    #expect(hypothesis.probability ?? 0 > 0.6)
  }

  @Test func `without a language, and with auto, the language is detected`() throws {
    for language in [nil, "auto"] {
      let found = try session(language).recognize(Clip.goForward.samples).language
      #expect(found?.tag == "en" && found?.probability ?? 0 > 0.5)
    }
  }

  @Test(arguments: [
    ("languages/es.flac", "es", "Esta es una grabación de LibriVox."),
    ("languages/ja.flac", "ja", "東京は晴れでした"), ("korean/ko-001.wav", "ko", "옆으로 걸어갔다."),
  ])
  func `other languages are recognized, requested or detected`(
    file: String, tag: String, text: String
  ) throws {
    guard let samples = try recording(file) else { return }
    for language in [tag, "auto"] {
      let hypothesis = try session(language).recognize(samples)
      let found = hypothesis.words.map(\.text).joined(separator: tag == "ja" ? "" : " ")
      #expect(found.contains(text), "\(found)")
      #expect(hypothesis.language?.tag == (language == "auto" ? tag : nil))
    }
  }

  @Test func `Spanish is translated into English`() throws {
    guard let samples = try recording("languages/es.flac") else { return }
    let text = try session("es") { $0.translates = true }.recognize(samples).text
    #expect(text.contains("recording") && text.contains("public domain"), "\(text)")
  }

  @Test(arguments: [1, 2, 8])
  func `silence and noise have no words that a client would accept`(seconds: Int) throws {
    var random = SeededNumbers(seed: 3)
    let count = 16_000 * seconds
    let silence = [Float](repeating: 0, count: count)
    let noise = (0..<count).map { _ in Float(random.normal()) * 0.05 }
    let quiet = (0..<count).map { _ in Float(random.normal()) * 0.001 }
    for language in ["en", "es"] {
      let session = try session(language)
      for sound in [silence, noise, quiet] {
        let hypothesis = try session.recognize(sound)
        #expect(hypothesis.words.isEmpty, "\(language): \(hypothesis.text)")
      }
    }
  }

  @Test func `the words depend only on the utterance`() throws {
    let session = try session("en")
    let first = try session.recognize(Clip.goForward.samples)
    let long = try session.recognize(
      Array(repeating: Clip.goForward.samples, count: 4).flatMap { $0 })
    #expect(long.words.count >= 4)
    let again = try session.recognize(Clip.goForward.samples)
    #expect(again.words == first.words && again.probability == first.probability)
  }

  @Test func `an unfinished utterance has words, which are decoded again only with more audio`()
    throws
  {
    let (session, samples) = (try session("en"), try Clip.goForward.samples)
    try session.beginUtterance()
    try session.process(Array(samples.prefix(8_000)))
    #expect(try session.hypothesis.words.isEmpty)
    try session.process(Array(samples.dropFirst(8_000)))
    let partial = try session.hypothesis
    #expect(partial.text.hasPrefix("Go forward"), "\(partial.text)")
    #expect(try session.hypothesis.revision == partial.revision)
    try session.anticipateEnd()
    try session.process([Float](repeating: 0, count: 3_200))
    let anticipated = try session.hypothesis
    #expect(try session.finishUtterance() == anticipated)
  }

  @Test func `an interruption ends the current call and all later calls`() async throws {
    let session = try session("en")
    let interrupt = session.interrupt
    try session.beginUtterance()
    try session.process(Array(repeating: Clip.goForward.samples, count: 9).flatMap { $0 })
    let canceling = Task.detached { interrupt() }
    // The call may end before the interruption.
    let outcome = Result { try session.finishUtterance() }
    await canceling.value
    if case .failure(let error) = outcome {
      #expect(error as? SpeechEngineError == .interrupted)
    }
    #expect(throws: SpeechEngineError.interrupted) { try session.beginUtterance() }
    #expect(throws: SpeechEngineError.interrupted) { try session.process([0]) }
  }

  @Test func `contextual phrases change the spelling of the words`() throws {
    let samples = try Clip.goForward.samples
    let hinted = try session("en") { $0.contextualPhrases = ["GO FORWARD", "METRES"] }
      .recognize(samples)
    #expect(hinted.words.count == 4, "\(hinted.text)")
    #expect(hinted.text.lowercased().hasPrefix("go forward"), "\(hinted.text)")
  }

  @Test(arguments: ["a", " ", "語"])
  func `contextual phrases of 100,000 characters do not crash`(character: String) throws {
    let phrase = String(repeating: character, count: 100_000)
    let session = try session("en") { $0.contextualPhrases = [phrase, "forward"] }
    #expect(try session.recognize(Clip.goForward.samples).text.contains("forward"))
  }

  @Test func `an utterance without sound has no words and takes no decode`() throws {
    let session = try session("en")
    #expect(try session.recognize([]).words.isEmpty)
    #expect(try session.recognize([Float](repeating: 0, count: 480_000)).words.isEmpty)
  }

  @Test func `unsupported options and unknown languages are errors`() throws {
    let unsupported: [(inout SpeechSessionOptions) -> Void] = [
      { $0.grammar = "#JSGF V1.0; grammar g; public <g> = yes;" },
      { $0.keyPhrases = [KeyPhrase("hey")] }, { $0.alternativeCount = 2 },
      { $0.engineOptions = ["beam": "5"] }, { $0.language = "tlh" },
    ]
    for change in unsupported {
      #expect(throws: SpeechEngineError.self) { try session("en", change) }
    }
  }

  @Test(arguments: [9 as UInt64])
  func `a damaged copy of the model fails or runs, but does not crash`(seed: UInt64) async throws {
    let folder = try TestFolder()
    let model = try Data(contentsOf: ONNXComponents.path("whisper-base/ggml-base-q8_0.bin").url)
    let library = try ONNXComponents.path("libwhisper/libwhisper.so").text
    var random = SeededNumbers(seed: seed)
    let count = ProcessInfo.processInfo.environment["SYRINX_TEST_DAMAGED_COPIES"].flatMap {
      Int($0)
    }
    for copy in 0..<(count ?? 10) {
      var damaged = model
      for _ in 0..<3 {
        let place = Int.random(
          in: 0..<(copy.isMultiple(of: 2) ? 2_000_000 : model.count), using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      try damaged.write(to: folder.file("ggml-base.bin"))
      await #expect(processExitsWith: .success, "copy \(copy)") {
        [path = folder.url.path as String, library = library as String] in
        let engine = SpeechEngine.whisper(
          modelDirectory: URL(filePath: path), library: URL(filePath: library))
        do {
          let session = try engine.makeSession(SpeechSessionOptions(language: "en"))
          try session.beginUtterance()
          try session.process([Float](repeating: 0.1, count: 16_000))
          _ = try session.hypothesis
        } catch {
          if error as? SpeechEngineError == nil { exit(2) }
        }
      }
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// The trait of tests that need the installed libwhisper and model.
  static var installedWhisper: Self {
    .enabled(if: ONNXComponents.haveWhisper, "Tests/run.sh has not installed Whisper")
  }
}
