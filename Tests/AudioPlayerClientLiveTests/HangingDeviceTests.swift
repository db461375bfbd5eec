import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A driver or a sound server whose calls do not return: whoever plays hears of it, and whoever
/// stops gets away.
@Suite struct HangingDeviceTests {
  let tone = AudioSignal.sine(440).buffer(
    .milliseconds(500), format: AudioFormat(sampleRate: 8_000, channelCount: 1))

  @Test(arguments: [HangingPlayback.Call.write, .delay])
  func `a device that hangs is lost, and closed when its call returns`(
    call: HangingPlayback.Call
  ) async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let device = try await hanging(on: card, in: call)
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
      try await with(device) { player in
        for try await _ in await player.playback(request: .init(source: .buffers([tone]))) {}
      }
    }
    #expect(!device.closed.isOpen)
    device.release()
    await device.closed.wait()
    #expect(card.openDeviceCount == 0)
  }

  @Test func `stop returns although the device hangs when it is stopped`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let device = try await hanging(on: card, in: .drop)
    let reason = try await with(device) { player in
      let stream = await player.playback(
        request: .init(source: .buffers([tone]), repetition: .forever))
      var reason: PlaybackFinish.Reason?
      for try await event in stream {
        if case .started = event { await player.stop() }
        if case .finished(let finish) = event { reason = finish.reason }
      }
      return reason
    }
    #expect(reason == .stopped)
    device.release()
    await device.closed.wait()
  }

  @Test func `the next sound opens the device anew`() async throws {
    let card = VirtualSoundCard(.init(pace: .untimed))
    let device = try await hanging(on: card, in: .write)
    let soundCard = card.soundCard
    let openings = Openings(device)
    try await withDependencies {
      $0.soundCard.openPlayback = { request in
        if let first = await openings.takeFirst() { return first }
        return try await soundCard.openPlayback(request: request)
      }
    } operation: {
      let player = AudioPlayerClient.liveValue
      await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
        for try await _ in await player.playback(request: .init(source: .buffers([tone]))) {}
      }
      var events: [PlaybackEvent] = []
      for try await event in await player.playback(request: .init(source: .buffers([tone]))) {
        events.append(event)
      }
      #expect(
        events.last
          == .finished(PlaybackFinish(reason: .completed, heard: .milliseconds(500))))
    }
    device.release()
    await device.closed.wait()
  }

  private actor Openings {
    private var first: HangingPlayback?
    init(_ first: HangingPlayback) { self.first = first }
    func takeFirst() -> HangingPlayback? {
      defer { first = nil }
      return first
    }
  }

  private func hanging(
    on card: VirtualSoundCard, in call: HangingPlayback.Call
  ) async throws -> HangingPlayback {
    try HangingPlayback(
      try await card.soundCard.openPlayback(request: PCMRequest(format: tone.format)), in: call)
  }

  private func with<Value: Sendable>(
    _ device: HangingPlayback, _ body: (AudioPlayerClient) async throws -> Value
  ) async throws -> Value {
    try await withDependencies {
      $0.soundCard.openPlayback = { _ in device }
    } operation: {
      try await body(AudioPlayerClient.liveValue)
    }
  }
}
