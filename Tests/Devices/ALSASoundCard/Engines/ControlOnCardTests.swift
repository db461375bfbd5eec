import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import Foundation
import SoundCard
import Testing

/// Tests commands to a running playback by the samples that ALSA's test card receives.
@Suite(.timeLimit(.minutes(5))) struct ControlOnCardTests {
  private let bench: TestALSA
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
  /// Ten seconds of samples, enough for all commands on a busy machine.
  ///
  /// Each sample is slightly above the previous sample, so its value identifies its position.
  private let stairs = (0..<480_000).map { 0.25 + Float($0) / 4_194_304 }

  init() throws {
    bench = try TestALSA.ready()
  }

  @Test func `commands to a playback lose no frame and do not click`() async throws {
    let file = bench.file()
    let events = try await play(on: testCard("output=\(file.path())")) { player in
      try await player.control(id: "a", command: .pause())
      try await player.control(id: "a", command: .seek(to: .frame(60_000)))
      try await player.control(id: "a", command: .resume())
      try await player.control(id: "a", command: .setVolume(0.5, ramp: .milliseconds(100)))
      try await player.control(id: "a", command: .stop(fade: .milliseconds(50)))
    }
    guard case .finished(let finish) = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(finish.reason == .stopped)
    try check(try samples(file), events)
  }

  /// Checks the frames before the pause, the silence, and the frames from the seek target on.
  private func check(_ played: [Float], _ events: [PlaybackEvent]) throws {
    let isStarved = events.contains { if case .starved = $0 { true } else { false } }
    let paused = events.compactMap { event -> Int? in
      if case .paused(let place) = event { place.position.rawValue } else { nil }
    }
    // If a busy machine decodes too slowly, the sound may fade to silence anywhere, so the samples
    // are not compared.
    guard !isStarved else { return }
    // The steepest requested fade falls from a third of full scale to silence within 10 ms.
    let steps = zip(played, played.dropFirst()).map { abs($0 - $1) }
    #expect(try #require(steps.max()) <= 0.35 / 480 + 1e-4)
    let position = try #require(paused.first)
    try #require(position >= 480 && position < played.count)
    #expect(played.starts(with: stairs[..<(position - 480)]))
    let target = stairs[60_480]
    let after = try #require(played[position...].firstIndex(of: target))
    #expect(played[after...].starts(with: stairs[60_480..<60_580]))
    #expect(played[position..<after].contains(0))
  }

  private func play(
    on device: String,
    act: @escaping @Sendable (AudioPlayerClient) async throws -> Void
  ) async throws -> [PlaybackEvent] {
    try await withDependencies {
      $0.soundCard = .liveValue
      $0.continuousClock = ContinuousClock()
    } operation: {
      let player = AudioPlayerClient.liveValue
      let request = PlaybackRequest(
        source: .buffers([AudioBuffer(format: format, samples: stairs)]),
        device: AudioDevice.ID(rawValue: device), id: "a")
      var events: [PlaybackEvent] = []
      var acting: Task<Void, any Error>?
      for try await event in await player.playback(request: request) {
        events.append(event)
        if case .progress = event, acting == nil { acting = Task { try await act(player) } }
      }
      try await acting?.value
      return events
    }
  }

  private func samples(_ file: URL) throws -> [Float] {
    try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}
