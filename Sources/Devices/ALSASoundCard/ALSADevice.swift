import AudioCore
import AudioThreads
import CALSA
import Glibc
import Logging
import SoundCard

/// An open ALSA playback or capture device.
// `@unchecked Sendable` is safe because only the constants `configuration` and `waker` are shared;
// one thread at a time uses the rest, as `PCM` requires.
final class ALSADevice: PCM, @unchecked Sendable {
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration
  let waker: WakeUp

  /// Samples in the device's format; this object owns and frees it.
  ///
  /// It has room for two device buffers, because alsa-lib writes past the end of a transfer if the
  /// driver reports too many frames. A plug-in that also moves the excess frames may still crash
  /// the process.
  let scratch: UnsafeMutableRawPointer
  let scratchFrames: Int
  /// The conversion between WAV channel order and the device's channel order.
  let routing: ChannelMix
  /// One device buffer of samples for reordering channels; this object owns and frees it.
  let routed: UnsafeMutablePointer<Float>

  /// The descriptors that `wait` polls, the waker's and the device's; this object owns and frees
  /// them.
  let polled: UnsafeMutablePointer<pollfd>
  let polledCount: Int

  /// The longest sleep before the device's state is checked.
  let stateCheckInterval: Duration
  var losses: LossEstimate
  /// The audio that a playback device has not played yet.
  var delayEstimate: DelayEstimate
  /// The dither of a playback device with 16-bit samples.
  var dither = Dither()
  var wakeUpThrottle: WakeUpThrottle
  /// An interruption that the next `wait` reports.
  var pendingInterruption: PCMInterruption?
  /// The time at which the device was first found suspended, on a clock that stops while the
  /// machine sleeps.
  var suspendedSince: SuspendingClock.Instant?
  /// A recovery that the waker interrupted; the next `wait` continues it.
  var unstarted: Recovery?
  /// The frames written since the device was last emptied.
  var written = 0
  /// Whether the capture has ended.
  var hasEnded = false
  private let openedAt = SuspendingClock.now
  /// ALSA's handle, nil after `close`; this object owns it.
  private(set) var pcm: OpaquePointer?
  private var isLost = false
  /// Whether the device was dropped, so the next use must prepare it.
  var isDropped = false

  /// Opens and configures a device; it blocks, so do not call it on the audio thread.
  init(_ direction: AudioDevice.Direction, _ request: PCMRequest) throws(SoundCardError) {
    waker = try Self.makeWaker(request.device ?? .alsaDefault)
    let (pcm, configuration) = try Self.open(direction, request)
    self.configuration = configuration
    polledCount = 1 + max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
    polled = .allocate(capacity: polledCount)
    polled.initialize(repeating: pollfd(), count: polledCount)
    scratchFrames = configuration.buffer.rawValue
    scratch = .allocate(
      byteCount: 2 * scratchFrames * configuration.format.channelCount * 4, alignment: 16)
    memset(scratch, 0, 2 * scratchFrames * configuration.format.channelCount * 4)
    routing = ChannelMix(direction: direction, device: configuration.channelLayout)
    routed = .allocate(capacity: scratchFrames * configuration.format.channelCount)
    let rate = configuration.format.sampleRate
    losses = LossEstimate(direction: direction, rate: rate, configuration)
    delayEstimate = DelayEstimate(buffer: configuration.buffer, rate: rate)
    wakeUpThrottle = WakeUpThrottle(period: configuration.period, rate: rate)
    stateCheckInterval = configuration.buffer.duration(at: rate) * 2
    self.direction = direction
    self.pcm = pcm
  }

  deinit {
    close()
    scratch.deallocate()
    routed.deallocate()
    polled.deallocate()
  }

  private static func makeWaker(_ id: AudioDevice.ID) throws(SoundCardError) -> WakeUp {
    do {
      return try WakeUp()
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
  }

  /// Returns the device, prepared if necessary; throws if it is lost or closed.
  func usable() throws(SoundCardError) -> OpaquePointer {
    guard let pcm, !isLost else { throw .deviceLost(configuration.device) }
    if isDropped {
      isDropped = false
      let code = snd_pcm_prepare(pcm)
      if code < 0 { try recoverSilently(code) }
    }
    return pcm
  }

  /// Marks the device as lost and returns the error.
  func lose() -> SoundCardError {
    isLost = true
    return .deviceLost(configuration.device)
  }

  /// The corresponding C function is `snd_pcm_start`.
  func start() throws(SoundCardError) {
    let pcm = try usable()
    guard snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED else { return }
    // The kernel refuses to start a playback device without frames (EPIPE).
    guard direction == .capture || written > 0 else { return }
    losses.restarted()
    let code = snd_pcm_start(pcm)
    if code < 0 { try recoverSilently(code) }
  }

  /// The corresponding C function is `snd_pcm_drop`; the next use prepares the device.
  func drop() {
    guard let pcm, !isLost, !isDropped else { return }
    snd_pcm_drop(pcm)
    isDropped = true
    emptied()
    delayEstimate.emptied()
  }

  /// Records that the device is empty.
  func emptied() {
    written = 0
    hasEnded = false
    (suspendedSince, unstarted) = (nil, nil)
    losses.stopped()
    wakeUpThrottle.forget()
  }

  /// Records that frames were written or read.
  func transferred(_ frames: Int) {
    losses.transferred(frames)
    wakeUpThrottle.transferred(frames)
  }

  /// The corresponding C function is `snd_pcm_close`.
  func close() {
    if let pcm = pcm.take() { snd_pcm_close(pcm) }
  }

  var elapsed: Duration { SuspendingClock.now - openedAt }

  /// Requests real-time priority for the thread of a hardware driver.
  ///
  /// Other threads keep normal priority: a plug-in or a sound server's client may spin, and the
  /// kernel kills a process whose real-time thread spins.
  func adoptThread() {
    // Only a hardware PCM calls the kernel directly; every other type is a plug-in.
    guard let pcm, snd_pcm_type(pcm) == SND_PCM_TYPE_HW else {
      return Logger.alsa.debug(
        "normal priority: \"\(configuration.device)\" is a plug-in, not a card's own driver")
    }
    DedicatedThread.requestRealTimePriority(
      for: "the \(direction.rawValue) device \"\(configuration.device)\"")
  }

  /// The number of frames in the device's buffer, or nil if unknown.
  var held: FrameCount? {
    guard let pcm, !isDropped else { return nil }
    return switch DriverAnswer(snd_pcm_avail(pcm), of: configuration.buffer.rawValue) {
    case .frames(let available): configuration.buffer - FrameCount(available)
    case .excess: .zero
    case .failure: nil
    }
  }
}
