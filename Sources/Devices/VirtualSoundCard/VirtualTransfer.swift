import AudioCore
import SoundCard

/// The state machine of a virtual device, without threads or time: ticks of the card move frames.
struct VirtualTransfer {
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration
  var script: VirtualScript
  private var timeline: [(frame: FrameCount, fault: Int)]
  private var interruption: PCMInterruption?
  /// Whether a playback has an unreported underrun.
  private var isDry = false
  /// The current suspend, and the value of `ticked` at its beginning.
  private var suspend: (fault: VirtualFault, began: FrameCount)?
  private var isRunning = false
  private var isStalled = false
  private let isNeverReady: Bool
  private let mostFrames: FrameCount
  private var transfers = 0
  /// The last reported delay.
  var reportedDelay: FrameCount = 0

  /// The frames in the device's buffer: not yet played, or captured and not yet read.
  private(set) var level: FrameCount = 0
  /// The frames played or captured, including lost frames.
  private(set) var position: FrameCount = 0
  /// The index of the next frame to read.
  private(set) var nextRead: FrameCount = 0
  /// The device's time in frames, which advances even while the device is stopped.
  private(set) var ticked: FrameCount = 0
  /// The card's time at `ticked`.
  var time = Duration.zero
  /// Whether the device is lost or closed.
  var isGone = false
  /// The indices of the faults that happened and are not yet recorded by the card.
  var happened: [Int] = []
  /// The number of written frames that will not be played and are still among the kept samples.
  var discarded: FrameCount = 0
  /// Whether the microphone has ended.
  var hasEnded = false

  init(
    direction: AudioDevice.Direction, configuration: PCMConfiguration, script: VirtualScript
  ) {
    self.direction = direction
    self.configuration = configuration
    self.script = script
    timeline = script.timeline
    isNeverReady = script.isNeverReady
    mostFrames = script.mostFrames
  }

  /// The number of frames that can be written (playback) or read (capture).
  var ready: FrameCount {
    guard !isNeverReady, !isAsleep else { return 0 }
    return direction == .playback ? configuration.buffer - level : level
  }

  var rate: SampleRate { configuration.format.sampleRate }

  /// The card's time at which `frame` was captured, if no frames have been lost since then.
  func time(of frame: FrameCount) -> Duration { time - (position - frame).duration(at: rate) }

  /// Whether the device is resuming; a wait then outlasts its timeout.
  var isAsleep: Bool { suspend != nil }

  /// Returns the result of a wait now, or nil if the wait must continue.
  mutating func poll(_ interest: PCMInterest) -> PCMWakeUp? {
    if let interruption = popInterruption() { return .interrupted(interruption) }
    guard interest == .period else { return nil }
    if hasEnded && level == 0 { return .ended }
    return ready >= configuration.period ? .ready(ready) : nil
  }

  /// Removes and returns the interruption that the device has recovered from.
  mutating func popInterruption() -> PCMInterruption? {
    isDry = false
    return interruption.take()
  }

  mutating func start() {
    isRunning = true
  }

  /// Accepts frames to play and returns their number; the device starts once two periods are
  /// buffered.
  mutating func write(_ offered: FrameCount) -> FrameCount {
    let taken = movable(offered)
    level += taken
    let threshold = min(configuration.period + configuration.period, configuration.buffer)
    if level >= threshold { isRunning = true }
    return taken
  }

  /// Removes captured frames and returns their number and the index of the first.
  mutating func read(_ room: FrameCount) -> (count: FrameCount, first: FrameCount) {
    let count = movable(room)
    level -= count
    defer { nextRead += count }
    return (count, nextRead)
  }

  /// Advances the device's time by `frames`.
  mutating func tick(_ frames: FrameCount) {
    ticked += frames
    guard !isAsleep else { return wake() }
    if isDry { interrupt(lost: frames) }
    guard isRunning, !isGone, !isStalled, !isNeverReady else { return }
    switch direction {
    case .playback: play(frames)
    case .capture: capture(frames)
    }
    while let next = timeline.first, next.frame <= position, !isAsleep {
      timeline.removeFirst()
      apply(next.fault)
    }
  }

  /// Advances the time by `frames`; a playback device that runs empty reports no underrun.
  mutating func pass(_ frames: FrameCount) {
    guard direction == .playback, !isAsleep else { return tick(frames) }
    let played = min(level, frames)
    tick(played)
    ticked += frames - played
  }

  /// Discards the buffered frames and returns their number.
  mutating func drop() -> FrameCount {
    defer { level = 0 }
    (isRunning, isDry) = (false, false)
    return level
  }

  mutating func close() {
    isGone = true
  }

  /// Counts one more transfer, and returns how many of the requested `frames` it moves.
  private mutating func movable(_ frames: FrameCount) -> FrameCount {
    transfers += 1
    return script.refuses(transfer: transfers) ? 0 : min(frames, ready, mostFrames)
  }

  private mutating func play(_ frames: FrameCount) {
    let played = min(frames, level)
    level -= played
    position += played
    guard played < frames else { return }
    isRunning = false
    isDry = true
    interrupt(lost: frames - played)
  }

  private mutating func capture(_ frames: FrameCount) {
    level += frames
    position += frames
    guard level > configuration.buffer else { return }
    let lost = level
    level = 0
    nextRead += lost
    interrupt(lost: lost)
  }

  private mutating func apply(_ index: Int) {
    happened.append(index)
    let fault = script.faults[index]
    switch fault {
    case .unplugged: isGone = true
    case .stalled: isStalled = true
    case .xrun(_, let lost): skip(lost, because: .xrun)
    case .suspended:
      suspend = (fault, ticked)
      wake()
    case .neverReady, .failing, .blocked, .shortTransfers, .refusedTransfers, .claimedDelay: break
    }
  }

  /// Resumes a suspended device once its `resuming` time has passed.
  private mutating func wake() {
    guard let (fault, began) = suspend,
      case .suspended(_, let lost, let resuming, let isEmptied) = fault,
      ticked >= began + FrameCount(resuming, at: rate)
    else { return }
    suspend = nil
    let passed = ticked - began
    if direction == .capture {
      position += passed
      nextRead += passed
    }
    let emptied = isEmptied ? empty() : 0
    skip(lost, and: passed + emptied, because: .suspended)
  }

  /// Empties the buffer and returns the number of captured frames lost.
  private mutating func empty() -> FrameCount {
    defer { level = 0 }
    switch direction {
    case .playback:
      discarded += level
      isRunning = false
      return 0
    case .capture:
      nextRead += level
      return level
    }
  }

  /// Reports a loss of `lost` + `passed` frames, and advances the time of a capture by `lost`.
  ///
  /// The time has already advanced by `passed`.
  private mutating func skip(
    _ lost: FrameCount, and passed: FrameCount = 0, because cause: PCMInterruption.Cause
  ) {
    interrupt(lost: lost + passed, because: cause)
    guard direction == .capture else { return }
    ticked += lost
    position += lost
    nextRead += lost
  }

  private mutating func interrupt(lost: FrameCount, because cause: PCMInterruption.Cause = .xrun) {
    interruption = PCMInterruption(cause: cause, lost: lost + (interruption?.lost ?? 0))
  }
}

extension VirtualTransfer {
  /// Returns the scripted failure of a call at the current position, and records the fault.
  mutating func failure(in call: PCMCall) -> SoundCardError? {
    guard let (fault, error) = script.failure(in: call, at: position) else { return nil }
    record(fault)
    if case .deviceLost = error { isGone = true }
    return error
  }

  /// Returns the scripted time for which a call blocks at the current position, and records the
  /// fault; nil if it does not block.
  mutating func block(in call: PCMCall) -> Duration? {
    guard let (fault, time) = script.block(in: call, at: position) else { return nil }
    record(fault)
    return time
  }

  /// Returns the reported delay of a playback.
  mutating func delay() -> FrameCount {
    if let (claim, _) = script.delayClaim(at: position) {
      reportedDelay = claim ?? reportedDelay
    } else {
      reportedDelay = level
    }
    return reportedDelay
  }

  /// Removes and returns the number of frames that will not be played.
  mutating func popDiscarded() -> FrameCount {
    defer { discarded = 0 }
    return discarded
  }

  private mutating func record(_ fault: Int) {
    script.happened(fault)
    happened.append(fault)
  }
}
