import AudioCore
import AudioRecorderClient
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SileroDetector
import SoundFile
import SpeechClient
import SpeechClientLive
import SpeechEngine
import TestTools
import Testing

/// The examples of `SpeechClient.docc`.
@Suite struct SpeechArticlesTests {
  private let file = URL(filePath: "talk.wav")

  /// The preview client, which recognizes its sentence at once because the clock is immediate.
  private let speech = withDependencies {
    $0.continuousClock = ImmediateClock()
    $0.speechClient = .previewValue
  } operation: {
    @Dependency(\.speechClient) var speech
    return speech
  }

  @Test(.dependencies { $0.speechClient.startTask = { _ in .finished() } })
  func `the speech in a file is recognized`() async throws {
    @Dependency(\.speechClient) var speech
    let request = SpeechRequest(url: file, shouldReportPartialResults: false)
    for try await result in await speech.startTask(request: request) {
      print(result.bestTranscription.formattedString)
    }
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `the channels of a file are recognized separately`() async throws {
    var request = SpeechRequest(url: file, shouldReportPartialResults: false)
    request.channels = .separate
    for try await result in await speech.startTask(request: request) {
      let name = result.channel == 0 ? "agent" : "caller"
      print("\(name): \(result.bestTranscription.formattedString)")
    }
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `speech from a microphone is recognized`() async throws {
    var draft = ""
    for try await result in await speech.startTask(request: SpeechRequest(microphone: .speech)) {
      if result.isFinal {
        print(result.bestTranscription.formattedString)
      } else {
        draft = result.stablePrefix.formattedString
      }
    }
    #expect(draft == "go forward ten")
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a recognition task returns the recognized text`() async throws {
    let request = SpeechRequest(url: file, shouldReportPartialResults: false)
    let text = try await speech.startTask(request: request).text()
    #expect(text == "go forward ten meters")
  }

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a request sets options, and recognition reports all events`() async throws {
    let buffers = AsyncStream<AudioBuffer> { $0.finish() }
    var request = SpeechRequest(buffers: buffers)
    request.contextualPhrases = ["Ada Lovelace"]
    request.alternativeCount = 3
    request.locale = "en-US"
    request.endpointPolicy.silence = .seconds(1)
    request.backPressure = .buffer(upTo: .seconds(60))
    for try await event in await speech.recognition(request: request) {
      switch event {
      case .result(let result): print(result.bestTranscription.formattedString)
      case .lagging(let backlog): print("\(backlog) behind")
      case .dropped(let stretch, let reason): print("dropped \(stretch): \(reason)")
      default: break
      }
    }
  }

  @Test func `a request has either key phrases or a grammar`() throws {
    var request = SpeechRequest(url: file)
    request.keyPhrases = [KeyPhrase("go back"), KeyPhrase("help", threshold: 1e-15)]
    #expect(try request.checkedKeyPhrases().count == 2)
    request.grammar = .text("#JSGF V1.0; grammar moves; public <move> = go (forward | back);")
    let both = request
    #expect(throws: SpeechClientError.self) { try both.checkedKeyPhrases() }
  }

  @Test func `each key phrase of a result is a command`() async throws {
    let segments = ["lights off", "lights on", "stop", "lights off"].enumerated().map {
      TranscriptionSegment(substring: $1, timestamp: .seconds($0), duration: .seconds(1))
    }
    let spoken = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: segments), isFinal: true)
    let speech = withDependencies {
      $0.speechClient.startTask = { _ in
        AsyncThrowingStream { results in
          results.yield(spoken)
          results.finish()
        }
      }
    } operation: {
      @Dependency(\.speechClient) var speech
      return speech
    }
    var isLit = false
    var request = SpeechRequest(microphone: .speech, shouldReportPartialResults: false)
    request.keyPhrases = ["lights on", "lights off", "stop"].map { KeyPhrase($0) }
    commands: for try await result in await speech.startTask(request: request) {
      for phrase in result.bestTranscription.segments {
        switch phrase.substring {
        case "lights on": isLit = true
        case "lights off": isLit = false
        case "stop": break commands
        default: break
        }
      }
    }
    #expect(isLit)
  }

  @Test func `each utterance of a microphone becomes a file`() async throws {
    let sound = Checkout.file("Samples/sounds/two-utterances.wav")
    let recorder = withDependencies {
      $0.audioRecorder.capture = { _ in
        AsyncThrowingStream { captured in
          Task {
            for try await buffer in SoundFile.buffers(of: sound) {
              captured.yield(CapturedAudio(buffer: buffer, time: .zero))
            }
            captured.finish()
          }
        }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
    let files = try TestFolder()
    let folder = files.url
    for try await utterance in await recorder.capture(request: CaptureRequest())
      .utterances(detector: .best)
    {
      let file = folder.appending(path: "\(utterance.times.lowerBound).wav")
      try await utterance.write(to: file, encoding: .wav16, atomically: true)
      if utterance.lostFrames > 0 { print("\(file.lastPathComponent) may lack words") }
    }
    #expect(try files.names.count == 2)
  }

  @Test func `the installed engines are listed`() async {
    if speech.authorizationStatus() != .authorized { print(await speech.requestAuthorization()) }
    print(await speech.supportedLocales())
    for engine in await speech.engines() {
      print(engine.name, engine.obstacle ?? "ready")
    }
  }

  @Test func `a program selects the best detector`() {
    prepareDependencies {
      $0.speechActivityDetector = .best
    }
    @Dependency(\.speechActivityDetector) var detector
    #expect(["energy", "silero"].contains(detector.name))
  }

  @Test func `a transcription is converted to subtitles`() {
    let words = ["go", "forward"].enumerated().map { index, word in
      TranscriptionSegment(substring: word, timestamp: .seconds(index), duration: .seconds(1))
    }
    let transcription = Transcription(segments: words)
    var builder = CueBuilder()
    let cues = builder.add(transcription) + builder.flush()
    for (index, cue) in cues.enumerated() { print(CueFormat.srt.text(of: cue, number: index + 1)) }
    #expect(cues.map(\.lines) == [["go forward"]])
  }

  @Test func `a policy limits the words of a subtitle`() {
    var policy = CuePolicy()
    policy.wordsPerCue = 1
    var words = CueBuilder(policy: policy)
    let result = SpeechRecognitionResult("go forward", isFinal: true)
    #expect((words.add(result.bestTranscription) + words.flush()).count == 2)
  }

  @Test func `a program applies rules to the text of results`() async throws {
    prepareDependencies {
      $0.speechClient.startTask = { _ in
        AsyncThrowingStream {
          $0.yield(SpeechRecognitionResult("darn syrings color", isFinal: true))
          $0.finish()
        }
      }
    }
    @Dependency(\.speechClient) var speech
    let request = SpeechRequest(microphone: .speech)
    var rules = TextRules(numbers: .usual, spelling: .british)
    rules.replace("syrings", with: "Syrinx")
    rules.mask("darn")
    for try await result in await speech.startTask(request: request) {
      print(result.applying(rules).bestTranscription.formattedString)
    }
    #expect(rules.applied(to: "darn syrings color") == "d*** Syrinx colour")
    try rules.addReplacements(parsing: "# names\nsyrings => Syrinx\nc sharp → C#")
    try rules.addMasks(parsing: "darn\nheck")
    #expect(rules.applied(to: "heck c sharp") == "h*** C#")
  }

  @Test func `numbers and British spellings do not count as word errors`() {
    let errors = WordErrorRate(
      reference: "Go forward 10 meters.", hypothesis: "go forward ten metres")
    print(errors.rate ?? 1, errors.substitutions, errors.deletions, errors.insertions)
    #expect(errors.rate == 0)
  }

  @Test func `an error has a case to branch on and a sentence for users`() async {
    #expect(
      await message(after: .unavailable(reason: "no model"))
        == "Speech cannot be recognized: no model")
    #expect(await message(after: .engineFailed(reason: "crash")).contains("crash"))
  }

  private func message(after error: SpeechClientError) async -> String {
    let speech = withDependencies {
      $0.speechClient.startTask = { _ in .finished(throwing: error) }
    } operation: {
      @Dependency(\.speechClient) var speech
      return speech
    }
    let request = SpeechRequest(url: file)
    var message = ""
    do {
      for try await result in await speech.startTask(request: request) {
        print(result.bestTranscription.formattedString)
      }
    } catch SpeechClientError.unavailable(let reason) {
      message = "Speech cannot be recognized: \(reason)"
    } catch {
      message = "\(error)"
    }
    return message
  }
}
