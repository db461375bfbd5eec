import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

/// A lost device, and playbacks that wait for it.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct LostDeviceTests {
  private func request(
    _ buffer: AudioBuffer, _ policy: DeviceLossPolicy = .wait(atMost: .seconds(60)),
    id: PlaybackID = PlaybackID()
  ) -> PlaybackRequest {
    PlaybackRequest(source: .buffers([buffer]), id: id, onDeviceLoss: policy)
  }

  @Test(arguments: [200, 2_000, 3_000, 7_800, 8_000])
  func `a sound resumes when its device returns; no frame is lost, and a period may repeat`(
    frame: Int
  ) async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: FrameCount(frame), for: .seconds(3))])
    let sound = staircase(8_000)
    let playing = await harness.start(request(sound))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await comeBack(harness)
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
    let gaps = harness.events.compactMap(\.gap)
    #expect(gaps.count == 1 && (.seconds(3)...(.milliseconds(3_100))).contains(gaps[0]), "\(gaps)")
    #expect(harness.events.last?.finish == PlaybackFinish(reason: .completed, played: .seconds(1)))
    let first = harness.card.played[0].samples.trimmed
    let second = harness.card.played[1].samples.trimmed
    let isBeginning = first.elementsEqual(sound.samples.prefix(first.count))
    let isEnd = second.elementsEqual(sound.samples.suffix(second.count))
    #expect(isBeginning && isEnd)
    let heardTwice = frame - (8_000 - second.count)
    #expect((0...200).contains(heardTwice), "\(heardTwice)")
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `progress stands still while the device is lost`() async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let playing = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.clock.advance(by: .milliseconds(2_990))
    let played = harness.events.compactMap(\.progress).map(\.played)
    #expect(try #require(played.last) <= .milliseconds(250))
    #expect(played == played.sorted())
    await comeBack(harness, after: .milliseconds(10))
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
  }

  @Test func `a playback fails if its device does not return in time`() async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3_600))])
    let playing = await harness.start(request(staircase(8_000), .wait(atMost: .seconds(2))))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.clock.advance(by: .seconds(2))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    #expect(harness.events.allSatisfy { $0.gap == nil })
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `stop ends a sound at once while its device is lost`() async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3_600))])
    let playing = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.player.stop()
    try await playing.value
    let finish = try #require(harness.events.last?.finish)
    #expect(finish.reason == .stopped)
    #expect(finish.played <= .milliseconds(250))
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a playback canceled while its device is lost leaves nothing open`() async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let playing = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    playing.cancel()
    _ = await playing.result
    await harness.player.stop()
    await harness.clock.advance(by: .seconds(3))
    #expect(harness.card.played.count == 1)
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a pause while the device is lost takes effect at once and loses no frame`()
    async throws
  {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let id = PlaybackID()
    let sound = staircase(8_000)
    let playing = await harness.start(request(sound, id: id))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    try await harness.player.control(id: id, command: .pause())
    await comeBack(harness)
    await harness.pass { $0.paused != nil }
    await harness.pass(4)
    try await harness.send(id, .resume(fade: .zero))
    try await harness.finish(playing)
    let paused = try #require(harness.events.compactMap(\.paused).first?.position.rawValue)
    let samples = harness.card.played[1].samples
    let tail = Array(sound.samples[paused...])
    let second = samples.trimmed
    let played = second.filter { $0 != 0 }
    let hasTail = samples.range(of: tail) != nil
    let isExact = played.elementsEqual(sound.samples.suffix(played.count))
    #expect(hasTail && isExact)
    #expect(second.count - played.count >= 800)
  }

  @Test func `a seek while the device is lost takes effect when the device returns`() async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let id = PlaybackID()
    let sound = staircase(8_000)
    let playing = await harness.start(request(sound, id: id))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    try await harness.player.control(id: id, command: .seek(to: .frame(6_000)))
    try await harness.player.control(id: id, command: .pause())
    try await harness.player.control(id: id, command: .resume())
    await comeBack(harness)
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
    #expect(harness.events.compactMap(\.sought).first?.position == 6_000)
    let back = harness.card.played[1].samples
    let hasSought = back.range(of: Array(sound.samples[6_200...])) != nil
    let hasSkipped = back.range(of: Array(sound.samples[4_000..<4_010])) != nil
    #expect(hasSought && !hasSkipped)
  }

  @Test func `after a device loss, a waiting sound resumes, and a sound that does not wait fails`()
    async throws
  {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let waiting = await harness.start(request(staircase(8_000)))
    let failing = await harness.start(request(staircase(8_000), .fail))
    await harness.passUntilUnplugged()
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await failing.value }
    await harness.sees { $0 == .deviceLost }
    // A new playback that does not wait for the device also fails.
    let late = await harness.start(request(staircase(8_000), .fail))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await late.value }
    await comeBack(harness)
    await harness.pass { $0.gap != nil }
    try await harness.finish(waiting)
    #expect(harness.events.count { $0.finish?.reason == .completed } == 1)
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a sound started while the device is lost also waits for the device`() async throws {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))])
    let first = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    let second = await harness.start(request(staircase(400)))
    await comeBack(harness)
    await harness.pass { $0.gap != nil }
    try await harness.finish(first)
    try await second.value
    #expect(harness.events.count { $0 == .deviceLost } == 2)
    #expect(harness.events.count { $0.finish?.reason == .completed } == 2)
  }

  @Test func `a device that returns in another format is an error that names the format`()
    async throws
  {
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))]) {
      soundCard, clock in
      let other = VirtualSoundCard(pace: .lockstep(clock), sampleRate: 16_000)
      let first = soundCard.openPlayback
      let openings = Openings()
      soundCard.openPlayback = { request in
        let number = await openings.next()
        let pcm = number == 1 ? nil : try await other.soundCard.openPlayback(request: request)
        return if let pcm { pcm } else { try await first(request) }
      }
    }
    let playing = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.clock.advance(by: .seconds(1))
    do {
      try await playing.value
      Issue.record("it went on")
    } catch AudioPlayerError.device(_, let reason) {
      #expect(reason.contains("16000 Hz"), "\(reason)")
    }
  }

  @Test func `a lost device is opened again with the dependencies of its first request`()
    async throws
  {
    let clocks = Mutex<[Bool]>([])
    let harness = PlayerHarness(faults: [.unplugged(at: 2_000, for: .seconds(3))]) { soundCard, _ in
      let open = soundCard.openPlayback
      soundCard.openPlayback = { request in
        @Dependency(\.continuousClock) var clock
        let isDecks = clock is TestClock<Duration>
        clocks.withLock { $0.append(isDecks) }
        return try await open(request)
      }
    }
    let playing = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await comeBack(harness)
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
    let isDecks = clocks.withLock { $0 }
    #expect(isDecks.count >= 2 && isDecks.allSatisfy { $0 })
  }

  @Test func `a lost device is opened again in the format that it actually used`() async throws {
    let asked = Mutex<[SampleRate]>([])
    let fault = VirtualFault.unplugged(at: 2_000, for: .seconds(3))
    let harness = PlayerHarness(sampleRate: 16_000, faults: [fault]) { soundCard, _ in
      let open = soundCard.openPlayback
      soundCard.openPlayback = { request in
        asked.withLock { $0.append(request.format.sampleRate) }
        return try await open(request)
      }
    }
    let playing = await harness.start(request(staircase(8_000)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await comeBack(harness)
    await harness.pass { $0.gap != nil }
    try await harness.finish(playing)
    let rates = asked.withLock { $0 }
    #expect(rates.first == 8_000 && rates.dropFirst().allSatisfy { $0 == 16_000 })
    #expect(rates.count >= 2)
  }

  /// Lets time pass until the device has returned and is open.
  private func comeBack(_ harness: PlayerHarness, after time: Duration = .seconds(3)) async {
    // If the retry began to sleep only after the advance, the retry would never wake.
    await harness.clock.sleepers(atLeast: 1)
    await harness.clock.advance(by: time)
    while harness.openDeviceCount == 0 { await Task.yield() }
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
  /// The samples without the silence that pads the last period.
  fileprivate var trimmed: ArraySlice<Float> {
    self[..<(lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)]
  }
}
