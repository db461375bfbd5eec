import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SoundCard
import SoundFile
import SpeechClient
import SpeechClientLive
import SpeechEngine
import SyrinxTestSupport
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SpeechRecordingTests {
  let folder: TestFolder
  let file: URL

  init() throws {
    folder = try TestFolder()
    file = folder.file("talk.jsonl")
  }

  private let results = ["go", "go forward"].map { text in
    let segments = text.split(separator: " ").enumerated().map { index, word in
      TranscriptionSegment(
        substring: String(word), timestamp: .milliseconds(index * 300),
        duration: .milliseconds(250),
        confidence: index == 1 ? 0.75 : nil)
    }
    var result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: segments),
      isFinal: text == "go forward")
    if result.isFinal {
      (result.language, result.channel) = (SpokenLanguage("en", probability: 0.5), 1)
    }
    return result
  }

  /// Returns a recognizer that takes half a second for each result.
  private func real(
    _ clock: TestClock<Duration>, failure: (any Error)? = nil
  ) -> SpeechClient {
    var client = SpeechClient()
    client.startTask = { [results] request in
      let rest = LockIsolated(results)
      return AsyncThrowingStream {
        if rest.value.count == 2, case .buffers(let buffers) = request.source {
          for try await _ in buffers {}
        }
        await clock.advance(by: .milliseconds(500))
        let next = rest.withValue { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure, next == nil { throw failure }
        return next
      }
    }
    return client
  }

  private func record(failure: (any Error)? = nil) async throws {
    let clock = TestClock()
    let client = try real(clock, failure: failure).recording(to: file)
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let sound = AudioBuffer(
        format: .speech, samples: (0..<160).map { Float($0) / 1_000 }, firstFrame: 0)
      let buffers = AsyncStream<AudioBuffer> { continuation in
        continuation.yield(sound)
        continuation.finish()
      }
      var seen: [SpeechRecognitionResult] = []
      do {
        for try await result in await client.startTask(request: SpeechRequest(buffers: buffers)) {
          seen.append(result)
        }
      } catch  where failure != nil {}
      #expect(seen == results)
    }
  }

  @Test
  func `a recording is replayed, and its audio is stored beside it`() async throws {
    try await record()
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasPrefix(#"{"format":"syrinx-speech","version":1}"# + "\n"))
    let lines = text.split(separator: "\n")
    #expect(lines.last == #"{"finished":true,"ns":1500000000,"task":0}"#)
    #expect(lines.count == 4 && lines[1].contains(#""ns":500000000,"result":{"#))
    let reader = try SoundFileReader(url: folder.file("talk-0.wav"))
    #expect(try reader.read(atMost: 200).samples == (0..<160).map { Float($0) / 1_000 })
    let client = try SpeechClient.replaying(file)
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      #expect(client.authorizationStatus() == .authorized)
      var seen: [SpeechRecognitionResult] = []
      let request = SpeechRequest(url: folder.file("whatever.wav"))
      for try await result in await client.startTask(request: request) { seen.append(result) }
      #expect(seen == results)
      await #expect(throws: ReplayError.noMoreTasks(recorded: 1)) {
        for try await _ in await client.startTask(request: request) {}
      }
    }
  }

  @Test
  func `a failure is replayed as the same error`() async throws {
    try await record(failure: SpeechClientError.engineFailed(reason: "gone"))
    let client = try SpeechClient.replaying(file)
    await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let stream = await client.startTask(request: SpeechRequest(url: file))
      await #expect(throws: SpeechClientError.engineFailed(reason: "gone")) {
        for try await _ in stream {}
      }
    }
  }

  /// A live speech client on a scripted recognizer, with this recorder.
  private func hear(
    with recorder: AudioRecorderClient, recording: URL? = nil
  ) async throws -> [String] {
    let engine = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go on")])
    return try await withDependencies {
      $0.continuousClock = ImmediateClock()
      $0.audioRecorder = recorder
      $0.speechEngine = engine.engine
    } operation: {
      let client = SpeechClient.liveValue
      let speech = try recording.map { try client.recording(to: $0) } ?? client
      return try await speech.startTask(request: SpeechRequest(microphone: .speech))
        .finalTranscripts()
    }
  }

  @Test
  func `the microphone of a speech client is recorded with its gaps, and can be replayed`()
    async throws
  {
    let room = AudioSignal.noise(seed: 1, bandwidth: 7_000).during(.seconds(1) ..< .seconds(2))
    let card = VirtualSoundCard(
      pace: .untimed, microphone: .buffer(room.buffer(.seconds(4), format: .speech)),
      faults: [.xrun(at: 40_000, lost: 1_600)])
    #expect(try await hear(with: .live(on: card.soundCard), recording: file) == ["go on"])
    let microphone = folder.file("talk-microphone.jsonl")
    #expect(try await hear(with: .replayingCapture(microphone)) == ["go on"])
    let blocks = try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      try await AudioRecorderClient.replayingCapture(microphone).capture(request: .speech)
        .collect()
    }
    #expect(blocks.compactMap(\.gap) == [CaptureGap(lost: 1_600)])
    #expect(blocks.reduce(0) { $0 + $1.buffer.frameCount } == 62_400)
  }

  /// Writes a recording of two results, after 1 s and after 2 s.
  private func writeByHand() throws {
    try Data(
      """
      {"format":"syrinx-speech","version":1}
      {"task":0,"ns":1000000000,"result":{"utterance":0,"final":false,"words":[]}}
      {"task":0,"ns":2000000000,"result":{"utterance":0,"final":true,"words":[]}}
      {"task":0,"ns":2000000000,"finished":true}

      """.utf8
    ).write(to: file)
  }

  @Test
  func `each result is replayed when it is due on the clock, and not before`() async throws {
    try writeByHand()
    let clock = TestClock()
    let client = try SpeechClient.replaying(file)
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let stream = await client.startTask(request: SpeechRequest(url: file))
      let seen = LockIsolated<[Bool]>([])
      let listening = Task {
        for try await result in stream { seen.withValue { $0.append(result.isFinal) } }
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(999))
      #expect(seen.value.isEmpty)
      await clock.advance(by: .milliseconds(1))
      await clock.sleepers(atLeast: 1)
      #expect(seen.value == [false])
      await clock.advance(by: .seconds(1))
      try await listening.value
      #expect(seen.value == [false, true])
    }
  }

  @Test
  func `finishTask yields the remaining events at once`() async throws {
    try writeByHand()
    let clock = TestClock()
    let client = try SpeechClient.replaying(file)
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let stream = await client.startTask(request: SpeechRequest(url: file))
      let listening = Task { try await stream.reduce(into: 0) { count, _ in count += 1 } }
      await clock.sleepers(atLeast: 1)
      await client.finishTask()
      let count = try await listening.value
      #expect(count == 2)
    }
  }

  @Test
  func `a canceled consumer gets the end of the stream`() async throws {
    try writeByHand()
    let clock = TestClock()
    let client = try SpeechClient.replaying(file)
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let stream = await client.startTask(request: SpeechRequest(url: file))
      let listening = Task { try await stream.reduce(into: 0) { count, _ in count += 1 } }
      await clock.sleepers(atLeast: 1)
      listening.cancel()
      let count = try await listening.value
      #expect(count == 0)
    }
  }

  @Test(arguments: [
    "", "{}\n", #"{"format":"syrinx-capture","version":1}"#,
    #"{"format":"syrinx-speech","version":2}"#,
  ])
  func `a file that is not a speech recording is rejected`(text: String) throws {
    try Data(text.utf8).write(to: file)
    #expect(throws: ReplayError.self) { try SpeechClient.replaying(file) }
    #expect(throws: ReplayError.self) { try SpeechClient.replaying(folder.file("missing")) }
  }

  @Test(arguments: [
    #"{"task":"#, #"{"task":9223372036854775807,"ns":0}"#, #"{"task":-1,"ns":0}"#,
    #"{"task":0,"ns":0,"block":{"frames":-1,"firstFrame":0,"timeNs":0,"capturedAtNs":0}}"#,
  ])
  func `the error for a damaged line contains its number`(line: String) throws {
    let text = #"{"format":"syrinx-speech","version":1}"# + "\n" + line + "\n"
    try Data(text.utf8).write(to: file)
    do {
      _ = try SpeechClient.replaying(file)
      Issue.record("it was taken")
    } catch let error as ReplayError {
      #expect("\(error)".contains("talk.jsonl, line 2, is damaged"))
    }
  }

  @Test
  func `a file that cannot be written fails the task`() async throws {
    let client = try SpeechClient.previewValue.recording(to: URL(filePath: "/nowhere/talk.jsonl"))
    await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let stream = await client.startTask(request: SpeechRequest(url: file))
      await #expect(throws: (any Error).self) { for try await _ in stream {} }
    }
  }
}
