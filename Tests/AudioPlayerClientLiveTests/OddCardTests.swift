import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A card that answers oddly: every frame is heard, once and in time.
@Suite(.timeLimit(.minutes(1))) struct OddCardTests {
  private let sound = staircase(4_000)
  private let completed = PlaybackFinish(reason: .completed, heard: .milliseconds(500))
  /// The sound, the buffer of four periods, the grace, and the period in which the end is seen.
  private let longest = Duration.milliseconds(500 + 100 + 250 + 25)

  @Test(arguments: [
    [VirtualFault.shortTransfers(atMost: 70)], [.refusedTransfers(every: 2)],
    [.shortTransfers(atMost: 150), .refusedTransfers(every: 3)],
    [.claimedDelay(0)], [.claimedDelay(-500)], [.claimedDelay(nil)],
    [.claimedDelay(nil, at: 1_600)], [.claimedDelay(800)], [.claimedDelay(12_800)],
    [.claimedDelay(2_000_000_000)], [.claimedDelay(-2_000_000_000, at: 3_000)],
  ])
  func `every frame is heard, and the end is told in time`(faults: [VirtualFault]) async throws {
    let deck = Deck(faults: faults)
    let playing = await deck.start(PlaybackRequest(source: .buffers([sound])))
    await deck.clock.advance(by: longest)
    try await playing.value
    let isComplete = deck.played.starts(with: sound.samples)
    #expect(isComplete)
    #expect(deck.events.last?.finish == completed)
    let heard = deck.events.compactMap(\.progress).map(\.heard)
    #expect(heard == heard.sorted())
    let troubles = deck.events.count { if case .xrun = $0 { true } else { false } }
    #expect(troubles == 0)
    #expect(deck.openDeviceCount == 0)
  }

  @Test func `a card that cannot be asked for its delay is an error that says so`() async throws {
    let failure = SoundCardError.failed(
      "virtual", operation: "delay", code: 5, reason: "Input/output error")
    let deck = Deck(faults: [.failing(in: .delay, with: failure, at: 1_600)])
    let playing = await deck.start(PlaybackRequest(source: .buffers([sound])))
    await deck.clock.advance(by: longest)
    await #expect(throws: AudioPlayerError.device("virtual", reason: "\(failure)")) {
      try await playing.value
    }
    #expect(deck.openDeviceCount == 0)
  }

  @Test func `a card that refuses every write is lost`() async throws {
    let deck = Deck(faults: [.refusedTransfers(every: 1)])
    let playing = await deck.start(PlaybackRequest(source: .buffers([sound])))
    await deck.clock.advance(by: .seconds(10))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while deck.openDeviceCount > 0 { await Task.yield() }
  }
}
