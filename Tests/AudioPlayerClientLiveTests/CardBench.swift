import AudioCore
import AudioThreads
import SoundCard

@testable import AudioPlayerClientLive

/// A card's thread above a simulated device, run on the test's own thread.
struct CardBench {
  let pcm: SimulatedPlayback
  let link: CardLink

  init(buffer: FrameCount = 800) throws {
    pcm = try SimulatedPlayback(buffer: buffer)
    link = try CardLink(volume: MasterVolume())
  }

  /// A voice that holds these samples; ended, unless more is to come.
  func voice(
    _ samples: [Float], isComplete: Bool = true, bus: BusVolume = BusVolume(),
    progressInterval: Duration = .milliseconds(50)
  ) throws -> Voice {
    let voice = try Voice(
      format: pcm.configuration.format, capacity: .seconds(10), board: WishBoard(gain: 1), bus: bus,
      progressInterval: progressInterval
    ) { _ in }
    voice.give(samples)
    if isComplete { voice.endInput() }
    return voice
  }

  func add(_ voice: Voice) {
    link.commands.tryWrite(.add(.passRetained(voice)))
  }

  /// Runs until all voices are over, or the device is lost.
  func run(_ voices: [Voice]) throws(SoundCardError) {
    for voice in voices { add(voice) }
    let link = link
    pcm.whenIdle = { link.commands.tryWrite(.quit) }
    try CardThread(pcm: pcm, link: link).run()
  }

  /// What the thread has said since it was last asked, about whom.
  func events() -> [Told] {
    Array(
      sequence(state: ()) { _ in
        link.events.tryRead().map { event in
          switch event {
          case .finished(let voice): .finished(ObjectIdentifier(voice.takeRetainedValue()))
          case .starved(let voice, let frames):
            .starved(ObjectIdentifier(voice.takeUnretainedValue()), frames)
          case .silence(let voice, let frames):
            .silence(ObjectIdentifier(voice.takeUnretainedValue()), frames)
          case .limited(let gain): .limited(gain)
          case .returned: .returned
          }
        }
      })
  }

  enum Told: Equatable {
    case finished(ObjectIdentifier)
    case starved(ObjectIdentifier, Int)
    case silence(ObjectIdentifier, Int)
    case limited(Float)
    case returned
  }
}

extension Voice {
  convenience init(
    format: AudioFormat, capacity: Duration, volume: Float, bus: BusVolume = BusVolume(),
    report: @escaping @Sendable (VoiceReport) -> Void
  ) throws(WakeUpError) {
    try self.init(
      format: format, capacity: capacity, board: WishBoard(gain: volume), bus: bus, report: report)
  }

  func give(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { _ = ring.tryWrite($0) }
  }
}
