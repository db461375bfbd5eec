import ALSASoundCard
import AudioCore
import AudioRecorderClient
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import MoonshineEngine
import PocketSphinxEngine
import SoundCard
import SoundFile
import SpeechEngine
import TestTools
import Testing
import VirtualSoundCard
import WhisperEngine

/// The examples of `SoundFile.docc`.
@Suite struct SoundFileArticlesTests {
  private let folder: TestFolder
  private let talk: URL

  init() throws {
    folder = try TestFolder()
    talk = folder.file("talk.wav")
    let tone = AudioSignal.sine(440).buffer(.seconds(3), format: .speech)
    let writer = try SoundFileWriter(url: talk, format: tone.format, encoding: .wav16)
    try writer.write(tone)
    try writer.close()
  }

  @Test func `a file is read and written`() async throws {
    for try await buffer in SoundFile.buffers(of: talk) {
      print(buffer.frameCount)
    }
    let copy = folder.file("copy.flac")

    let reader = try SoundFileReader(url: talk)
    try reader.seek(to: 16_000)
    let second = try reader.read(atMost: 16_000)

    let info = try AudioFileInfo(url: talk)
    print(info.container, info.duration ?? .zero, info.metadata.tags[.title]?.first ?? "untitled")
    #expect(info.frameCount == 48_000)

    let writer = try SoundFileWriter(url: copy, format: second.format, encoding: .flac16)
    try writer.write(second)
    try writer.close()
    #expect(try AudioFileInfo(url: copy).frameCount == 16_000)
  }

  @Test func `a stream is written to its end`() async throws {
    let copy = folder.file("copy.flac")
    let length = try AudioFileInfo(url: talk).duration
    let quiet = SoundFile.buffers(of: talk).mapSamples { $0 / 2 }
    let frames = try await quiet.write(to: copy, encoding: .flac16, atomically: true) { written in
      if let length { print(written / length) }  // from 0 to 1
    }
    print(frames)  // 48000 frames
    #expect(frames.description == "48000 frames")
    #expect(try AudioFileInfo(url: copy).frameCount == 48_000)
  }

  @Test func `an operator changes samples in place`() async throws {
    let stereo = AudioFormat(sampleRate: .speech, channelCount: 2)
    let frames = [[Float]](repeating: [1, -1], count: 16_000)
    let tone = AudioBuffer(format: stereo, samples: frames.flatMap { $0 })
    let microphone = AsyncStream<CapturedAudio> { continuation in
      continuation.yield(CapturedAudio(buffer: tone, time: .zero))
      continuation.finish()
    }
    let rumbleFree = microphone.processed(with: [Float]()) { levels, buffer in
      let channelCount = buffer.format.channelCount
      if levels.count != channelCount { levels = Array(repeating: 0, count: channelCount) }
      buffer.withMutableSamples { samples in
        for index in samples.indices {
          let channel = index % channelCount
          levels[channel] += 0.01 * (samples[index] - levels[channel])
          samples[index] -= levels[channel]
        }
      }
    }
    for await buffer in rumbleFree {
      #expect(buffer.samples.suffix(2).allSatisfy { abs($0) < 1e-3 })
    }
  }

  @Test func `an intact file is read without an error and without a shortfall`() async throws {
    do {
      _ = try SoundFileReader(url: talk)
    } catch let error as SoundFileError {
      print(error)
    }

    let buffers = SoundFile.buffers(of: talk) { shortfall in
      print(shortfall)
    }
    for try await _ in buffers {}
  }
}

/// The examples of the catalogs of engines and sound cards.
@Suite struct EngineArticlesTests {
  final class Parrot: SpeechEngineSession {
    private var length: FrameCount = 0

    func beginUtterance() throws(SpeechEngineError) { length = 0 }

    func process(_ samples: [Float]) throws(SpeechEngineError) {
      length += FrameCount(samples.count)
    }

    var hypothesis: SpeechHypothesis {
      SpeechHypothesis(words: [SpeechHypothesis.Word("squawk", frames: 0..<length)])
    }

    func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis { hypothesis }
  }

  @Test func `an engine consists of a value and a session`() throws {
    let parrot = SpeechEngine(
      name: "parrot",
      availability: { .ready(SpeechModel(language: "en-US", location: "built in")) },
      makeSession: { _ in Parrot() })
    let session = try parrot.makeSession(SpeechSessionOptions(wantsPartialHypotheses: false))
    try session.beginUtterance()
    try session.process([0, 0])
    let expected = SpeechHypothesis(words: [SpeechHypothesis.Word("squawk", frames: 0..<2)])
    #expect(try session.finishUtterance() == expected)
  }

  @Test func `a program sets its speech engine and its sound card`() async {
    await #expect(processExitsWith: .success) {
      prepareDependencies {
        $0.speechEngine = .moonshine()
      }
      @Dependency(\.speechEngine) var engine
      #expect(engine.name == "moonshine")
    }
    await #expect(processExitsWith: .success) {
      prepareDependencies {
        $0.speechEngine = .whisper(language: "es")
      }
      @Dependency(\.speechEngine) var engine
      #expect(engine.name == "whisper")
    }
    await #expect(processExitsWith: .success) {
      let model = URL(filePath: "model")
      prepareDependencies {
        $0.speechEngine = .pocketSphinx(modelDirectory: model)
      }
      @Dependency(\.speechEngine) var engine
      #expect(engine.name == "pocketsphinx")
    }
    await #expect(processExitsWith: .success) {
      prepareDependencies {
        $0.soundCard = .liveValue
      }
    }
    await #expect(processExitsWith: .success) {
      let card = VirtualSoundCard(
        pace: .realTime, microphone: .signal(.sine(440)), keepsPlayback: false)
      prepareDependencies { $0.soundCard = card.soundCard }
      @Dependency(\.soundCard) var soundCard
      let devices = try await soundCard.devices()
      #expect(devices == [VirtualSoundCard.device])
    }
  }

  @Test func `Ctrl-C cancels the task of a program`() async {
    await #expect(processExitsWith: .success) {
      let clock = TestClock()
      @Sendable func listen() async throws { try await clock.sleep(for: .seconds(1)) }
      // Until the source is registered, the signal would end the process.
      signal(SIGINT, SIG_IGN)
      let work = Task { try await listen() }
      let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
      interrupts.setEventHandler { work.cancel() }
      interrupts.activate()
      defer { interrupts.cancel() }
      while !work.isCancelled {
        kill(getpid(), SIGINT)
        await Task.yield()
      }
      await #expect(throws: CancellationError.self) { try await work.value }
    }
  }

  @Test func `a virtual card opens no device by itself`() {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)), sampleRate: 8_000)
    #expect(card.openDeviceCount == 0)
  }
}
