import AudioCore
import Foundation
import SpeechEngine
import Synchronization
import Testing

@testable import VoskEngine

@Suite(.timeLimit(.minutes(5))) struct VoskSessionTests {
  @Test func `words come with their frames and their confidence`() throws {
    let vosk = try FakeVosk()
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    let recognized = try session.understand(speech(.go, .forward, .ten, .meters))
    #expect(recognized.texts == ["go", "forward", "ten", "meters"])
    #expect(recognized.words.map(\.frames) == (0..<4).map(frames))
    #expect(recognized.words.map(\.confidence) == [1, 0.9, 0.8, 0.7])
    #expect(recognized.alternatives.isEmpty)
  }

  @Test func `each utterance of a session has its own timeline`() throws {
    let vosk = try FakeVosk()
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    for words in [[FakeWord.go, .stop], [.left, .ten], [.stop, .go]] {
      let recognized = try session.understand(
        speech(words[0], words[1], silence: .milliseconds(250)))
      #expect(recognized.words.map(\.frames) == (0..<2).map(frames))
    }
  }

  @Test func `if libvosk ends a segment within an utterance, no word is lost`() throws {
    let vosk = try FakeVosk(script: ["pause 40"])
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    let recognized = try session.understand(
      speech(.go, .forward, .ten, .meters, silence: .seconds(1)))
    #expect(recognized.texts == ["go", "forward", "ten", "meters"])
    #expect(recognized.words.map(\.frames) == (0..<4).map(frames))
    // Confidences decrease within a segment, so each word has its own segment.
    #expect(recognized.words.map(\.confidence) == [1, 1, 1, 1])
  }

  @Test func `a partial hypothesis has the words so far, including those of ended segments`() throws
  {
    let vosk = try FakeVosk(script: ["pause 80"])
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    let samples = speech(.go, .forward, .ten)
    var seen: [[String]] = [[]]
    for first in stride(from: 0, to: samples.count, by: 800) {
      try session.process(Array(samples[first..<min(first + 800, samples.count)]))
      let texts = try session.hypothesis.texts
      if texts != seen.last { seen.append(texts) }
    }
    #expect(seen == [[], ["go"], ["go", "forward"], ["go", "forward", "ten"]])
  }

  @Test func `the words of a partial hypothesis have estimated times`()
    throws
  {
    let vosk = try FakeVosk()
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    try session.process(speech(.go, .forward, silence: .zero))
    #expect(try session.hypothesis.words.map(\.frames) == [0..<5_600, 5_600..<11_200])
    #expect(try session.hypothesis.hasEstimatedTimes)
    let final = try session.finishUtterance()
    #expect(final.words.map(\.frames) == (0..<2).map(frames) && !final.hasEstimatedTimes)
  }

  @Test func `the threshold of a key phrase also applies to partial hypotheses`()
    throws
  {
    let vosk = try FakeVosk()
    var options = SpeechSessionOptions()
    options.keyPhrases = [KeyPhrase("forward", threshold: 0.85)]
    let session = try vosk.engine.makeSession(options)
    try session.beginUtterance()
    try session.process(speech(.go, .forward, .forward))
    #expect(try session.hypothesis.words.map(\.frames) == [frames(1)])
  }

  @Test func `if partial hypotheses are not requested, libvosk does not compute them`() throws {
    let vosk = try FakeVosk(script: ["null partial"])
    let session = try vosk.engine.makeSession(SpeechSessionOptions(wantsPartialHypotheses: false))
    #expect(try session.understand(speech(.go)).texts == ["go"])
  }

  @Test func `an interruption ends the current call and all later calls`() throws {
    let vosk = try FakeVosk()
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    let interrupt = session.interrupt
    let thread = Thread { interrupt() }
    #expect(throws: SpeechEngineError.interrupted) {
      thread.start()
      while true { try session.process([Float](repeating: 0, count: 160_000)) }
    }
    #expect(throws: SpeechEngineError.interrupted) { try session.beginUtterance() }
    #expect(throws: SpeechEngineError.interrupted) { _ = try session.finishUtterance() }
  }

  @Test func `an interruption does not wait for the final result`() throws {
    let vosk = try FakeVosk()
    let pipe = vosk.folder.appending(path: "pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)
    try vosk.behave("late \(pipe)")
    try vosk.keepLog()
    let writer = Mutex<Int32>(-1)
    do {
      let session = try vosk.engine.makeSession(SpeechSessionOptions())
      let interrupt = session.interrupt
      Thread {
        // The pipe can be opened when libvosk has begun the final result.
        let end = open(pipe, O_WRONLY)
        writer.withLock { $0 = end }
        interrupt()
      }.start()
      #expect(throws: SpeechEngineError.interrupted) { _ = try session.understand(speech(.go)) }
    }
    // The result is still pending, so the recognizer must outlive its session.
    #expect(vosk.log.contains("final_result"))
    #expect(!vosk.log.contains("recognizer_free"))
    close(writer.withLock { $0 })
  }

  @Test func `silence and the mark for unknown sounds yield no words`() throws {
    let vosk = try FakeVosk()
    let session = try vosk.engine.makeSession(SpeechSessionOptions())
    #expect(try session.understand(speech()).words.isEmpty)
    #expect(try session.understand(speech(.other, .go, .other)).texts == ["go"])
    #expect(try session.understand([]).words.isEmpty)
  }

  @Test
  func
    `a session returns the requested number of alternatives, with frames and without confidences`()
    throws
  {
    let vosk = try FakeVosk()
    try vosk.keepLog()
    var options = SpeechSessionOptions()
    options.alternativeCount = 2
    let session = try vosk.engine.makeSession(options)
    let recognized = try session.understand(speech(.go, .stop))
    #expect(recognized.texts == ["go", "stop"])
    #expect(
      recognized.alternatives.map { $0.map(\.text) } == [["go", "other1"], ["go", "other2"]])
    #expect(recognized.alternatives.allSatisfy { $0.map(\.frames) == (0..<2).map(frames) })
    #expect(recognized.words.allSatisfy { $0.confidence == nil })
    #expect(vosk.log.contains("max_alternatives 3"))
  }

  @Test func `if alternatives have no word times, the words are spread over the utterance`() throws
  {
    let vosk = try FakeVosk(script: ["alternatives text"])
    var options = SpeechSessionOptions()
    options.alternativeCount = 1
    let recognized = try vosk.engine.makeSession(options).understand(
      speech(.go, .stop, silence: .zero))
    #expect(recognized.alternatives.map { $0.map(\.text) } == [["go", "other1"]])
    #expect(recognized.words.map(\.frames) == [0..<5_600, 5_600..<11_200])
  }

  @Test func `with a grammar, an utterance is one of its sentences or empty`() throws {
    let vosk = try FakeVosk()
    try vosk.keepLog()
    let grammar = "#JSGF V1.0;\ngrammar g;\npublic <a> = go [forward] | stop;"
    let session = try vosk.engine.makeSession(SpeechSessionOptions(grammar: grammar))
    #expect(vosk.log.contains(#"recognizer_new_grm 16000 ["go","go forward","stop"]"#))
    #expect(try session.understand(speech(.go, .forward)).texts == ["go", "forward"])
    #expect(try session.understand(speech(.stop, .stop)).texts == [])
    #expect(try session.hypothesis.texts == ["stop"])
  }

  @Test func `key phrases are found in running speech`() throws {
    let vosk = try FakeVosk()
    try vosk.keepLog()
    var options = SpeechSessionOptions()
    options.keyPhrases = [KeyPhrase("stop"), KeyPhrase("go forward", threshold: 0.85)]
    let session = try vosk.engine.makeSession(options)
    #expect(vosk.log.contains(#"recognizer_new_grm 16000 ["stop","go forward","[unk]"]"#))
    let recognized = try session.understand(speech(.go, .forward, .other, .go, .stop))
    // The result has one word for each phrase, with the lowest confidence of the phrase's words.
    #expect(recognized.texts == ["go forward", "stop"])
    #expect(
      recognized.words.map(\.frames) == [
        frames(0).lowerBound..<frames(1).upperBound, frames(4),
      ])
    #expect(recognized.words.map(\.confidence) == [0.9, 0.6])
    // As the fourth word, "forward" has a confidence of 0.7, which is below the phrase's threshold.
    #expect(try session.understand(speech(.other, .other, .go, .forward)).texts == [])
  }

  @Test func `sessions share a model, which stays loaded for the next session`() throws {
    let vosk = try FakeVosk()
    try vosk.keepLog()
    let engine = vosk.engine
    do {
      let first = try engine.makeSession(SpeechSessionOptions())
      let second = try engine.makeSession(SpeechSessionOptions())
      #expect(try first.understand(speech(.go)).texts == ["go"])
      #expect(try second.understand(speech(.stop)).texts == ["stop"])
    }
    _ = try engine.makeSession(SpeechSessionOptions())
    #expect(vosk.log.count { $0.hasPrefix("model_new") } == 1)
    #expect(vosk.log.count { $0 == "recognizer_new 16000" } == 3)
    #expect(vosk.log.count { $0 == "recognizer_free" } == 3)
    #expect(!vosk.log.contains("model_free"))
  }

  @Test func `a model is freed once its engine and all of its sessions are released`() throws {
    let vosk = try FakeVosk()
    try vosk.keepLog()
    do {
      let session = try vosk.engine.makeSession(SpeechSessionOptions())
      #expect(try session.understand(speech(.go)).texts == ["go"])
      #expect(!vosk.log.contains("model_free"))
    }
    #expect(vosk.log.suffix(2) == ["recognizer_free", "model_free"])
  }

  @Test func `many sessions on separate threads do not affect each other`() async throws {
    let vosk = try FakeVosk()
    let engine = vosk.engine
    let recognized = try await withThrowingTaskGroup(of: [String].self) { group in
      for index in 0..<8 {
        group.addTask {
          let session = try engine.makeSession(SpeechSessionOptions())
          let words = index % 2 == 0 ? speech(.go, .forward) : speech(.stop)
          return try session.understand(words).texts
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(recognized.count { $0 == ["go", "forward"] } == 4)
    #expect(recognized.count { $0 == ["stop"] } == 4)
  }

  @Test func `libvosk's endpointing is delayed if the library supports that`() throws {
    let newer = try FakeVosk(flags: "-DENDPOINTER")
    try newer.keepLog()
    _ = try newer.engine.makeSession(SpeechSessionOptions())
    #expect(newer.log.contains("endpointer_delays 60 60 120"))
  }
}
