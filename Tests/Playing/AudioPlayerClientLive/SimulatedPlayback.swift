import AudioCore
import AudioThreads
import SoundCard

/// A device without threads and with scripted events; its time passes only during waits, in steps
/// of a millisecond.
// `@unchecked Sendable` is right because a test drives it from one thread.
final class SimulatedPlayback: PlaybackPCM, @unchecked Sendable {
  let configuration: PCMConfiguration
  let waker: WakeUp
  private(set) var elapsed = Duration.zero
  private(set) var written: [Float] = []
  private(set) var interruptions = 0
  private(set) var writes = 0
  private(set) var level = 0
  private var isRunning = false
  private var script: [(at: Duration, act: (SimulatedPlayback) -> Void)] = []

  /// The scripted results of the next waits, and the time that each takes.
  var outcomes: [(wakeUp: PCMWakeUp, time: Duration)] = []
  /// Whether the device accepts frames.
  var takesFrames = true
  /// Whether the device stands still, neither playing nor running dry.
  var isStuck = false
  /// Returns the delay that the device reports, given the number of frames in its buffer.
  var claimedDelay: (Int) throws(SoundCardError) -> Int = { $0 }
  /// Called in a wait without a timeout.
  var whenIdle: () -> Void = {}

  /// The timeouts of all waits for `.nothing`.
  private(set) var rests: [Duration] = []

  init(buffer: FrameCount = 800) throws {
    configuration = PCMConfiguration(
      device: "simulated", format: AudioFormat(sampleRate: 8_000, channelCount: 1),
      sampleFormat: .float32, period: 200, buffer: buffer)
    waker = try WakeUp()
  }

  /// Calls `act` when the device's time reaches `milliseconds`.
  func at(_ milliseconds: Int, _ act: @escaping (SimulatedPlayback) -> Void) {
    script.append((.milliseconds(milliseconds), act))
    script.sort { $0.at < $1.at }
  }

  func delay() throws(SoundCardError) -> FrameCount { FrameCount(try claimedDelay(level)) }

  var timeUntilUnderrun: Duration {
    FrameCount(level).duration(at: configuration.format.sampleRate)
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    guard let timeout else {
      whenIdle()
      return .woken
    }
    if interest == .nothing { rests.append(timeout) }
    let deadline = elapsed + timeout
    while true {
      if !outcomes.isEmpty {
        let outcome = outcomes.removeFirst()
        elapsed += outcome.time
        return outcome.wakeUp
      }
      let room = configuration.buffer.rawValue - level
      if interest == .period, room >= configuration.period.rawValue {
        return .ready(FrameCount(room))
      }
      if elapsed >= deadline { return .timedOut }
      if let interruption = step() { return .interrupted(interruption) }
    }
  }

  /// Advances the time by a millisecond.
  private func step() -> PCMInterruption? {
    elapsed += .milliseconds(1)
    while let first = script.first, first.at <= elapsed {
      script.removeFirst()
      first.act(self)
    }
    guard isRunning, !isStuck else { return nil }
    let played = min(level, 8)
    level -= played
    guard played < 8 else { return nil }
    isRunning = false
    interruptions += 1
    return PCMInterruption(cause: .xrun, lost: FrameCount(8 - played))
  }

  func start() { isRunning = true }

  func drop() {
    level = 0
    isRunning = false
  }

  func close() {}

  func write(_ samples: UnsafeBufferPointer<Float>) -> PCMTransfer {
    writes += 1
    guard takesFrames else { return .frames(0) }
    let taken = min(samples.count, configuration.buffer.rawValue - level)
    written += samples.prefix(taken)
    level += taken
    if level >= 2 * configuration.period.rawValue { isRunning = true }
    return .frames(FrameCount(taken))
  }
}
