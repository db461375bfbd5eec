import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard

@testable import AudioPlayerClientLive

/// The audio thread of a simulated device, run on the test's own thread.
final class AudioThreadHarness {
  let pcm: SimulatedPlayback
  let link: DeviceLink<Voice>
  private let volume = BusVolume()
  /// The voices, in the order of their places in the voice table.
  private var voices: [Voice] = []

  init(buffer: FrameCount = 800) throws {
    pcm = try SimulatedPlayback(buffer: buffer)
    link = try DeviceLink(limit: VoiceTable.limit)
  }

  /// Creates a voice that holds these samples; its input has ended if `isComplete` is true.
  func voice(
    _ samples: [Float], isComplete: Bool = true, bus: BusVolume = BusVolume(),
    progressInterval: Duration = .milliseconds(50)
  ) throws -> Voice {
    let voice = Voice(
      format: pcm.configuration.format, capacity: .seconds(10), prefill: .milliseconds(100),
      parameters: SharedVoiceParameters("a", gain: 1), bus: bus,
      progressInterval: progressInterval
    ) { _ in }
    voice.give(samples)
    if isComplete { voice.endInput() }
    return voice
  }

  func add(_ voice: Voice) {
    link.ports.put(voice, in: voices.count)
    link.arrivals.tryWrite(voices.count)
    voices.append(voice)
  }

  /// Runs until all voices are over, or the device is lost.
  func run(_ voices: [Voice]) throws(SoundCardError) {
    for voice in voices { add(voice) }
    let link = link
    pcm.whenIdle = { link.quit() }
    try runThread()
  }

  /// Runs until a command to quit.
  func runThread() throws(SoundCardError) {
    try PlaybackThread(pcm: pcm, link: link, volume: volume).run()
  }

  /// Returns the events since the last call.
  func events() -> [Event] {
    Array(
      sequence(state: ()) { [link, voices] _ in
        link.events.tryRead().map { event in
          switch event {
          case .finished(let place): .finished(ObjectIdentifier(voices[place]))
          case .starved(let place, let frames): .starved(ObjectIdentifier(voices[place]), frames)
          case .silence(let place, let frames): .silence(ObjectIdentifier(voices[place]), frames)
          case .limited(let gain): .limited(gain)
          case .returned: .returned
          }
        }
      })
  }

  enum Event: Equatable {
    case finished(ObjectIdentifier)
    case starved(ObjectIdentifier, Int)
    case silence(ObjectIdentifier, Int)
    case limited(Float)
    case returned
  }
}

extension Voice {
  convenience init(
    format: AudioFormat, capacity: Duration, prefill: Duration = .milliseconds(100), volume: Float,
    progressInterval: Duration = .milliseconds(50),
    listener: @escaping @Sendable (PlaybackEvent) -> Void
  ) {
    self.init(
      format: format, capacity: capacity, prefill: prefill,
      parameters: SharedVoiceParameters("a", gain: volume), progressInterval: progressInterval,
      listener: listener)
  }

  func give(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { _ = ring.tryWrite($0) }
  }
}
