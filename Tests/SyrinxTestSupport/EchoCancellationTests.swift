import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import Syrinx
import SyrinxTestSupport
import TestTools
import Testing

/// An assistant that listens while it speaks, in a synthetic room.
@Suite(.timeLimit(.minutes(10))) struct EchoCancellationTests {
  /// Returns a room that adds an echo with four reflections to `sound`.
  private func room(
    delay: Int, gain: Float, over sound: VirtualMicrophone
  ) -> VirtualMicrophone {
    [(0, 1), (11, 0.5), (23, 0.3), (41, 0.2), (67, 0.1)].reduce(sound) { room, reflection in
      .loopback(
        delay: .milliseconds(delay + reflection.0), gain: gain * Float(reflection.1), over: room)
    }
  }

  /// Returns the assistant's speech, which is 14 s long.
  private func assistant() throws -> AudioBuffer {
    let sentence = try samples("window.wav")
    return AudioBuffer(format: .speech, samples: sentence + sentence + sentence + sentence)
  }

  private func samples(_ name: String) throws -> [Float] {
    let file = Checkout.file("Samples/sounds/\(name)")
    return try SoundFileReader(url: file).read(atMost: 1_000_000).samples
  }

  /// Plays the assistant's speech and returns the first `length` of a capture.
  private func capture(
    _ length: Duration, in room: VirtualMicrophone, isProcessed: Bool, isSpeaking: Bool = true,
    latency: PlaybackLatency = .normal
  ) async throws -> [Float] {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: room)
    let sentence = try assistant()
    let capturing = withDependencies {
      $0.continuousClock = clock
      $0.soundCard = card.soundCard
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
    } operation: {
      @Dependency(\.audioPlayer) var player
      @Dependency(\.audioRecorder) var recorder
      return Task { [player, recorder] in
        let request = CaptureRequest(sampleRate: .speech, channelCount: 1)
        let microphone = await recorder.capture(request: request)
        let voice = microphone.voiceProcessed(reference: player)
        let playing = Task {
          let request = PlaybackRequest(source: .buffers([sentence]), latency: latency)
          guard isSpeaking else { return }
          for try await _ in await player.playback(request: request) {}
        }
        let blocks =
          try await isProcessed
          ? voice.prefix(length).collect() : microphone.prefix(length).collect()
        try await playing.value
        return blocks.flatMap(\.samples)
      }
    }
    await clock.advance(until: capturing)
    return try await capturing.value
  }

  private func decibels(_ samples: some Collection<Float>) -> Double {
    10 * log10(samples.reduce(1e-12) { $0 + Double($1 * $1) } / Double(samples.count))
  }

  @Test(
    arguments: [
      (0, 0.5, .normal), (10, 0.5, .low), (60, 0.25, .normal), (60, 1, .low), (120, 0.5, .normal),
    ] as [(Int, Float, PlaybackLatency)])
  func `after five seconds, an echo is at least 20 dB lower`(
    delay: Int, gain: Float, latency: PlaybackLatency
  ) async throws {
    let hiss = VirtualMicrophone.signal(.noise(seed: 1, amplitude: 0.000_2))
    let room = room(delay: delay, gain: gain, over: hiss)
    let raw = try await capture(.seconds(13), in: room, isProcessed: false)
    let processed = try await capture(
      .seconds(13), in: room, isProcessed: true, latency: latency)
    #expect(raw.count == processed.count)
    let loss = decibels(raw.dropFirst(80_000)) - decibels(processed.dropFirst(80_000))
    #expect(loss > 20)
  }

  /// The command "go forward ten meters" after nine seconds.
  private func command() throws -> (microphone: VirtualMicrophone, frames: Range<Int>) {
    let speech = try samples("go-forward.wav")
    var room = AudioSignal.noise(seed: 1, amplitude: 0.002).buffer(.seconds(13), format: .speech)
      .samples
    let frames = 144_000..<(144_000 + speech.count)
    for (frame, sample) in zip(frames, speech) { room[frame] += sample }
    return (.buffer(AudioBuffer(format: .speech, samples: room)), frames)
  }

  @Test func `speech over an echo keeps its level, and is recognized only after echo cancellation`()
    async throws
  {
    let (speaker, frames) = try command()
    let room = room(delay: 60, gain: 1, over: speaker)
    let raw = try await capture(.seconds(13), in: room, isProcessed: false)
    let processed = try await capture(.seconds(13), in: room, isProcessed: true)
    let clear = try await capture(.seconds(13), in: speaker, isProcessed: false, isSpeaking: false)
    // Compute the gain of the clear speech within the processed samples.
    let (spoken, result) = (clear[frames], processed[frames])
    let product = zip(spoken, result).reduce(0) { $0 + Double($1.0 * $1.1) }
    let share = product / spoken.reduce(0) { $0 + Double($1 * $1) }
    #expect(abs(20 * log10(abs(share))) < 6)
    var texts: [String] = []
    for samples in [clear, raw, processed] {
      texts.append(try await text(of: Array(samples[(frames.lowerBound - 8_000)...])))
    }
    #expect(texts[0] == "go forward ten meters")
    #expect(texts[1].contains("door"))
    #expect(texts[2].contains("forward ten meters"))
    #expect(!["window", "door"].contains { texts[2].contains($0) })
  }

  private func text(of samples: [Float]) async throws -> String {
    try await withDependencies {
      $0.speechEngine = .pocketSphinx()
      $0.speechClient = .liveValue
      $0.soundCard = VirtualSoundCard(pace: .untimed).soundCard
    } operation: {
      @Dependency(\.speechClient) var speech
      let buffer = AudioBuffer(format: .speech, samples: samples)
      let audio = AsyncThrowingStream<AudioBuffer, any Error> { stream in
        stream.yield(buffer)
        stream.finish()
      }
      return try await speech.startTask(request: SpeechRequest(buffers: audio)).text()
    }
  }
}
