import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

/// A device that is lost while those who play on it wait for it.
@Suite(.timeLimit(.minutes(1))) struct LostDeviceTests {
  private func request(
    _ buffer: AudioBuffer, _ policy: DeviceLossPolicy = .wait(atMost: .seconds(60)),
    id: PlaybackID = PlaybackID()
  ) -> PlaybackRequest {
    PlaybackRequest(source: .buffers([buffer]), id: id, onDeviceLoss: policy)
  }

  @Test(arguments: [200, 2_000, 3_000, 7_800, 8_000])
  func `a sound goes on when its device is back, with nothing left out and a period twice`(
    frame: Int
  ) async throws {
    let deck = Deck(faults: [.unplugged(at: FrameCount(frame), for: .seconds(3))])
    let sound = staircase(8_000)
    let playing = await deck.start(request(sound))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await comeBack(deck)
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
    let gaps = deck.events.compactMap(\.gap)
    #expect(gaps.count == 1 && (.seconds(3)...(.milliseconds(3_100))).contains(gaps[0]), "\(gaps)")
    #expect(deck.events.last?.finish == PlaybackFinish(reason: .completed, heard: .seconds(1)))
    let first = deck.card.played[0].samples.trimmed
    let second = deck.card.played[1].samples.trimmed
    let isBeginning = first.elementsEqual(sound.samples.prefix(first.count))
    let isEnd = second.elementsEqual(sound.samples.suffix(second.count))
    #expect(isBeginning && isEnd)
    let heardTwice = frame - (8_000 - second.count)
    #expect((0...200).contains(heardTwice), "\(heardTwice)")
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `what has been heard stands still while the device is away`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let playing = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await deck.clock.advance(by: .milliseconds(2_990))
    let heard = deck.events.compactMap(\.progress).map(\.heard)
    #expect(try #require(heard.last) <= .milliseconds(250))
    #expect(heard == heard.sorted())
    await comeBack(deck, after: .milliseconds(10))
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
  }

  @Test func `a device that is not back in time is an error`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3_600))])
    let playing = await deck.start(request(staircase(8_000), .wait(atMost: .seconds(2))))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await deck.clock.advance(by: .seconds(2))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    #expect(deck.events.allSatisfy { $0.gap == nil })
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `stop ends a sound whose device is away, at once`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3_600))])
    let playing = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await deck.player.stop()
    try await playing.value
    let finish = try #require(deck.events.last?.finish)
    #expect(finish.reason == .stopped)
    #expect(finish.heard <= .milliseconds(250))
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `who is cancelled while the device is away leaves nothing open`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let playing = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    playing.cancel()
    _ = await playing.result
    await deck.player.stop()
    await deck.clock.advance(by: .seconds(3))
    #expect(deck.card.played.count == 1)
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a pause while the device is away is in force at once, and what follows is exact`()
    async throws
  {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let id = PlaybackID()
    let sound = staircase(8_000)
    let playing = await deck.start(request(sound, id: id))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    try await deck.player.control(id: id, command: .pause())
    await comeBack(deck)
    await deck.pass { $0.paused != nil }
    await deck.pass(4)
    try await deck.tell(id, .resume(fade: .zero))
    try await deck.finish(playing)
    let paused = try #require(deck.events.compactMap(\.paused).first?.position.rawValue)
    let samples = deck.card.played[1].samples
    let tail = Array(sound.samples[paused...])
    let second = samples.trimmed
    let heard = second.filter { $0 != 0 }
    let hasTail = samples.range(of: tail) != nil
    let isExact = heard.elementsEqual(sound.samples.suffix(heard.count))
    #expect(hasTail && isExact)
    #expect(second.count - heard.count >= 800)
  }

  @Test func `what is sought while the device is away is heard when it is back`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let id = PlaybackID()
    let sound = staircase(8_000)
    let playing = await deck.start(request(sound, id: id))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    try await deck.player.control(id: id, command: .seek(to: .frame(6_000)))
    try await deck.player.control(id: id, command: .pause())
    try await deck.player.control(id: id, command: .resume())
    await comeBack(deck)
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
    #expect(deck.events.compactMap(\.sought).first?.position == 6_000)
    let back = deck.card.played[1].samples
    let hasSought = back.range(of: Array(sound.samples[6_200...])) != nil
    let hasSkipped = back.range(of: Array(sound.samples[4_000..<4_010])) != nil
    #expect(hasSought && !hasSkipped)
  }

  @Test func `of two sounds the one that waits goes on, and the other one fails`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let waiting = await deck.start(request(staircase(8_000)))
    let failing = await deck.start(request(staircase(8_000), .fail))
    await deck.passUntilUnplugged()
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await failing.value }
    await deck.sees { $0 == .deviceLost }
    // Who comes now and does not wait fails as well.
    let late = await deck.start(request(staircase(8_000), .fail))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await late.value }
    await comeBack(deck)
    await deck.pass { $0.gap != nil }
    try await deck.finish(waiting)
    #expect(deck.events.count { $0.finish?.reason == .completed } == 1)
    while deck.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `who comes while the device is away waits as well`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let first = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    let second = await deck.start(request(staircase(400)))
    await comeBack(deck)
    await deck.pass { $0.gap != nil }
    try await deck.finish(first)
    try await second.value
    #expect(deck.events.count { $0 == .deviceLost } == 2)
    #expect(deck.events.count { $0.finish?.reason == .completed } == 2)
  }

  @Test func `a device that is back in another format is an error that says so`() async throws {
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))]) { soundCard, clock in
      let other = VirtualSoundCard(.init(pace: .lockstep(clock), sampleRate: 16_000))
      let first = soundCard.openPlayback
      let openings = Openings()
      soundCard.openPlayback = { request in
        let number = await openings.next()
        let pcm = number == 1 ? nil : try await other.soundCard.openPlayback(request: request)
        return if let pcm { pcm } else { try await first(request) }
      }
    }
    let playing = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await deck.clock.advance(by: .seconds(1))
    do {
      try await playing.value
      Issue.record("it went on")
    } catch AudioPlayerError.device(_, let reason) {
      #expect(reason.contains("16000 Hz"), "\(reason)")
    }
  }

  @Test func `it is opened again with the dependencies of whoever opened it first`() async throws {
    let clocks = Mutex<[Bool]>([])
    let deck = Deck(faults: [.unplugged(at: 2_000, for: .seconds(3))]) { soundCard, _ in
      let open = soundCard.openPlayback
      soundCard.openPlayback = { request in
        @Dependency(\.continuousClock) var clock
        let isDecks = clock is TestClock<Duration>
        clocks.withLock { $0.append(isDecks) }
        return try await open(request)
      }
    }
    let playing = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await comeBack(deck)
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
    let isDecks = clocks.withLock { $0 }
    #expect(isDecks.count >= 2 && isDecks.allSatisfy { $0 })
  }

  @Test func `it is opened again in the format that it had settled on`() async throws {
    let asked = Mutex<[SampleRate]>([])
    let fault = VirtualFault.unplugged(at: 2_000, for: .seconds(3))
    let deck = Deck(sampleRate: 16_000, faults: [fault]) { soundCard, _ in
      let open = soundCard.openPlayback
      soundCard.openPlayback = { request in
        asked.withLock { $0.append(request.format.sampleRate) }
        return try await open(request)
      }
    }
    let playing = await deck.start(request(staircase(8_000)))
    await deck.passUntilUnplugged()
    await deck.sees { $0 == .deviceLost }
    await comeBack(deck)
    await deck.pass { $0.gap != nil }
    try await deck.finish(playing)
    let rates = asked.withLock { $0 }
    #expect(rates.first == 8_000 && rates.dropFirst().allSatisfy { $0 == 16_000 })
    #expect(rates.count >= 2)
  }

  /// Lets the device be back and open again.
  private func comeBack(_ deck: Deck, after time: Duration = .seconds(3)) async {
    // Whoever went to sleep after the advance, to try again, would never wake.
    await deck.clock.sleepers(atLeast: 1)
    await deck.clock.advance(by: time)
    while deck.openDeviceCount == 0 { await Task.yield() }
  }

  private actor Openings {
    private var count = 0
    func next() -> Int {
      count += 1
      return count
    }
  }
}

extension [Float] {
  /// Without the silence that fills the last period.
  fileprivate var trimmed: ArraySlice<Float> {
    self[..<(lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)]
  }
}
