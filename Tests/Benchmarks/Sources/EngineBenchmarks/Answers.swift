import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import BenchmarkTools
import ClientDependencies
import SoundCard

/// Measures how soon the engines respond, on ALSA's test card in real time.
enum Answers {
  private static let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

  @Sendable static func measure(on bench: Workbench) async throws -> [Finding] {
    let rounds = Options.number("--rounds", or: 500)
    let observer = CardObserver()
    return try await withDependencies {
      $0.soundCard = SoundCard.liveValue.observed(by: observer)
      $0.playbackIdleTime = .seconds(10)
    } operation: {
      let player = AudioPlayerClient.liveValue
      return [
        try summary(
          "play of a preloaded sound → first frame, nothing playing", rounds,
          try await beginnings(player, observer, rounds, beside: false),
          bound: .milliseconds(5 + 2)),
        try summary(
          "play of a preloaded sound → first frame, others playing", rounds,
          try await beginnings(player, observer, rounds, beside: true),
          bound: .milliseconds(5 + 2)),
        try summary(
          "stop() → silence at the card, periods of 5 ms", rounds / 4,
          try await stops(player, observer, rounds / 4, .low), bound: .milliseconds(5 + 10)),
        try summary(
          "stop() → silence at the card, periods of 25 ms", rounds / 4,
          try await stops(player, observer, rounds / 4, .normal), bound: .milliseconds(25 + 10)),
        try summary(
          "a frame at the card → consumer of `capture`", rounds,
          try await arrivals(observer, rounds), bound: .milliseconds(20 + 2)),
      ]
    }
  }

  /// Summarizes the response times of `rounds` rounds; throws if a round had no response.
  private static func summary(
    _ name: String, _ rounds: Int, _ times: [Duration], bound: Duration
  ) throws -> Finding {
    guard !times.isEmpty, times.count == rounds else {
      throw Program.Failure(
        description: "\(name): \(times.count) of \(rounds) rounds were answered")
    }
    return Finding(
      name: name, value: times.percentile99.inSeconds * 1_000, unit: "ms p99",
      bound: bound.inSeconds * 1_000,
      remark: "median \((times.median.inSeconds * 10_000).rounded() / 10) ms of \(times.count)")
  }

  /// Returns the times from a call of `playback` to the first frame that is not silence, with
  /// periods of 5 ms.
  private static func beginnings(
    _ player: AudioPlayerClient, _ observer: CardObserver, _ rounds: Int, beside: Bool
  ) async throws -> [Duration] {
    let click = try await player.preload(
      source: .buffers([AudioSignal { _, _ in 0.5 }.buffer(.milliseconds(20), format: stereo)]),
      device: Workbench.device, latency: .low)
    let silence = PlaybackRequest(
      source: .buffers([AudioSignal.silence.buffer(.seconds(1), format: stereo)]),
      device: Workbench.device, repetition: .forever, latency: .low)
    let others = Task { for try await _ in await player.playback(silence) where beside {} }
    defer { others.cancel() }
    if beside { try await Task.sleep(for: .milliseconds(200)) } else { others.cancel() }
    var times: [Duration] = []
    for round in 0..<rounds {
      // Varies the offset of the call within a period.
      try await Task.sleep(for: .microseconds(1_000 + round * 377 % 10_000))
      observer.reset()
      let asked = MonotonicMoment.now
      for try await _ in await player.playback(
        PlaybackRequest(source: .preloaded(click), device: Workbench.device, latency: .low))
      {}
      if let played = observer.firstSound { times.append(played - asked) }
    }
    return times
  }

  /// Returns the times from a call of `stop` to the last frame that is not silence.
  private static func stops(
    _ player: AudioPlayerClient, _ observer: CardObserver, _ rounds: Int, _ latency: PlaybackLatency
  ) async throws -> [Duration] {
    let tone = AudioSignal { _, _ in 0.5 }.buffer(.seconds(1), format: stereo)
    var times: [Duration] = []
    for round in 0..<rounds {
      observer.reset()
      let playing = Task {
        let request = PlaybackRequest(
          source: .buffers([tone]), device: Workbench.device, repetition: .forever,
          latency: latency)
        for try await _ in await player.playback(request) {}
      }
      try await Task.sleep(for: .microseconds(150_000 + round * 377 % 25_000))
      guard observer.firstSound != nil else {
        throw Program.Failure(description: "the sound to stop was not played")
      }
      let asked = MonotonicMoment.now
      await player.stop()
      try await playing.value
      if let played = observer.lastSound { times.append(max(.zero, played - asked)) }
    }
    return times
  }

  /// Returns the times from the capture of a block's first frame to the arrival of the block.
  private static func arrivals(
    _ observer: CardObserver, _ rounds: Int
  ) async throws -> [Duration] {
    let recorder = AudioRecorderClient.liveValue
    let request = CaptureRequest(
      device: Workbench.device, sampleRate: 48_000, channelCount: 2)
    var times: [Duration] = []
    for try await captured in await recorder.capture(request) {
      let arrived = MonotonicMoment.now
      guard let start = observer.start else {
        throw Program.Failure(description: "the start of the microphone is unknown")
      }
      times.append((arrived - start) - captured.capturedAt)
      if times.count == rounds { break }
    }
    return times
  }
}
