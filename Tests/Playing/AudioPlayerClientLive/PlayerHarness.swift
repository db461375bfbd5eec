import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// A live player on a virtual card.
///
/// The virtual card's time passes in steps of a 25 ms period, and only while a test waits.
final class PlayerHarness: Sendable {
  static let format = AudioFormat(sampleRate: 8_000, channelCount: 1)

  let card: VirtualSoundCard
  let player: AudioPlayerClient
  let clock = TestClock<Duration>()
  private let soundCard: SoundCard
  private let log = EventLog<PlaybackEvent>()

  /// Creates a player; `change` replaces parts of the virtual card.
  init(
    sampleRate: SampleRate? = nil, faults: [VirtualFault] = [],
    change: (inout SoundCard, TestClock<Duration>) -> Void = { _, _ in }
  ) {
    let card = VirtualSoundCard(
      pace: .lockstep(clock), faults: faults, sampleRate: sampleRate)
    self.card = card
    var soundCard = card.soundCard
    change(&soundCard, clock)
    self.soundCard = soundCard
    player = withDependencies {
      $0.soundCard = soundCard
    } operation: {
      AudioPlayerClient.liveValue
    }
  }

  /// All events so far.
  var events: [PlaybackEvent] { log.events }

  /// The samples of the first device that was opened.
  var played: [Float] { card.played.first?.samples ?? [] }

  /// Whether these samples were played one after another, without a gap.
  func hasPlayed(_ samples: [Float]) -> Bool { played.range(of: samples) != nil }

  var openDeviceCount: Int { card.openDeviceCount }

  /// Starts a playback and waits for its first event.
  func start(_ request: PlaybackRequest) async -> Task<Void, any Error> {
    let (playing, begun) = await begin(request)
    await begun.wait()
    return playing
  }

  /// Requests a playback; the gate opens at the first event or at the end of the stream.
  func begin(_ request: PlaybackRequest) async -> (playing: Task<Void, any Error>, begun: Gate) {
    let stream = await withDependencies {
      $0.soundCard = soundCard
      $0.continuousClock = clock
    } operation: {
      await player.playback(request: request)
    }
    let (playing, begun) = log.follow(stream)
    return (playing, begun)
  }

  /// Returns when a matching event has come, without letting time pass.
  func sees(_ event: @escaping @Sendable (PlaybackEvent) -> Bool) async {
    await log.sees(event)
  }

  /// Lets time pass until the device is unplugged, and no further.
  func passUntilUnplugged() async {
    while card.isPluggedIn {
      await clock.sleepers(atLeast: 1)
      guard card.isPluggedIn else { break }
      await clock.advance(by: .milliseconds(25))
    }
  }

  /// Lets `periods` periods pass.
  func pass(_ periods: Int) async {
    for _ in 0..<periods {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(25))
    }
  }

  /// Sends a command to a playback, and lets time pass until the command is in effect.
  func send(_ id: PlaybackID, _ command: PlaybackCommand) async throws {
    try await clock.pass { try await player.control(id: id, command: command) }
  }

  /// Lets time pass until a matching event has come.
  func pass(until isLookedFor: @escaping @Sendable (PlaybackEvent) -> Bool) async {
    await clock.pass { await sees(isLookedFor) }
  }

  /// Lets time pass until a playback has ended.
  ///
  /// The steps are long, because each step inspects every thread of the process. No test acts on
  /// events during these steps.
  func finish(_ playing: Task<Void, any Error>) async throws {
    try await clock.pass(by: .milliseconds(250)) {
      let outcome = await playing.result
      // A canceled task returns before its playback has faded out, so wait for the end of the fade.
      if playing.isCancelled { await player.stop() }
      try outcome.get()
    }
  }
}

extension PlaybackEvent {
  var paused: PlaybackProgress? { if case .paused(let place) = self { place } else { nil } }
  var resumed: PlaybackProgress? { if case .resumed(let place) = self { place } else { nil } }
  var sought: PlaybackProgress? { if case .sought(let place) = self { place } else { nil } }
  var advanced: PlaybackProgress? { if case .advanced(let place) = self { place } else { nil } }
  var progress: PlaybackProgress? { if case .progress(let place) = self { place } else { nil } }
  var loopCount: Int? { if case .looped(_, let count) = self { count } else { nil } }
  var failedItem: Int? { if case .failed(let item, _) = self { item } else { nil } }
  var gap: Duration? { if case .deviceReturned(let gap) = self { gap } else { nil } }
  var finish: PlaybackFinish? { if case .finished(let finish) = self { finish } else { nil } }
}

/// Samples that identify their frame: each sample is slightly above the previous sample.
func staircase(_ frames: Int, from first: Int = 0) -> AudioBuffer {
  AudioBuffer(
    format: PlayerHarness.format,
    samples: (first..<first + frames).map { 0.25 + Float($0) / 65_536 })
}

/// Returns the largest difference between adjacent samples.
func largestStep(_ samples: [Float]) -> Float {
  zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
}

extension [Float] {
  /// Returns the range in which these samples occur one after another; nil if they do not occur.
  func range(of part: [Float]) -> Range<Int>? {
    guard let first = part.first, count >= part.count else { return nil }
    return (0...count - part.count).first {
      self[$0] == first && self[$0..<$0 + part.count].elementsEqual(part)
    }.map { $0..<$0 + part.count }
  }
}
