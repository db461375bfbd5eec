import Foundation
import Syrinx
import SyrinxTestSupport
import TestTools
import Testing

/// The examples of the page "Pipelines", on a virtual card and with a scripted recognizer.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PipelinesTests {
  private let folder: TestFolder
  private let file: URL

  /// A screen of an app.
  private final class Screen {
    private(set) var peaks: [Decibels] = []
    private(set) var lines: [String] = []

    func show(_ peak: Decibels) { peaks.append(peak) }
    func show(_ line: String) { lines.append(line) }
  }

  private let screen = Screen()
  @Dependency(\.audioPlayer) private var player
  @Dependency(\.audioRecorder) private var recorder
  @Dependency(\.speechClient) private var speech

  init() throws {
    folder = try TestFolder()
    file = folder.file("talk.wav")
  }

  /// A microphone's signal of four seconds, with speech from 1 s to 2 s.
  private let room = AudioSignal.noise(seed: 1, bandwidth: 7_000)
    .during(.seconds(1) ..< .seconds(2)).buffer(.seconds(4), format: .speech)

  /// Runs a pipeline with live clients; by default, the microphone captures `room`.
  private func run(
    on card: VirtualSoundCard? = nil, _ pipeline: @MainActor () async throws -> Void
  ) async throws {
    let card = card ?? VirtualSoundCard(pace: .untimed, microphone: .buffer(room))
    let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("stop")])
    try await withDependencies {
      $0.continuousClock = ContinuousClock()
      $0.soundCard = card.soundCard
      $0.speechEngine = scripted.engine
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
      $0.speechClient = .liveValue
    } operation: {
      try await pipeline()
    }
  }

  /// Writes a second of a tone.
  private func write(to url: URL) async throws {
    let tone = AudioSignal.sine(440).buffer(.seconds(1), format: .speech)
    try await AsyncStream { tones in
      tones.yield(tone)
      tones.finish()
    }.write(to: url, encoding: .wav16, atomically: true)
  }

  @Test func `levels appear on a screen`() async throws {
    try await run {
      let microphone = await recorder.capture(request: .speech)
      for try await reading in microphone.levels() { screen.show(reading.level.peak) }
      #expect(screen.peaks.contains { $0 > Decibels(-40) })
    }
  }

  @Test func `spoken commands are recognized`() async throws {
    try await run {
      var request = SpeechRequest(microphone: .speech, shouldReportPartialResults: false)
      request.keyPhrases = [KeyPhrase("start"), KeyPhrase("stop")]
      for try await result in await speech.startTask(request: request) {
        screen.show(result.bestTranscription.formattedString)
      }
      #expect(screen.lines == ["stop"])
    }
  }

  @Test func `a file passes through a filter into another file`() async throws {
    let copy = folder.file("copy.flac")
    try await write(to: file)
    let sharper = SoundFile.buffers(of: file).processed(with: Float.zero) { last, buffer in
      buffer.withMutableSamples { samples in
        for index in samples.indices {
          (samples[index], last) = (samples[index] - last, samples[index])
        }
      }
    }
    try await sharper.write(to: copy, encoding: .flac16, atomically: true)
    let input = try SoundFileReader(url: file).read(atMost: 20_000).samples
    let output = try SoundFileReader(url: copy).read(atMost: 20_000).samples
    #expect(output.count == 16_000)
    // The filter outputs the difference between adjacent samples; dither to 16 bits adds an error.
    for index in 1..<min(input.count, output.count) {
      #expect(abs(output[index] - (input[index] - input[index - 1])) < 1e-4)
    }
  }

  @Test func `a queue reports its next item`() async throws {
    let (intro, song) = (folder.file("intro.wav"), file)
    for url in [intro, song] { try await write(to: url) }
    try await run {
      let queue = PlaybackRequest(items: [intro, song].map { PlaybackItem(source: .file($0)) })
      for try await event in await player.playback(request: queue) {
        if case .advanced(let progress) = event { screen.show("item \(progress.item)") }
      }
      #expect(screen.lines == ["item 1"])
    }
  }

  @Test func `a take is recorded while its backing track is played`() async throws {
    let backing = folder.file("backing.wav")
    try await write(to: backing)
    // The microphone captures the backing track.
    let card = VirtualSoundCard(
      pace: .lockstep(ContinuousClock()), microphone: .loopback(delay: .zero))
    try await run(on: card) {
      let take = try await recorder.beginRecording(url: file)
      try await player.play(url: backing)
      let finish = try await take.stop()
      let recorded = try SoundFileReader(url: file).read(atMost: 1_000_000)
      #expect(recorded.frameCount == finish.frameCount)
      #expect(recorded.samples.contains { $0 > 0.1 })
    }
  }

  @Test func `three consumers share a capture`() async throws {
    try await run {
      let microphone = await recorder.capture(request: .speech).broadcast()
      let talk = microphone.consumer(.waiting)
      let words = microphone.consumer(.droppingOldestAfter(.seconds(60)))
      let meter = microphone.consumer(.droppingOldestAfter(.seconds(1)))
      async let frames = talk.write(to: file, encoding: .flac16, atomically: false)
      async let text = speech.startTask(request: SpeechRequest(buffers: words)).text()
      for try await reading in meter.levels() { screen.show(reading.level.peak) }
      try await screen.show("\(frames): \(text)")
      #expect(screen.lines == ["64000 frames: stop"])
    }
  }

  @Test func `a capture is recorded and replayed`() async throws {
    let recording = folder.file("room.jsonl")
    try await run {
      let recorded = try recorder.recordingCapture(to: recording)
      for try await _ in await recorded.capture(request: .speech) {}
    }
    try await withDependencies {
      $0.audioRecorder = try .replayingCapture(recording)
      $0.continuousClock = ImmediateClock()
    } operation: {
      let samples = try await recorder.capture(request: .speech).collect().flatMap(\.buffer.samples)
      #expect(samples == room.samples)
    }
  }

  @Test func `a playback is recorded and replayed`() async throws {
    let recording = folder.file("music.jsonl")
    try await write(to: file)
    try await run {
      let recorded = try player.recordingPlayback(to: recording)
      try await recorded.play(url: file)
    }
    try await withDependencies {
      $0.audioPlayer = try .replayingPlayback(recording)
      $0.continuousClock = ImmediateClock()
    } operation: {
      let request = PlaybackRequest(source: .file(URL(filePath: "elsewhere.wav")))
      let events = try await player.playback(request: request).collect()
      #expect(
        events.last == .finished(PlaybackFinish(reason: .completed, played: .seconds(1))))
    }
  }

  @Test func `a diagram shows the elements that two consumers of a broadcast receive`() {
    let diagram = StreamDiagram(inputs: ["ab-c|"]) { _ in
      AudioBuffer(silence: 160, format: .speech)
    }
    let (outputs, _) = diagram.run(
      demands: ["*", "---*"], symbol: { (audio: BroadcastAudio) in audio.lost > 0 ? "x" : "o" }
    ) { inputs in
      let broadcast = inputs[0].broadcast(on: diagram.executor)
      let slow = broadcast.consumer(.droppingOldestAfter(.milliseconds(10)))
      return [broadcast.consumer(.waiting), slow]
    }
    #expect(outputs == ["oo-o|", "---[xo]|"])  // the second loses a buffer before the fourth column
  }
}
