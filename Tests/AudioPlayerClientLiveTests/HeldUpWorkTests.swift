import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Synchronization
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// Files whose reads do not return, as on a network's disk that is away: whoever stops or cancels
/// gets away within a second, and the thread lets go of all when the read returns.
@Suite(.timeLimit(.minutes(1))) struct HeldUpWorkTests {
  private let clock = TestClock()
  private let cardClock = TestClock()
  private let card: VirtualSoundCard
  private let request = PlaybackRequest(source: .buffers([]), id: "a")

  init() {
    card = VirtualSoundCard(.init(pace: .lockstep(cardClock)))
  }

  private func setting(_ call: HeldUpCall) -> EngineSetting {
    var setting = EngineSetting(
      soundCard: card.soundCard, idleTime: .zero, clock: ContinuousClock())
    setting.feeding = FeederSetting(
      make: { _, _ in HeldUpSource(call) }, clock: clock)
    return setting
  }

  /// Stops a playback, and lets the second pass in which its call is waited for.
  private func stop(_ session: PlaybackSession) async {
    session.stop()
    await cardClock.pass { await clock.sleepers(atLeast: 1) }
    await clock.advance(by: .seconds(1))
  }

  private func letReturn(_ call: HeldUpCall) async {
    call.letReturn()
    await call.sourceIsGone.wait()
  }

  // The eleventh read is not made before something has been heard.
  @Test(arguments: [HeldUpCall.Kind.open, .read(1), .read(12)])
  func `a playback can be stopped`(kind: HeldUpCall.Kind) async throws {
    let call = try HeldUpCall(kind)
    let last = Mutex<PlaybackEvent?>(nil)
    do {
      let session = PlaybackSession(
        request: request, setting: setting(call), engines: EnginePool()
      ) { event in last.withLock { $0 = event } }
      session.start()
      await cardClock.pass { await call.made.wait() }
      await stop(session)
      try await session.ended()
    }
    let reason = last.withLock { $0?.finish?.reason }
    #expect(reason == .stopped)
    #expect(card.openDeviceCount == 0)
    await letReturn(call)
  }

  @Test(arguments: [false, true])
  func `a seek that is held up ends with its playback`(isSounding: Bool) async throws {
    let call = try HeldUpCall(.seek)
    let started = Gate()
    do {
      let session = PlaybackSession(
        request: request, setting: setting(call), engines: EnginePool()
      ) { event in
        if case .started = event { started.open() }
      }
      session.start()
      if isSounding { await started.wait() }
      let seeking = Task { try await session.control(.seek(to: .frame(8))) }
      await call.made.wait()
      await stop(session)
      await #expect(throws: AudioPlayerError.unknownPlayback("a")) { try await seeking.value }
      try await session.ended()
    }
    #expect(card.openDeviceCount == 0)
    await letReturn(call)
  }

  @Test(arguments: [HeldUpCall.Kind.open, .read(2)])
  func `a preloading can be cancelled`(kind: HeldUpCall.Kind) async throws {
    let call = try HeldUpCall(kind)
    let preloading = Task { [setting = setting(call), source = request.source] in
      try await EnginePool().preload(source, on: nil, .normal, setting)
    }
    await call.made.wait()
    preloading.cancel()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    await #expect(throws: CancellationError.self) { _ = try await preloading.value }
    while card.openDeviceCount > 0 { await Task.yield() }
    await letReturn(call)
  }

  @Test func `work that ends in time is waited for`() async throws {
    let go = Gate()
    let work = HeldUpWork(clock: clock) {
      await go.wait()
      return 5
    }
    let waiting = Task { try await work.valueUnlessCancelled() }
    waiting.cancel()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(999))
    go.open()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    #expect(try await work.value == 5)
  }
}
