import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard

/// What playback and capture have in common: an open device, its settings, and its life until it is
/// closed.
///
/// Not `Sendable`: the PCM that holds it is used by one thread at a time.
final class OpenDevice {
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration
  let waker: WakeUp
  let polls: PollSet

  /// Samples in the device's own format, a device buffer's worth.
  let scratch: UnsafeMutableRawPointer
  let scratchFrames: Int
  /// Between the order of WAV files and the device's own.
  let routing: ChannelMix
  /// Samples on their way from one order to the other, as many as `scratch` holds.
  let routed: UnsafeMutablePointer<Float>

  /// After so long without a sign from the device its state is looked at.
  let patience: Duration
  var losses: LossClock
  var earlyWakes: EarlyWakes
  /// Trouble that was mended where nobody could be told; the next `wait` tells.
  var untold: PCMInterruption?
  /// When a device that still sleeps was first found asleep; the machine's own sleep leaves it the
  /// time that it has to wake.
  var suspendedSince: MonotonicTime?
  /// What is left to do where the waker cut a wait to start short; the next `wait` does it.
  var unstarted: Recovery?
  /// Frames handed over since the device was last emptied.
  var written = 0
  /// The capture has come to its end.
  var hasEnded = false
  private let openedAt = MonotonicTime.now
  private var handle: Handle?
  // Valid for as long as `handle`, which owns it.
  private(set) var pcm: OpaquePointer?
  private var isLost = false
  private var isDropped = false

  /// Opens and configures a device; blocks, so not for the card's thread.
  init(_ request: PCMRequest, for direction: AudioDevice.Direction) throws(SoundCardError) {
    let id = request.device ?? .alsaDefault
    let settled = try SettledDevice.open(id, request, for: direction)
    let pcm = settled.handle.pcm
    configuration = settled.configuration
    try Thresholds(pcm: pcm, direction: direction, configuration: configuration).set()
    waker = try Self.makeWaker(id)
    polls = PollSet(pcm: pcm, waker: waker)
    scratchFrames = configuration.buffer.rawValue
    scratch = .allocate(
      byteCount: scratchFrames * configuration.format.channelCount * 4, alignment: 16)
    routing = ChannelMix(direction: direction, device: configuration.channelLayout)
    routed = .allocate(capacity: scratchFrames * configuration.format.channelCount)
    let rate = configuration.format.sampleRate
    losses = LossClock(direction: direction, rate: rate)
    earlyWakes = EarlyWakes(period: configuration.period, rate: rate)
    patience = configuration.buffer.duration(at: rate) * 2
    self.direction = direction
    handle = consume settled.handle
    self.pcm = pcm
  }

  deinit {
    scratch.deallocate()
    routed.deallocate()
  }

  private static func makeWaker(_ id: AudioDevice.ID) throws(SoundCardError) -> WakeUp {
    do {
      return try WakeUp()
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
  }

  /// The device, ready for use; throws where it is lost or closed.
  func usable() throws(SoundCardError) -> OpaquePointer {
    guard let pcm, !isLost else { throw .deviceLost(configuration.device) }
    if isDropped {
      isDropped = false
      let code = snd_pcm_prepare(pcm)
      if code < 0 { try mendUntold(code) }
    }
    return pcm
  }

  /// Marks the device as gone and gives the error that says so.
  func lose() -> SoundCardError {
    isLost = true
    return .deviceLost(configuration.device)
  }

  /// The corresponding C function is `snd_pcm_start`.
  func start() throws(SoundCardError) {
    let pcm = try usable()
    guard snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED else { return }
    // The kernel answers EPIPE where a playback has nothing to play.
    guard direction == .capture || written > 0 else { return }
    losses.restarted(at: .now)
    let code = snd_pcm_start(pcm)
    if code < 0 { try mendUntold(code) }
  }

  /// The corresponding C function is `snd_pcm_drop`; the device is prepared again when it is next
  /// used.
  func drop() {
    guard let pcm, !isLost, !isDropped else { return }
    snd_pcm_drop(pcm)
    isDropped = true
    emptied()
  }

  /// Nothing is in the device any more.
  func emptied() {
    written = 0
    hasEnded = false
    (suspendedSince, unstarted) = (nil, nil)
    losses.stopped()
    earlyWakes.forget()
  }

  /// So many frames were written or read.
  func transferred(_ frames: Int) {
    losses.transferred(frames)
    earlyWakes.transferred(frames)
  }

  /// Whether samples are moved as they are, between ours and the device's own.
  var movesAsIs: Bool { configuration.sampleFormat == .float32 && routing.isIdentity }

  /// The corresponding C function is `snd_pcm_close`.
  func close() {
    pcm = nil
    handle = nil
  }

  var elapsed: Duration { MonotonicTime.now - openedAt }

  /// Asks for real-time priority for a thread that only a card's driver can hold up.
  ///
  /// A plug-in or a server's client may spin, and the kernel ends a process that spins in real time.
  func adoptThread() {
    guard let pcm, Self.isDriver(snd_pcm_type(pcm)) else {
      return ALSALog.note(
        "normal priority: \"\(configuration.device)\" is a plug-in, not a card's own driver")
    }
    RealTimePriority.request(for: "the \(direction.rawValue) device \"\(configuration.device)\"")
  }

  /// Whether calls to such a device go to the kernel and nowhere else.
  static func isDriver(_ type: snd_pcm_type_t) -> Bool { type == SND_PCM_TYPE_HW }

  /// The frames in the device's buffer by its write position, nil where it cannot tell.
  var held: FrameCount? {
    guard let pcm, !isDropped else { return nil }
    let available = snd_pcm_avail(pcm)
    guard available >= 0 else { return nil }
    return FrameCount(max(0, configuration.buffer.rawValue - available))
  }
}
