import AudioCore
import SpeechEngine
import SyrinxTestSupport
import Testing

@Suite struct ScriptedSpeechEngineTests {
  private let half = [Float](repeating: 0, count: 3200)

  @Test func `a word is recognized once its end is in the audio`() throws {
    let engine = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go forward")]).engine
    let session = try engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    #expect(try session.hypothesis.words.isEmpty)
    try session.process(half)
    #expect(try session.hypothesis.words.map(\.text) == ["go"])
    #expect(try session.finishUtterance().words.map(\.text) == ["go", "forward"])
  }

  @Test func `the scripted hypothesis is revised after enough audio`() throws {
    var utterance = ScriptedUtterance("go forward")
    utterance.revisions = [
      ScriptedUtterance.Revision(after: .milliseconds(200), "no"),
      ScriptedUtterance.Revision(after: .milliseconds(400), "go for"),
    ]
    let engine = ScriptedSpeechEngine(utterances: [utterance]).engine
    let session = try engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    try session.process(half)
    #expect(try session.hypothesis.words.map(\.text) == ["no"])
    try session.process(half)
    #expect(try session.hypothesis.words.map(\.text) == ["go", "for"])
  }

  @Test func `the calls of a scripted engine are recorded in order`() throws {
    let scripted = ScriptedSpeechEngine(utterances: [])
    do {
      let session = try scripted.engine.makeSession(SpeechSessionOptions())
      try session.beginUtterance()
      try session.process(half)
      #expect(try session.finishUtterance().words.isEmpty)
    }
    #expect(scripted.events == [.madeSession, .began, .finished(after: 3200), .released])
  }

  @Test func `a scripted engine uses the session's options and records them`() throws {
    var utterance = ScriptedUtterance("go forward ten meters")
    utterance.alternatives = ["no forward", "go four"]
    let scripted = ScriptedSpeechEngine(utterances: [utterance], tailPadding: .milliseconds(200))
    var options = SpeechSessionOptions()
    options.alternativeCount = 1
    let session = try scripted.engine.makeSession(options)
    #expect(session.traits.tailPadding == .milliseconds(200))
    try session.beginUtterance()
    let final = try session.finishUtterance()
    #expect(final.alternatives.map { $0.map(\.text) } == [["no", "forward"]])

    options.keyPhrases = [KeyPhrase("ten meters"), KeyPhrase("stop")]
    let spotting = try scripted.engine.makeSession(options)
    try spotting.beginUtterance()
    let found = try spotting.finishUtterance()
    #expect(found.words == [SpeechHypothesis.Word("ten meters", frames: 6400..<12_800)])
    #expect(scripted.options.map(\.keyPhrases.count) == [0, 2])
  }

  @Test func `a scripted engine rejects an unknown language and accepts its own`() throws {
    let korean = ScriptedSpeechEngine(utterances: [], language: "ko-KR")
    #expect(korean.engine.availability().model?.language == "ko-KR")
    for language in [nil, "ko", "ko_KR"] {
      _ = try korean.engine.makeSession(SpeechSessionOptions(language: language))
    }
    #expect(throws: SpeechEngineError.languageMissing(wanted: "en-US", available: "ko-KR")) {
      try korean.engine.makeSession(SpeechSessionOptions(language: "en-US"))
    }
    #expect(korean.options.map(\.language) == [nil, "ko", "ko_KR"])
  }

  @Test func `scripted faults are thrown by the corresponding calls`() throws {
    let error = SpeechEngineError.failed(reason: "broken")
    let loading = ScriptedSpeechEngine(utterances: [], faults: ScriptedFaults(loading: error))
    #expect(loading.engine.availability() == .unavailable(error))
    #expect(throws: error) { try loading.engine.makeSession(SpeechSessionOptions()) }

    let processing = ScriptedSpeechEngine(
      utterances: [], faults: ScriptedFaults(processing: error, failsAfter: .milliseconds(200)))
    let session = try processing.engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    try session.process(half)
    #expect(throws: error) { try session.process(half) }
  }
}
