import AudioCore
import FilePaths
import SpeechClient
import Testing

@testable import SyrinxCommand

struct UtteranceRecordTests {
  private let words = [
    TranscriptionSegment(
      substring: "go", timestamp: .milliseconds(100), duration: .milliseconds(240),
      confidence: 0.98765),
    TranscriptionSegment(
      substring: "\"ahead\"", timestamp: .milliseconds(340), duration: .microseconds(200_400)),
  ]

  @Test
  func `a result is one line of JSON, with times to a millisecond`() throws {
    let result = SpeechRecognitionResult(
      utterance: 2, bestTranscription: Transcription(segments: words), isFinal: true)
    #expect(
      try JSONRecord(result, file: "a/b.wav").jsonLine() == """
        {"end":0.54,"event":"final","file":"a/b.wav","final":true,"start":0.1,"text":"go \\"ahead\\"","utterance":2,\
        "words":[{"confidence":0.988,"end":0.34,"start":0.1,"word":"go"},\
        {"end":0.54,"start":0.34,"word":"\\"ahead\\""}]}
        """)
  }

  @Test
  func `a record omits unknown values`() throws {
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: []), isFinal: false)
    #expect(
      try JSONRecord(result).jsonLine()
        == #"{"event":"partial","final":false,"stable":"","text":"","utterance":0,"words":[]}"#)
  }

  @Test
  func `partial results have a stable prefix; final results have alternatives and a speaking rate`()
    throws
  {
    let partial = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: words), isFinal: false,
      stableSegmentCount: 1)
    #expect(try JSONRecord(partial).jsonLine().contains(#""stable":"go","#))
    var word = words[0]
    word.alternativeSubstrings = ["no"]
    let best = Transcription(segments: [word])
    let final = SpeechRecognitionResult(
      utterance: 0, bestTranscription: best,
      alternatives: [Transcription(segments: [words[1]])], isFinal: true,
      speechRecognitionMetadata: SpeechRecognitionMetadata(best))
    #expect(
      try JSONRecord(final).jsonLine() == """
        {"alternatives":["\\"ahead\\""],"averagePause":0,"end":0.34,"event":"final","final":true,\
        "start":0.1,"text":"go","utterance":0,"words":[{"alternatives":["no"],"confidence":0.988,\
        "end":0.34,"start":0.1,"word":"go"}],"wordsPerMinute":250}
        """)
  }

  @Test
  func `a result has its detected language and the probability`() throws {
    var result = SpeechRecognitionResult("hola", isFinal: true)
    result.language = SpokenLanguage("es", probability: 0.98765)
    #expect(
      try JSONRecord(result).jsonLine().contains(#""language":"es","languageProbability":0.988,"#))
  }

  @Test
  func `a result marks estimated word times`() throws {
    var best = Transcription(segments: words)
    let result = SpeechRecognitionResult(utterance: 0, bestTranscription: best, isFinal: true)
    #expect(try !JSONRecord(result).jsonLine().contains("estimatedTimes"))
    best.hasEstimatedTimes = true
    let guess = SpeechRecognitionResult(utterance: 0, bestTranscription: best, isFinal: true)
    #expect(try JSONRecord(guess).jsonLine().contains(#""estimatedTimes":true,"#))
  }

  @Test
  func `lags and losses are JSON objects`() throws {
    #expect(
      try JSONRecord(.lagging(by: .milliseconds(1500)))?.jsonLine()
        == #"{"event":"lagging","seconds":1.5}"#)
    #expect(
      try JSONRecord(.dropped(.seconds(2) ..< .seconds(3), reason: .engineTooSlow))?.jsonLine()
        == #"{"end":3,"event":"dropped","reason":"slow","start":2}"#)
    #expect(
      try JSONRecord(.dropped(.seconds(2) ..< .seconds(3), reason: .gap))?.jsonLine()
        == #"{"end":3,"event":"dropped","reason":"gap","start":2}"#)
    let crash = SpeechRecognitionEvent.DropReason.engineFailed(.engineFailed(reason: "gone"))
    #expect(
      try JSONRecord(.dropped(.seconds(2) ..< .seconds(3), reason: crash))?.jsonLine() == """
        {"end":3,"error":"speech recognition failed: gone","event":"dropped","reason":"engine",\
        "start":2}
        """)
    let noise = SpeechRecognitionEvent.dropped(
      .seconds(2) ..< .seconds(3), reason: .unintelligible)
    #expect(
      try JSONRecord(noise, utterance: 4)?.jsonLine()
        == #"{"end":3,"event":"dropped","reason":"unintelligible","start":2,"utterance":4}"#)
    #expect(JSONRecord(.speechStarted(at: .zero)) == nil)
  }
}
