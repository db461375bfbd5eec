import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// Device calls that hang, or return late.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct BlockedCallTests {
  private let sound = staircase(4_000)
  private var endless: PlaybackRequest {
    PlaybackRequest(source: .buffers([sound]), repetition: .forever)
  }

  @Test(arguments: [PCMCall.wait, .transfer, .delay])
  func `a hanging device is reported as lost, and closed when the blocked call returns`(
    call: PCMCall
  ) async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.blocked(in: call, at: 1_600)])
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
      try await play(PlaybackRequest(source: .buffers([sound])), on: card)
    }
    #expect(await card.blockedCall() == call)
    try await isClosedWhenReleased(card)
  }

  @Test func `a device that hangs when a short sound is started is reported as lost`()
    async throws
  {
    let harness = PlayerHarness(faults: [.blocked(in: .start)])
    let playing = await harness.start(PlaybackRequest(source: .buffers([sound])))
    await harness.clock.advance(by: .seconds(1))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    try await isClosedWhenReleased(harness.card)
  }

  @Test(arguments: [PCMCall.drop, .close])
  func `stop returns even if the device hangs in drop or close`(
    call: PCMCall
  ) async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.blocked(in: call)])
    do {
      let events = try await play(endless, on: card) { event, player in
        if case .started = event { await player.stop() }
      }
      #expect(events.last?.finish?.reason == .stopped)
    } catch {
      // If a busy machine does not run the thread for a second, the device counts as hanging.
      #expect(error as? AudioPlayerError == .deviceLost("virtual"))
    }
    try await isClosedWhenReleased(card)
  }

  @Test(arguments: [PCMCall.wait, .transfer, .delay])
  func `stop returns even if the device is already hanging`(call: PCMCall) async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.blocked(in: call, at: 400)])
    do {
      try await play(endless, on: card) { event, player in
        guard case .started = event else { return }
        #expect(await card.blockedCall() == call)
        await player.stop()
      }
    } catch {
      // If the loss is detected before the stop, the playback fails with a `deviceLost` error.
      #expect(error as? AudioPlayerError == .deviceLost("virtual"))
    }
    try await isClosedWhenReleased(card)
  }

  @Test(arguments: [PCMCall.wait, .transfer, .delay])
  func `a slow device call causes silence and loses no frame`(
    call: PCMCall
  ) async throws {
    let harness = PlayerHarness(faults: [.blocked(in: call, at: 1_600, for: .milliseconds(300))])
    // On a busy machine, the call may return only after a second; the device then counts as lost
    // for a while.
    let playing = await harness.start(
      PlaybackRequest(source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60))))
    try await harness.finish(playing)
    guard !harness.events.contains(.deviceLost) else { return }
    let silences = harness.events.compactMap { event -> Duration? in
      if case .xrun(let silence) = event { silence } else { nil }
    }
    let silence = silences.reduce(.zero, +)
    // The call blocks for 300 ms, but the device first plays its buffer of at least 75 ms.
    #expect((.milliseconds(175)...(.milliseconds(250))).contains(silence), "\(silence)")
    let isComplete = harness.played.starts(with: sound.samples)
    #expect(isComplete)
    #expect(harness.events.last?.finish?.played == .milliseconds(500))
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `after a hang the next sound opens the device again`() async throws {
    let card = VirtualSoundCard(
      pace: .untimed, faults: [.blocked(in: .transfer, at: 400)])
    let request = PlaybackRequest(source: .buffers([sound]))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
      try await play(request, on: card)
    }
    let events = try await play(request, on: card)
    #expect(
      events.last?.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
    #expect(card.openDeviceCount == 1)
    try await isClosedWhenReleased(card)
  }

  @Test(arguments: [PCMCall.wait, .transfer, .delay])
  func `a sound waiting for a hanging device continues when the device is opened a second time`(
    call: PCMCall
  ) async throws {
    let card = VirtualSoundCard(pace: .untimed, faults: [.blocked(in: call, at: 400)])
    let request = PlaybackRequest(
      source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60)))
    let events = try await play(request, on: card)
    let gaps = events.compactMap(\.gap)
    #expect(events.count { $0 == .deviceLost } == 1)
    #expect(gaps.count == 1 && gaps[0] >= .seconds(1), "\(gaps)")
    #expect(events.last?.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
    let second = try #require(card.played.last?.samples)
    // Silence may follow while the end is reported; the sound itself contains no silence.
    let audible = second.prefix { $0 != 0 }
    let isComplete = audible.elementsEqual(sound.samples.suffix(audible.count))
    #expect(card.played.count == 2 && audible.count >= 3_600 && isComplete)
    #expect(second.dropFirst(audible.count).allSatisfy { $0 == 0 })
    try await isClosedWhenReleased(card)
  }

  @Test func `a playback fails if a device call blocks for longer than onDeviceLoss allows`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, faults: [.blocked(in: .transfer, at: 400)])
    let request = PlaybackRequest(
      source: .buffers([sound]), onDeviceLoss: .wait(atMost: .milliseconds(100)))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) {
      try await play(request, on: card)
    }
    try await isClosedWhenReleased(card)
  }

  private func isClosedWhenReleased(_ card: VirtualSoundCard) async throws {
    #expect(card.openDeviceCount == 1)
    card.releaseBlockedCalls()
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @discardableResult
  private func play(
    _ request: PlaybackRequest, on card: VirtualSoundCard,
    _ onEvent: (PlaybackEvent, AudioPlayerClient) async -> Void = { _, _ in }
  ) async throws -> [PlaybackEvent] {
    try await withDependencies {
      $0.soundCard = card.soundCard
      $0.continuousClock = ContinuousClock()
    } operation: {
      let player = AudioPlayerClient.liveValue
      var events: [PlaybackEvent] = []
      for try await event in await player.playback(request: request) {
        events.append(event)
        await onEvent(event, player)
      }
      return events
    }
  }
}
