import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// Files whose reads block, as on an absent network disk.
///
/// Stop and cancel return within a second, and the thread releases everything when the read
/// returns.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct TaskEndTests {
  private let clock = TestClock()
  private let cardClock = TestClock()
  private let card: VirtualSoundCard
  private let request = PlaybackRequest(source: .buffers([]), id: "a")

  init() {
    card = VirtualSoundCard(pace: .lockstep(cardClock))
  }

  private func player(_ call: BlockedSourceCall) -> AudioPlayer {
    AudioPlayer(makeSource: { _, _ in BlockingSource(call) }, readingClock: clock)
  }

  /// Begins a playback whose source makes this blocked call.
  private func begin(
    _ call: BlockedSourceCall, report: @escaping @Sendable (PlaybackEvent) -> Void
  ) async throws -> PlaybackSession {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await player(call).begin(request, report: report)
    }
  }

  /// Stops a playback, and advances the clock by the second that `end` waits for the blocked call.
  private func stop(_ session: PlaybackSession) async {
    session.stop()
    await cardClock.pass { await clock.sleepers(atLeast: 1) }
    await clock.advance(by: .seconds(1))
  }

  private func letReturn(_ call: BlockedSourceCall) async {
    call.letReturn()
    await call.sourceIsGone.wait()
  }

  // The twelfth read happens only after some audio has been played.
  @Test(arguments: [BlockedSourceCall.Kind.open, .read(1), .read(12)])
  func `stop ends a playback whose source is blocked`(kind: BlockedSourceCall.Kind) async throws {
    let call = try BlockedSourceCall(kind)
    let last = Mutex<PlaybackEvent?>(nil)
    do {
      let session = try await begin(call) { event in last.withLock { $0 = event } }
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
  func `a blocked seek throws unknownPlayback when its playback is stopped`(isSounding: Bool)
    async throws
  {
    let call = try BlockedSourceCall(.seek)
    let started = Gate()
    do {
      let session = try await begin(call) { event in
        if case .started = event { started.open() }
      }
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

  @Test(arguments: [BlockedSourceCall.Kind.open, .read(2)])
  func `a preload whose source is blocked can be canceled`(kind: BlockedSourceCall.Kind)
    async throws
  {
    let call = try BlockedSourceCall(kind)
    let preloading = withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      Task { [player = player(call), source = request.source] in
        try await player.preload(source, on: nil, .normal)
      }
    }
    await call.made.wait()
    preloading.cancel()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    await #expect(throws: CancellationError.self) { _ = try await preloading.value }
    while card.openDeviceCount > 0 { await Task.yield() }
    await letReturn(call)
  }

  @Test func `a canceled valueOrEnd waits up to a second for its task to end`() async throws {
    let go = Gate()
    let work = Task<Int, any Error> {
      await go.wait()
      return 5
    }
    let waiting = Task { [clock] in try await work.valueOrEnd(clock) }
    waiting.cancel()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(999))
    go.open()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    #expect(try await work.value == 5)
    #expect(await work.end(clock))
  }

  @Test func `end() returns false after a second if the task is blocked`() async throws {
    let go = Gate()
    let work = Task<Void, any Error> { await go.wait() }
    async let hasEnded = work.end(clock)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    #expect(await hasEnded == false)
    #expect(work.isCancelled)
    go.open()
  }
}
