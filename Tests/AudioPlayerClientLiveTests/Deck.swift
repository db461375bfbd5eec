import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

/// A live player on a virtual card whose time passes, a period of 25 ms a step, while a test waits
/// for something.
final class Deck: Sendable {
  static let format = AudioFormat(sampleRate: 8_000, channelCount: 1)

  let card: VirtualSoundCard
  let player: AudioPlayerClient
  private let clock = TestClock<Duration>()
  private let log = Mutex<[PlaybackEvent]>([])

  init(sampleRate: SampleRate? = nil) {
    let card = VirtualSoundCard(.init(pace: .lockstep(clock), sampleRate: sampleRate))
    self.card = card
    player = withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      AudioPlayerClient.liveValue
    }
  }

  /// What has been told so far.
  var events: [PlaybackEvent] { log.withLock { $0 } }

  /// The samples of the first device that was opened.
  var played: [Float] { card.played.first?.samples ?? [] }

  var openDeviceCount: Int { card.openDeviceCount }

  /// Starts a playback and waits until it has been told that it did.
  func start(_ request: PlaybackRequest) async -> Task<Void, any Error> {
    let stream = await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      await player.playback(request: request)
    }
    let begun = Gate()
    let playing = Task {
      defer { begun.open() }
      for try await event in stream {
        log.withLock { $0.append(event) }
        begun.open()
      }
    }
    await begun.wait()
    return playing
  }

  /// Lets so many periods pass.
  func pass(_ periods: Int) async {
    for _ in 0..<periods {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(25))
    }
  }

  /// Tells a playback something that it survives.
  func tell(_ id: PlaybackID, _ command: PlaybackCommand) async throws {
    let isDone = Gate()
    let telling = Task {
      defer { isDone.open() }
      try await player.control(id: id, command: command)
    }
    while !isDone.isOpen {
      // Whoever is told gets the time that it takes to hear it.
      for _ in 0..<50 { await Task.yield() }
      await pass(1)
    }
    try await telling.value
  }

  /// Lets time pass until an event has come that is looked for.
  func pass(until isLookedFor: (PlaybackEvent) -> Bool) async {
    while !events.contains(where: isLookedFor) { await pass(1) }
  }

  /// Lets time pass until nothing plays any more.
  func finish(_ playing: Task<Void, any Error>) async throws {
    await clock.advance(by: .seconds(86_400))
    try await playing.value
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
  var finish: PlaybackFinish? { if case .finished(let finish) = self { finish } else { nil } }
}

/// Samples that tell where they are from: each is a little above the one before it.
func staircase(_ frames: Int, from first: Int = 0) -> AudioBuffer {
  AudioBuffer(
    format: Deck.format, samples: (first..<first + frames).map { 0.25 + Float($0) / 65_536 })
}

/// The largest difference between a sample and the one before it.
func largestStep(_ samples: [Float]) -> Float {
  zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
}

extension [Float] {
  /// Where these samples are found in it, one after the other.
  func range(of part: [Float]) -> Range<Int>? {
    guard let first = part.first, count >= part.count else { return nil }
    return (0...count - part.count).first {
      self[$0] == first && self[$0..<$0 + part.count].elementsEqual(part)
    }.map { $0..<$0 + part.count }
  }
}
