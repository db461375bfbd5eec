import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing

/// Tests canceled playbacks on ALSA's test card.
///
/// The suite runs in a separate process, so that no other test uses threads or descriptors.
@Suite(.timeLimit(.minutes(5))) struct CancelledPlaybackTests {
  @Test func `a playback on ALSA can be canceled in every state without leaks`()
    async
  {
    await #expect(processExitsWith: .success) {
      await withALSA {
        let bench = try TestALSA.ready()
        // The first run is not measured, because it opens descriptors that stay open.
        try await cancel(in: .sounding, on: bench)
        for state in PlaybackState.allCases {
          let before = try ResourceSnapshot()
          try await cancel(in: state, on: bench)
          let (isGone, last) = try await ResourceSnapshot.returned(to: before, atMost: .seconds(15))
          #expect(isGone, "\(state): \(last), not \(before)")
        }
      }
    }
  }
}

/// The states of a playback.
private enum PlaybackState: CaseIterable {
  case opening, waitingForSource, starting, sounding, paused, recovering, suspended, hanging
  case draining, waitingForDevice

  /// The card's fault that leads to the state; nil if no fault is needed.
  var script: String? {
    switch self {
    case .opening: "block_in=open block_ms=1500"
    case .starting: "again_in=start again_times=1000000"
    case .recovering: "xrun_at=4800 again_in=prepare again_at=4800 again_times=1000000"
    case .suspended: "suspend_at=4800 resume_again=1000000"
    case .hanging: "block_in=transfer block_at=4800 block_ms=1500"
    case .waitingForSource, .sounding, .paused, .draining, .waitingForDevice: nil
    }
  }

  /// Returns whether the state begins with this event.
  func begins(with event: PlaybackEvent) -> Bool {
    switch (self, event) {
    case (.waitingForSource, .starved), (.sounding, .progress), (.paused, .paused),
      (.waitingForDevice, .deviceLost):
      true
    // The rest of the sound fits into the card's buffer of 100 ms.
    case (.draining, .progress(let progress)): progress.played >= .milliseconds(420)
    default: false
    }
  }
}

/// Begins a playback of half a second and cancels it in the given state.
///
/// In the state `waitingForSource`, the source does not end.
private func cancel(in state: PlaybackState, on bench: TestALSA) async throws {
  let trouble = try state.script.map { _ in try FaultSignal(in: bench) }
  defer { trouble?.close() }
  let script =
    switch state {
    case .draining: "stall_at=21600"
    case .waitingForDevice: "gone_at=4800 gone_for_ms=600000"
    default: trouble.map { "\(state.script ?? "") tell=\($0.path)" } ?? ""
    }
  let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
  continuation.yield(
    AudioBuffer(
      format: AudioFormat(sampleRate: 48_000, channelCount: 1), samples: ramp(24_000, from: 1)))
  if state != .waitingForSource { continuation.finish() }
  let request = PlaybackRequest(
    items: [PlaybackItem(source: .stream(stream))],
    device: AudioDevice.ID(rawValue: testCard(script)), id: "a",
    onDeviceLoss: .wait(atMost: .seconds(600)))
  let player = AudioPlayerClient.liveValue
  let (begun, begins) = AsyncStream<Void>.makeStream()
  let playing = Task {
    defer { begins.finish() }
    for try await event in await player.playback(request: request) {
      if case .started = event, state == .paused {
        Task { try await player.control(id: "a", command: .pause()) }
      }
      if state.begins(with: event) { begins.yield() }
    }
  }
  if let trouble {
    try await trouble.begins()
  } else {
    // If the stream ends first, the playback has not reached the state.
    try #require(await begun.first { true } != nil, "\(state)")
  }
  playing.cancel()
  _ = await playing.result
  withExtendedLifetime(continuation) {}
}
