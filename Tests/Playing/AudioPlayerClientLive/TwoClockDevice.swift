import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

/// A device that plays a live source with a clock of its own.
///
/// Time passes only while the audio thread waits for the device, from one event to the next. When a
/// buffer arrives, time stands still until the player has taken it. The source and the device
/// therefore keep their clocks exactly, however slow the machine is.
// `@unchecked Sendable` is right because the variables belong to the audio thread, except `time`.
final class TwoClockDevice: PlaybackPCM, @unchecked Sendable {
  let configuration: PCMConfiguration
  let waker: WakeUp
  private let source: LiveTone
  private let base = ContinuousClock.now
  /// The time in frames of the device's clock.
  private var now = 0.0
  /// The same time, for other threads.
  private let time = Mutex(0.0)
  private var level = 0
  private var isRunning = false
  /// The frames that a sound server holds behind the device's buffer.
  private let serverDelay: Int
  /// When the device's buffer became empty at the end.
  private var drainedAt: Double?
  private var isClosed = false
  private var written: (last: Float, before: Float) = (0, 0)
  private var writtenCount = 0
  private var crossings = 0
  private(set) var underruns = 0
  /// The written frames at which the tone was not continuous, each with the size of the bend.
  private(set) var jumps: [(frame: Int, size: Float)] = []
  /// The largest difference between the channels.
  private(set) var channelDifference: Float = 0
  /// The audio between the source and the loudspeaker at the arrival of each buffer, in frames.
  ///
  /// It is counted from the periods of the tone in the written samples.
  private(set) var levels: [Int] = []

  init(_ source: LiveTone, channels: Int = 1, serverDelay: Int = 0) throws {
    self.source = source
    self.serverDelay = serverDelay
    configuration = PCMConfiguration(
      device: "two clocks", format: AudioFormat(sampleRate: 8_000, channelCount: channels),
      sampleFormat: .float32, period: 200, buffer: 800, patience: .seconds(3_600))
    waker = try WakeUp()
  }

  /// A sound card with only this device.
  var soundCard: SoundCard {
    var card = SoundCard(
      devices: { [] }, openPlayback: { _ in self },
      openCapture: { _ in throw SoundCardError.noSoundCard(.capture) })
    card.now = { self.base + .seconds(self.time.withLock { $0 } / 8_000) }
    return card
  }

  var elapsed: Duration { .seconds(now / 8_000) }

  func hostTime(at time: Duration) -> ContinuousClock.Instant { base + time }

  func delay() -> FrameCount {
    let drained = drainedAt.map { Int(now - $0) } ?? 0
    return FrameCount(level + max(0, serverDelay - drained))
  }

  var timeUntilUnderrun: Duration { FrameCount(level).duration(at: 8_000) }

  func start() { isRunning = true }

  func drop() { (isRunning, level) = (false, 0) }

  func close() {
    isClosed = true
    waker.signal()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    guard let timeout else {
      waker.wait()
      return .woken
    }
    let deadline = now + timeout.inSeconds * 8_000
    while true {
      if waker.clear() { return .woken }
      let room = 800 - level
      if interest == .period, room >= 200 { return .ready(FrameCount(room)) }
      if now >= deadline { return .timedOut }
      var next = deadline
      if interest == .period, isRunning { next = min(next, now + Double(200 - room)) }
      if let arrival = source.nextArrival { next = min(next, max(now, arrival)) }
      if let interruption = pass(until: next) { return .interrupted(interruption) }
      if let arrival = source.nextArrival, now >= arrival {
        levels.append(source.deliveredFrames - (32 * crossings - level))
        if source.isLast { waker.clear() }
        source.deliver()
        if source.isFinished {
          if !waker.wait(atMost: .seconds(60)) { Issue.record("the input has not ended") }
          return .woken
        }
      }
    }
  }

  private func pass(until next: Double) -> PCMInterruption? {
    let frames = Int(next) - Int(now)
    now = next
    time.withLock { $0 = next }
    guard isRunning else { return nil }
    let played = min(frames, level)
    level -= played
    guard played < frames else { return nil }
    if source.isFinished {
      drainedAt = drainedAt ?? now
      return nil
    }
    isRunning = false
    underruns += 1
    return PCMInterruption(cause: .xrun, lost: FrameCount(frames - played))
  }

  func write(_ samples: UnsafeBufferPointer<Float>) -> PCMTransfer {
    let channels = configuration.format.channelCount
    let count = min(samples.count / channels, 800 - level)
    var index = 0
    while index < count {
      let sample = samples[index * channels]
      let other = samples[(index + 1) * channels - 1]
      if other != sample { channelDifference = max(channelDifference, abs(other - sample)) }
      // Without jumps, a sine fulfills this equation.
      let bend = abs(sample - LiveTone.turn * written.last + written.before)
      if bend > 3e-4 { jumps.append((writtenCount + index, bend)) }
      // At the edges of silence, the interpolation rings around 0, but is never this steep.
      if written.last < 0, sample >= 0, sample - written.last > 0.05 { crossings += 1 }
      written = (sample, written.last)
      index += 1
    }
    writtenCount += count
    level += count
    if level >= 400 { isRunning = true }
    return .frames(FrameCount(count))
  }
}

/// A live stream of a tone of 250 Hz, in buffers that arrive by its own clock, and their end.
// `@unchecked Sendable` is right because the variables belong to the audio thread, except `state`.
final class LiveTone: @unchecked Sendable {
  /// Twice the cosine of the tone's angle per frame at 8 kHz.
  static let turn: Float = 1.961_570_56
  private let buffer: AudioBuffer
  private let arrivals: (_ index: Int) -> Double
  private let count: Int
  private var index: Int
  private let request: WakeUp
  private var hasRequest = false
  private let state: Mutex<(early: Int, waiting: CheckedContinuation<AudioBuffer?, Never>?)>

  /// Creates a source of `count` buffers that each hold a multiple of 4 ms.
  ///
  /// The first `early` buffers have arrived before the device begins. `arrivals` returns the time
  /// of each of the others, in frames of the device's clock.
  init(
    _ count: Int, length: Duration, early: Int, rate: SampleRate = 8_000, channels: Int = 1,
    arrivals: @escaping (_ index: Int) -> Double
  ) throws {
    buffer = AudioSignal.sine(250, amplitude: 0.5).buffer(
      length, format: AudioFormat(sampleRate: rate, channelCount: channels))
    (self.count, self.arrivals, index) = (count, arrivals, early)
    request = try WakeUp()
    state = Mutex((early, nil))
  }

  /// The source of a request.
  var stream: AsyncThrowingStream<AudioBuffer, any Error> {
    AsyncThrowingStream { await self.next() }
  }

  /// The time of the next buffer or the end; nil after the end.
  var nextArrival: Double? { isFinished ? nil : arrivals(index) }

  /// Whether the end is delivered next.
  var isLast: Bool { index == count }
  /// Whether the end has been delivered.
  var isFinished: Bool { index > count }

  /// The number of frames that have arrived, at 8 kHz.
  var deliveredFrames: Int {
    index * FrameCount(buffer.duration, at: 8_000).rawValue
  }

  /// Delivers the next buffer and returns when the player waits for another one; or delivers the
  /// end.
  func deliver() {
    if !hasRequest { waitForRequest() }
    hasRequest = false
    let next = isLast ? nil : buffer
    index += 1
    state.withLock { $0.waiting.take() }?.resume(returning: next)
    if next != nil { waitForRequest() }
  }

  private func waitForRequest() {
    hasRequest = request.wait(atMost: .seconds(60))
    if !hasRequest { Issue.record("the player has not taken buffer \(index)") }
  }

  private func next() async -> AudioBuffer? {
    let isEarly = state.withLock { state in
      state.early -= 1
      return state.early >= 0
    }
    if isEarly { return buffer }
    return await withCheckedContinuation { continuation in
      state.withLock { $0.waiting = continuation }
      request.signal()
    }
  }
}
