import AudioCore
import FilePaths
import Foundation
import ONNXRuntime
import PocketSphinxEngine
import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine

@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(60))) struct MoonshineSessionTests {
  @Test func `an utterance has words with punctuation, confidence, and measured times`() throws {
    let final = try RealModel.session().recognize(Clip.goForward.samples)
    #expect(Clip.goForwardTexts.contains(final.text))
    #expect(final.words.allSatisfy { (0.3...1).contains($0.confidence ?? 0) })
    #expect(!final.hasEstimatedTimes)
    let begins = final.words.map { Double($0.frames.lowerBound.rawValue) / 16_000 }
    for (begin, known) in zip(begins, [0.48, 0.71, 1.13, 1.41]) {
      #expect(abs(begin - known) <= 0.07)
    }
  }

  @Test func `without measured word times, times are estimated and the text does not change`()
    throws
  {
    var options = SpeechSessionOptions()
    options.measuresWordTimes = false
    let final = try RealModel.session(options).recognize(Clip.goForward.samples)
    #expect(Clip.goForwardTexts.contains(final.text))
    #expect(final.hasEstimatedTimes)
  }

  @Test func `reading partial hypotheses does not change the final hypothesis`()
    throws
  {
    let audio = try Clip.goForward.samples
    let whole = try RealModel.session().recognize(audio)
    let session = try RealModel.session()
    try session.beginUtterance()
    #expect(try session.hypothesis == SpeechHypothesis())
    var partials: [SpeechHypothesis] = []
    for begin in stride(from: 0, to: audio.count, by: 8_000) {
      try session.process(Array(audio[begin..<min(begin + 8_000, audio.count)]))
      partials.append(try session.hypothesis)
      #expect(try session.hypothesis == partials.last)
    }
    #expect(partials.contains { $0.words.count == 4 && $0.hasEstimatedTimes })
    #expect(Set(partials.map(\.revision)).count == partials.count)
    let final = try session.finishUtterance()
    #expect(final.words.map(\.text) == whole.words.map(\.text))
    #expect(final.words.map(\.frames) == whole.words.map(\.frames))
  }

  @Test
  func `if no speech follows the anticipated end, the early decode is the final result`()
    throws
  {
    let audio = try Clip.goForward.samples
    let session = try RealModel.session()
    let spoken = Array(audio.prefix(36_000))
    try session.beginUtterance()
    try session.process(spoken)
    try session.anticipateEnd()
    try session.process([Float](repeating: 0, count: 8_000))
    let early = try session.finishUtterance()
    let plain = try session.recognize(spoken)
    #expect(early.words == plain.words && early.revision.map { $0 + 1 } == plain.revision)

    try session.beginUtterance()
    try session.process(spoken)
    try session.anticipateEnd()
    try session.process(audio)
    let late = try session.finishUtterance()
    #expect(late.words.count == 8)
  }

  @Test(arguments: [1, 0.01] as [Float])
  func `quiet speech after an anticipated end is recognized`(level: Float) throws {
    let audio = try Clip.goForward.samples.map { $0 * level }
    let session = try RealModel.session()
    try session.beginUtterance()
    try session.process(Array(audio[..<20_000]))
    try session.anticipateEnd()
    try session.process(Array(audio[20_000...]))
    #expect(try session.finishUtterance().words.count == 4)
  }

  @Test(arguments: [3 as UInt64])
  func `text that is recognized in noise, tones, or silence has a low probability`(seed: UInt64)
    throws
  {
    var numbers = SeededNumbers(seed: seed)
    func noise(_ level: Float, _ seconds: Int) -> [Float] {
      (0..<seconds * 16_000).map { _ in Float.random(in: -level...level, using: &numbers) }
    }
    let sine = (0..<32_000).map { 0.3 * Float(sin(Double($0) * 0.17)) }
    let session = try RealModel.session()
    for samples in [
      [], [0.5], [Float](repeating: 0, count: 48_000), noise(0.001, 2), noise(0.1, 20), noise(1, 3),
      sine, [Float](repeating: .nan, count: 16_000), [Float](repeating: .infinity, count: 16_000),
      [Float](repeating: 1e30, count: 8_000),
    ] {
      let final = try session.recognize(samples)
      #expect(
        try #require(final.probability) < SpeechHypothesis.doubtfulProbability,
        "\(samples.count) samples: \(final.text)")
      #expect(try session.hypothesis.words.isEmpty)
    }
    #expect(try session.recognize(Clip.goForward.samples).words.count == 4)
  }

  @Test func `long silence before and after speech does not hide the words`() throws {
    let silence = [Float](repeating: 0.0002, count: 80_000)
    let session = try RealModel.session()
    let final = try session.recognize(silence + Clip.goForward.samples + silence)
    #expect(Clip.goForwardTexts.contains(final.text))
    let begin = try #require(final.words.first).frames.lowerBound.rawValue - 80_000
    #expect(abs(begin - 7_680) <= 960)
  }

  @Test func `an endless utterance is an error, and the next utterance succeeds`() throws {
    let session = try RealModel.session()
    try session.beginUtterance()
    let tenSeconds = [Float](repeating: 0, count: 160_000)
    for _ in 0..<4 { try session.process(tenSeconds) }
    #expect(
      throws: SpeechEngineError.failed(reason: "the utterance is longer than 40 s; end it earlier")
    ) {
      try session.process(tenSeconds)
    }
    #expect(try session.recognize(Clip.goForward.samples).words.count == 4)
  }

  @Test func `with a grammar, its sentences yield their words, and other sentences yield none`()
    throws
  {
    let audio = try Clip.goForward.samples
    let grammar = """
      #JSGF V1.0; public <move> = GO (forward | back) <n> meters; <n> = two | ten | twelve;
      """
    let session = try RealModel.session(SpeechSessionOptions(grammar: grammar))
    let final = try session.recognize(audio)
    #expect(final.text == "GO forward ten meters")
    #expect(final.words.allSatisfy { (0.1...1).contains($0.confidence ?? 0) })
    let other = "#JSGF V1.0; public <card> = (ten | four | queen) of (clubs | hearts);"
    #expect(
      try RealModel.session(SpeechSessionOptions(grammar: other)).recognize(audio).words.isEmpty)
    #expect(throws: SpeechEngineError.self) {
      _ = try RealModel.session(SpeechSessionOptions(grammar: "#JSGF V1.0; public <a> = <b>;"))
    }
  }

  @Test func `alternatives are different texts, the likeliest first, in the requested number`()
    throws
  {
    var options = SpeechSessionOptions()
    options.alternativeCount = 3
    let final = try RealModel.session(options).recognize(Clip.goForward.samples)
    let texts = [final.text] + final.alternatives.map(\.text)
    #expect(Set(texts).count == 4)
    #expect(Clip.goForwardTexts.contains(final.text))
    #expect(final.alternatives.allSatisfy { $0.allSatisfy { $0.confidence != nil } })
  }

  @Test func `the errors for key phrases and engine options contain their names`() throws {
    var phrases = SpeechSessionOptions()
    phrases.keyPhrases = [KeyPhrase("go forward")]
    #expect {
      _ = try RealModel.session(phrases)
    } throws: { "\($0)".contains("Moonshine does not support key phrases") }
    var options = SpeechSessionOptions()
    options.engineOptions = ["beam": "1"]
    #expect(
      throws: SpeechEngineError.optionInvalid(name: "beam", reason: "Moonshine has no options")
    ) {
      _ = try RealModel.session(options)
    }
  }

  @Test func `several sessions on separate threads recognize the same words`() async throws {
    let audio = try Clip.goForward.samples
    let engine = try RealModel.engine
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<3 {
        group.addTask { try engine.makeSession(SpeechSessionOptions()).recognize(audio).text }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(texts).count == 1)
  }

  /// The calls that decode.
  enum Call: CaseIterable {
    case hypothesis, anticipateEnd, finishUtterance

    func run(on session: some SpeechEngineSession) throws {
      switch self {
      case .hypothesis: _ = try session.hypothesis
      case .anticipateEnd: try session.anticipateEnd()
      case .finishUtterance: _ = try session.finishUtterance()
      }
    }
  }

  /// The encoder never ends by itself.
  @Test(arguments: Call.allCases)
  func `an interruption ends a running decode and all later calls`(
    call: Call
  ) throws {
    let copy = try CopiedModel()
    try copy.replaceEncoder(by: TinyModel.endlessEncoder)
    let library = try ONNXComponents.library()
    let session = try MoonshineSession(
      model: MoonshineModel(
        MoonshineModelFiles(directory: copy.path), in: library),
      language: nil, alignment: WordAlignment(), options: SpeechSessionOptions())
    try session.beginUtterance()
    try session.process(Clip.goForward.samples)
    afterWork(of: .milliseconds(500), call: session.interrupt)
    #expect(throws: SpeechEngineError.interrupted) { try call.run(on: session) }
    #expect(throws: SpeechEngineError.interrupted) { try session.beginUtterance() }
    #expect(throws: SpeechEngineError.interrupted) { _ = try session.hypothesis }
  }

  /// Calls `body` on another thread once the current thread has used this much CPU time, so that
  /// the speed of the machine does not matter.
  private func afterWork(of time: Duration, call body: @escaping @Sendable () -> Void) {
    var (clock, end) = (clockid_t(), timespec())
    pthread_getcpuclockid(pthread_self(), &clock)
    clock_gettime(clock, &end)
    end.tv_nsec += Int(time / .nanoseconds(1))
    if end.tv_nsec >= 1_000_000_000 {
      (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000)
    }
    Thread { [clock, end] in
      var end = end
      while clock_nanosleep(clock, TIMER_ABSTIME, &end, nil) == EINTR {}
      body()
    }.start()
  }

  @Test func `an interrupted session does not affect other sessions of the model`() throws {
    let session = try RealModel.session()
    try session.beginUtterance()
    session.interrupt()
    #expect(throws: SpeechEngineError.interrupted) { _ = try session.finishUtterance() }
    #expect(try RealModel.session().recognize(Clip.goForward.samples).words.count == 4)
  }
}

/// Recordings that do not ship with the project.
@Suite(
  .installedEngines, .enabled(if: Clip.folder != nil, "SYRINX_SPEECH_DATA names no folder"),
  .timeLimit(.minutes(60)))
struct MoonshineClipTests {
  @Test func `at most 5.5 % of the words are wrong`() throws {
    let session = try RealModel.session()
    var (wrong, total) = (0, 0)
    for clip in try Clip.all {
      let said = clip.words.split(separator: " ").map(String.init)
      let text = try session.recognize(clip.samples).text
      // The British spelling does not count as an error.
      let recognized = String(decoding: text.spelling, as: UTF8.self)
        .replacing("metres", with: "meters").split(separator: " ").map(String.init)
      let errors = WordDistance.between(said, recognized)
      if errors > 0 { print("\(clip.name): \(errors) wrong: \(text)") }
      (wrong, total) = (wrong + errors, total + said.count)
    }
    #expect(total > 100 && Double(wrong) <= 0.055 * Double(total), "\(wrong) of \(total)")
  }

  @Test
  func `with the playing-card grammar, card clips are exact, and other clips yield no words`()
    throws
  {
    let folder = try #require(Clip.folder)
    let grammar = try String(contentsOf: folder.appending(path: "cards.gram"), encoding: .utf8)
    let session = try RealModel.session(SpeechSessionOptions(grammar: grammar))
    for clip in try Clip.all {
      let text = try session.recognize(clip.samples).text
      #expect(text == (clip.name.hasPrefix("cards-") ? clip.words : ""), "\(clip.name)")
    }
  }

  @Test func `a contextual phrase corrects an error of the model`() throws {
    var options = SpeechSessionOptions()
    let clip = try #require(try Clip.all.first { $0.name == "cards-1" })
    #expect(try RealModel.session(options).recognize(clip.samples).text == "Ten of cloves.")
    options.contextualPhrases = ["ten of clubs", "queen of hearts", "American"]
    #expect(try RealModel.session(options).recognize(clip.samples).text == "Ten of clubs.")
    let other = try #require(try Clip.all.first { $0.name == "something" })
    #expect(
      try RealModel.session(options).recognize(other.samples).text
        == "Go somewhere and do something.")
  }

  @Test func `in joined clips, the first and last words have the times at which they are spoken`()
    throws
  {
    let session = try RealModel.session()
    let gap = [Float](repeating: 0, count: 12_800)
    for names in [
      ["goforward", "something", "cards-5"], ["lj-008", "lj-002", "cards-3", "lj-013"],
    ] {
      let clips = try names.map { name in try #require(try Clip.all.first { $0.name == name }) }
      var audio = gap
      var words = try #require([SpeechHypothesis.Word]?([]))
      var voices: [(count: Int, voice: Range<FrameCount>)] = []
      for clip in clips {
        var voice = VoicedSpan()
        voice.add(clip.samples)
        let begin = FrameCount(audio.count)
        let spokenWords = clip.words.split(separator: " ").count
        voices.append(
          (spokenWords, (begin + voice.frames.lowerBound)..<(begin + voice.frames.upperBound)))
        audio += clip.samples + gap
      }
      words = try session.recognize(audio).words
      #expect(words.count == voices.reduce(0) { $0 + $1.count })
      for (count, voice) in voices {
        let own = words.prefix(count)
        words.removeFirst(min(count, words.count))
        let begin = try #require(own.first).frames.lowerBound - voice.lowerBound
        let end = try #require(own.last).frames.upperBound - voice.upperBound
        #expect(
          abs(begin.rawValue) <= 1_600 && abs(end.rawValue) <= 1_600,
          "\(own.map(\.text)): \(begin) \(end)")
      }
    }
  }
}
