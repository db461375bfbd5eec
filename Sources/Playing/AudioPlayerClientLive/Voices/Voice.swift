import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// One sound on its way to the device: the feeder fills its ring, the audio thread mixes it, and
/// the session controls it.
// `@unchecked Sendable` is right because the variables below belong to the audio thread alone once
// the voice has been added. Everything that other threads touch is an atomic, the ring, a
// descriptor, or behind a lock that the audio thread never takes.
final class Voice: DevicePort, @unchecked Sendable {
  /// Samples in the device's format, from the feeder to the audio thread.
  let ring: RingBuffer<Float>
  /// Signaled when the ring has the requested room or has been flushed, when the feeder has a
  /// request, and when the voice is over.
  let room = TaskWakeUp()
  let roomRequest = WakeUpRequest()
  let format: AudioFormat
  let parameters: SharedVoiceParameters
  let bus: BusVolume
  let onDeviceLoss: DeviceLossPolicy
  /// The number of frames between progress reports.
  let progressFrames: Int
  /// Reports an event to the playback's listener, in order.
  let listener: @Sendable (PlaybackEvent) -> Void
  /// Stops the time of a virtual card from the end of the voice until the caller has the result.
  let hold: TimeHold?
  /// Opens when the voice has been played or its device has failed.
  let ended = Gate()
  // The lock is held for a few instructions by the control thread, the feeder, and the session. The
  // outcome is valid once `ended` is open.
  let reported:
    Mutex<(timeline: VoiceTimeline, reportedFrames: Int, outcome: Result<Duration, any Error>)>

  /// The frames played so far.
  let playedFrames = Atomic<Int>(0)
  /// The frames that the ring and the device must hold before the voice begins, or continues after
  /// silence; 0 unless a live stream sets the pace.
  let refill = Atomic<Int>(0)
  /// The host's time at which the device's buffer will be empty, in nanoseconds from `madeAt`.
  let emptyTime = Atomic<Int64>(0)
  /// The host's time at which the first frame was played, counted back from the playhead, in
  /// nanoseconds from `madeAt`; `.min` if unknown.
  private let origin = Atomic<Int64>(.min)
  let madeAt = ContinuousClock.now
  private let stopping = Atomic<Bool>(false)
  private let input = Atomic<Input>(.open)
  private let over = Atomic<Bool>(false)
  private let lastFlush = Atomic<Int>(0)
  private let lastFlushFrame = Atomic<Int>(0)
  private let settledSerial = Atomic<Int>(0)
  /// Twice the frame at which the settled parameters took effect, plus one if they pause the voice.
  private let settledPlace = Atomic<Int>(0)

  // Used only by the audio thread.
  var transport: VoiceTransport
  var playhead = VoicePlayhead()
  /// The gains of the bus at the beginning of the block; nil before the voice's first block, and
  /// after a silent block if they are steady.
  var busGain: BusGain?
  /// Whether the voice has faded out in a dropout.
  var isFadedOut = false
  /// The number of frames of silence not yet reported: `starved` if the source was late, `device`
  /// if the device was interrupted.
  ///
  /// Nil means no silence; `device` is 0 if the duration is unknown.
  var unreported: (starved: Int?, device: Int?) = (nil, nil)
  /// Whether the source was late for part of the last block.
  var isInDropout = false
  /// The frames of silence mixed since the ring was empty, while the voice waited for a live
  /// stream.
  var waitedFrames = 0
  /// The deadline for the end of the voice; set when the voice's last frame has been written to the
  /// device, and again after the device was suspended.
  var deadline: PlayoutDeadline?
  /// The frame at which the voice last became audible.
  var soundsSince = 0
  /// The last frame read from the ring, one sample per channel.
  let lastFrame: UnsafeMutableBufferPointer<Float>
  private var appliedSerial: Int
  /// The number of samples that must be in the ring before the voice begins.
  private let prefill: Int

  /// The device whose control thread wakes the feeder for the audio thread.
  private let link: DeviceLink<Voice>?
  /// The audio thread's request that the control thread wake the feeder.
  let feederRequest = WakeUpRequest()

  /// Creates a voice.
  ///
  /// `prefill` is the audio that must be decoded before the voice begins, at most `capacity`.
  /// `speed` is the number of seconds of source audio per second of the voice. `progressInterval`
  /// is the time between progress events, at least 50 ms. `link` belongs to the device; it is nil
  /// for a voice without a feeder. `hold` stops a virtual card's time once the voice is over.
  init(
    format: AudioFormat, capacity: Duration, prefill: Duration, parameters: SharedVoiceParameters,
    bus: BusVolume = BusVolume(), speed: Double = 1,
    progressInterval: Duration = .milliseconds(50), onDeviceLoss: DeviceLossPolicy = .fail,
    link: DeviceLink<Voice>? = nil, hold: TimeHold? = nil,
    listener: @escaping @Sendable (PlaybackEvent) -> Void
  ) {
    self.format = format
    self.parameters = parameters
    self.bus = bus
    self.onDeviceLoss = onDeviceLoss
    (self.link, self.hold, self.listener) = (link, hold, listener)
    let rate = format.sampleRate
    reported = Mutex((VoiceTimeline(rate: rate, speed: speed), 0, .success(.zero)))
    progressFrames = FrameCount(max(.milliseconds(50), progressInterval), at: rate).rawValue
    ring = RingBuffer(
      capacity: FrameCount(capacity, at: rate).rawValue * format.channelCount,
      resident: rate.hertz * format.channelCount)
    let frames = max(1, FrameCount(prefill, at: rate).rawValue)
    self.prefill = min(ring.capacity / format.channelCount, frames) * format.channelCount
    let begin = parameters.current
    appliedSerial = begin.serial
    transport = VoiceTransport(begin.parameters, rate: rate)
    lastFrame = .allocate(capacity: format.channelCount)
    lastFrame.initialize(repeating: 0)
  }

  deinit {
    lastFrame.deallocate()
  }

  /// Returns the length of the ring: at least 1 s and at least ten periods.
  static func capacity(on device: PCMConfiguration) -> Duration {
    max(.seconds(1), device.period.duration(at: device.format.sampleRate) * 10)
  }

  /// The audio to wait for before a voice begins: as much as the device's buffer holds, at most a
  /// second.
  ///
  /// More would only add latency to a live stream.
  static func prefill(on device: PCMConfiguration) -> Duration {
    min(.seconds(1), device.buffer.duration(at: device.format.sampleRate))
  }

  /// The host's time at which the first frame was played, counted back from the playhead; nil
  /// before the device has a frame.
  var originTime: ContinuousClock.Instant? {
    let nanoseconds = origin.load(ordering: .relaxed)
    return nanoseconds == .min ? nil : madeAt + .nanoseconds(nanoseconds)
  }
  /// Whether the voice is fading out to its end.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }
  /// Whether no frames follow those in the ring; the feeder may reopen the input until the voice
  /// ends.
  var hasInputEnded: Bool { input.load(ordering: .acquiring) != .open }
  /// Whether the ring will not be read again.
  var isOver: Bool { over.load(ordering: .acquiring) }
  /// The frames that can be mixed now.
  var readableFrames: Int { ring.readable / format.channelCount }
  /// Whether enough audio has been decoded to begin.
  var isPrimed: Bool {
    ring.totalWritten >= max(prefill, refill.load(ordering: .relaxed) * format.channelCount)
  }

  func stop(fade: Duration = VoiceParameters.shortestFade) {
    parameters.update { parameters in
      parameters.isStopping = true
      parameters.fade = fade
    }
    stopping.store(true, ordering: .releasing)
    room.signal()
  }

  func endInput() {
    _ = input.compareExchange(expected: .open, desired: .ended, ordering: .acquiringAndReleasing)
  }

  /// Reopens the input that was declared complete; false if the voice has ended in the meantime.
  func reopenInput() -> Bool {
    input.compareExchange(expected: .ended, desired: .open, ordering: .acquiringAndReleasing)
      .original != .closed
  }

  func close() {
    over.store(true, ordering: .releasing)
    room.signal()
  }

  /// Returns the voice's first frame after flush number `count`; nil before that flush.
  ///
  /// `flushIfDue` stores the frame before the count, and this method reads the count before the
  /// frame, so the frame belongs to that count. The feeder requests the next flush only after it
  /// has seen this one.
  func frameAfterFlush(_ count: Int) -> Int? {
    lastFlush.load(ordering: .acquiring) == count ? lastFlushFrame.load(ordering: .relaxed) : nil
  }

  /// The serial number of the parameters in effect, the frame at which they took effect, and
  /// whether they pause the voice.
  ///
  /// `settle` stores the frame before the serial number, and this property reads them in the
  /// opposite order. The frame may therefore belong to a later serial number, but never to an
  /// earlier one. So a pause may be reported before its command returns, but no command returns
  /// before its effect is reported.
  var settlement: (serial: Int, frame: Int, isPaused: Bool) {
    let serial = settledSerial.load(ordering: .acquiring)
    let place = settledPlace.load(ordering: .relaxed)
    return (serial, place >> 1, place & 1 == 1)
  }

  // MARK: The audio thread

  /// Lets the control thread wake the feeder, because the audio thread cannot resume a task.
  func wakeFeeder() {
    feederRequest.make()
    link?.wakeControl()
  }

  /// Applies new parameters and flushes the ring if requested.
  func applyParameters() {
    if let reading = parameters.read(after: appliedSerial) {
      appliedSerial = reading.serial
      transport.apply(reading.parameters)
    }
    flushIfDue()
  }

  /// Applies new parameters without fades while the device plays nothing.
  func applyParametersInSilence() {
    applyParameters()
    transport.settleInSilence()
    flushIfDue()
  }

  /// Whether the voice stays silent until enough of a live stream has arrived; the device holds
  /// `held` frames.
  ///
  /// The wait is no longer than it is for a stream that arrives steadily, so the last buffer before
  /// a pause of the source is played.
  func isRefilling(held: Int) -> Bool {
    let refill = refill.load(ordering: .relaxed)
    return (isInDropout || transport.phase == .silent) && !hasInputEnded
      && readableFrames + held < refill && waitedFrames < refill
  }

  private func flushIfDue() {
    guard transport.flush() else { return }
    ring.discardReadable()
    lastFlushFrame.store(playhead.mixed, ordering: .relaxed)
    lastFlush.store(transport.parameters.flushCount, ordering: .releasing)
    wakeFeeder()
  }

  /// Closes the input, so that the voice ends after the ring's content; false if the feeder has
  /// reopened the input.
  func closeInput() -> Bool {
    input.compareExchange(expected: .ended, desired: .closed, ordering: .acquiringAndReleasing)
      .original != .open
  }

  /// Publishes which parameters are in effect; returns false if nothing has changed.
  func settle() -> Bool {
    guard transport.isSettled, settledSerial.load(ordering: .relaxed) != appliedSerial else {
      return false
    }
    // A voice that is over keeps its settled frame and pause flag. Otherwise, a voice stopped
    // during a pause would be reported as resumed.
    if transport.phase != .over {
      let isSilent = transport.phase == .silent
      let isPaused = isSilent && transport.parameters.isPaused
      let frame = isSilent ? playhead.mixed : soundsSince
      settledPlace.store(frame << 1 | (isPaused ? 1 : 0), ordering: .relaxed)
    }
    settledSerial.store(appliedSerial, ordering: .releasing)
    return true
  }

  /// Returns the longest time to wait for the voice's end.
  ///
  /// The result is zero if the voice is over, and nil if its last frame has not been written to the
  /// device. `patience` is how long the device may pause while it holds the last frames.
  func timeLeft(
    _ device: DevicePlayhead, buffer: Duration, patience: Duration, at time: Duration
  ) -> Duration? {
    if playhead.isOver(device.played) { return .zero }
    guard let end = playhead.endsAt, device.written >= end else {
      deadline = nil
      return nil
    }
    let delay = FrameCount(end - device.played).duration(at: format.sampleRate)
    if deadline == nil { deadline = PlayoutDeadline(delay: delay, buffer: buffer, at: time) }
    return deadline?.timeLeft(delay: delay, patience: patience, at: time) ?? .zero
  }

  /// Updates the number of played frames and their time; a voice that is over counts as played
  /// completely.
  ///
  /// `time` is the host's time at which the device had played its frames.
  func observe(_ device: DevicePlayhead, isOver: Bool, at time: ContinuousClock.Instant) {
    let emptyAt = time - madeAt + (device.emptyAt - device.playedAt)
    emptyTime.store(emptyAt.inNanoseconds, ordering: .relaxed)
    playhead.observe(device.played)
    if isOver { playhead.finish() }
    if let first = playhead.origin(at: device.played) {
      let begin = time - FrameCount(device.played - first).duration(at: format.sampleRate)
      origin.store((begin - madeAt).inNanoseconds, ordering: .relaxed)
    }
    playedFrames.store(playhead.played, ordering: .relaxed)
  }

  /// Reports the voice's silence as far as the event ring has room; false if nothing was reported.
  ///
  /// A dropout that continues is reported in parts of 50 ms, until the voice is over.
  func reportSilence(to events: RingBuffer<DeviceEvent>, place: Int) -> Bool {
    var isNews = false
    let isContinuing = isInDropout && playhead.endsAt == nil
    if let frames = unreported.starved, !isContinuing || frames * 20 >= format.sampleRate.hertz,
      events.tryWrite(.starved(place, frames: frames))
    {
      unreported.starved = nil
      isNews = true
    }
    if let frames = unreported.device, events.tryWrite(.silence(place, frames: frames)) {
      unreported.device = nil
      isNews = true
    }
    return isNews
  }

  /// Whether a voice's feeder has more audio.
  private enum Input: UInt8, AtomicRepresentable {
    case open
    case ended
    /// The input and the voice have ended.
    case closed
  }
}
