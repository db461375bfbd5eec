import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A card that cannot be opened, or not at once.
@Suite(.timeLimit(.minutes(1))) struct OpeningFaultTests {
  private let request = PlaybackRequest(source: .buffers([staircase(4_000)]))

  @Test func `a card that is in use says who has it, and is opened anew by the next sound`()
    async throws
  {
    let holder = DeviceHolder(name: "mpv", processID: 42)
    let deck = Deck(faults: [.busy(holder: holder, times: 1)])
    let refused = await deck.start(request)
    let error = await #expect(throws: AudioPlayerError.self) { try await refused.value }
    #expect(error.map { "\($0)".contains("mpv (process 42)") } == true)
    #expect(deck.openDeviceCount == 0)
    try await deck.finish(await deck.start(request))
    #expect(deck.events.last?.finish?.reason == .completed)
    #expect(deck.openDeviceCount == 0)
  }

  @Test func `a card that cannot be opened says why`() async {
    let denied = SoundCardError.permissionDenied("virtual")
    let deck = Deck(faults: [.failing(in: .open, with: denied)])
    let refused = await deck.start(request)
    await #expect(throws: AudioPlayerError.device(nil, reason: "\(denied)")) {
      try await refused.value
    }
    #expect(deck.events.isEmpty)
  }

  @Test func `a card that takes its time to open is waited for, and nothing is left out`()
    async throws
  {
    let deck = Deck(faults: [.blocked(in: .open, for: .seconds(3))])
    let (playing, begun) = await deck.begin(request)
    await deck.clock.sleepers(atLeast: 1)
    await deck.clock.advance(by: .seconds(3))
    await begun.wait()
    try await deck.finish(playing)
    let isComplete = deck.played.starts(with: staircase(4_000).samples)
    #expect(isComplete)
    #expect(deck.events.last?.finish?.reason == .completed)
  }

  @Test func `a card that does not open is lost after five seconds`() async {
    let deck = Deck(faults: [.blocked(in: .open)])
    let (playing, _) = await deck.begin(request)
    await deck.clock.sleepers(atLeast: 1)
    await deck.clock.advance(by: .seconds(5))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `stop and cancel end a sound whose card does not open, at once`() async throws {
    for isCancelled in [false, true] {
      let deck = Deck(faults: [.blocked(in: .open)])
      let (playing, _) = await deck.begin(request)
      await deck.clock.sleepers(atLeast: 1)
      if isCancelled { playing.cancel() } else { await deck.player.stop() }
      _ = await playing.result
      await deck.player.stop()
      if !isCancelled { #expect(deck.events.last?.finish?.reason == .stopped) }
      #expect(deck.openDeviceCount == 0)
    }
  }
}
