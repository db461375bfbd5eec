import AudioCore
import SoundCard

/// The state of a virtual device in either direction, without threads or time: frames go in on one
/// side and out on the other, and the card's ticks move it.
struct VirtualTransfer {
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration
  var script: VirtualScript
  private var timeline: [(frame: FrameCount, entry: VirtualScript.Entry)]
  private var interruption: PCMInterruption?
  /// Whether a playback has run dry, and nobody knows yet.
  private var isDry = false
  private var sleep: Sleep?
  private var isRunning = false
  private var isStalled = false
  private let isNeverReady: Bool
  private let mostFrames: FrameCount
  private var transfers = 0
  /// The delay that was told last.
  var told: FrameCount = 0

  /// A device that takes its time to go on after the machine has slept.
  private struct Sleep {
    var began: FrameCount
    var end: FrameCount
    var lost: FrameCount
    var isEmptied: Bool
  }

  /// Frames in the device's buffer: to be played, or heard and not yet fetched.
  private(set) var level: FrameCount = 0
  /// Frames that have been played, or heard, those lost included.
  private(set) var position: FrameCount = 0
  /// The index of the frame that the next read fetches.
  private(set) var nextRead: FrameCount = 0
  /// The device's time in frames, running or not.
  private(set) var ticked: FrameCount = 0
  /// Whether the device can be used no more.
  var isGone = false
  /// What has happened, and not been told to the card.
  var happened: [VirtualScript.Entry] = []
  /// The last frames written that will not be heard, and have not been taken back.
  var discarded: FrameCount = 0
  /// Whether the microphone has come to its end.
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

  /// How many frames can be written (playback) or fetched (capture).
  var ready: FrameCount {
    guard !isNeverReady, !isAsleep else { return 0 }
    return direction == .playback ? configuration.buffer - level : level
  }

  /// Whether the device is being resumed: a wait goes on over its time-out then.
  var isAsleep: Bool { sleep != nil }

  /// What a wait returns now, nil where it has to go on.
  mutating func poll(_ interest: PCMInterest) -> PCMWakeUp? {
    if let interruption = takeInterruption() { return .interrupted(interruption) }
    guard interest == .period else { return nil }
    if hasEnded && level == 0 { return .ended }
    return ready >= configuration.period ? .ready(ready) : nil
  }

  /// Trouble that has been mended, once.
  mutating func takeInterruption() -> PCMInterruption? {
    isDry = false
    return interruption.take()
  }

  mutating func start() {
    isRunning = true
  }

  /// Takes frames to be played and starts at two periods; returns how many it took.
  mutating func write(_ offered: FrameCount) -> FrameCount {
    let taken = movable(offered)
    level += taken
    let threshold = min(configuration.period + configuration.period, configuration.buffer)
    if level >= threshold { isRunning = true }
    return taken
  }

  /// Gives frames that were heard; returns how many and the index of the first.
  mutating func read(_ room: FrameCount) -> (count: FrameCount, first: FrameCount) {
    let count = movable(room)
    level -= count
    defer { nextRead += count }
    return (count, nextRead)
  }

  /// Lets `frames` of the device's time pass.
  mutating func tick(_ frames: FrameCount) {
    ticked += frames
    guard !isAsleep else { return wake() }
    if isDry { interrupt(lost: frames) }
    guard isRunning, !isGone, !isStalled, !isNeverReady else { return }
    switch direction {
    case .playback: play(frames)
    case .capture: hear(frames)
    }
    while let next = timeline.first, next.frame <= position, !isAsleep {
      timeline.removeFirst()
      suffer(next.entry)
    }
  }

  /// Lets time pass in which nobody is late: a playback does not run dry.
  mutating func pass(_ frames: FrameCount) {
    guard direction == .playback, !isAsleep else { return tick(frames) }
    let heard = min(level, frames)
    tick(heard)
    ticked += frames - heard
  }

  /// Throws away what the buffer holds and returns how much that was.
  mutating func drop() -> FrameCount {
    defer { level = 0 }
    (isRunning, isDry) = (false, false)
    return level
  }

  mutating func close() {
    isGone = true
  }

  /// How many of so many frames a transfer moves now.
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

  private mutating func hear(_ frames: FrameCount) {
    level += frames
    position += frames
    guard level > configuration.buffer else { return }
    let lost = level
    level = 0
    nextRead += lost
    interrupt(lost: lost)
  }

  private mutating func suffer(_ entry: VirtualScript.Entry) {
    happened.append(entry)
    switch entry.fault {
    case .unplugged: isGone = true
    case .stalled: isStalled = true
    case .xrun(_, let lost): miss(lost, because: .xrun)
    case .suspended(_, let lost, let resuming, let isEmptied):
      let time = FrameCount(resuming, at: configuration.format.sampleRate)
      sleep = Sleep(began: ticked, end: ticked + time, lost: lost, isEmptied: isEmptied)
      wake()
    case .neverReady, .failing, .blocked, .shortTransfers, .refusedTransfers, .claimedDelay: break
    }
  }

  /// Goes on after a sleep, where it is time.
  private mutating func wake() {
    guard let sleep, ticked >= sleep.end else { return }
    self.sleep = nil
    let resuming = ticked - sleep.began
    if direction == .capture {
      position += resuming
      nextRead += resuming
    }
    let emptied = sleep.isEmptied ? empty() : 0
    miss(sleep.lost, and: resuming + emptied, because: .suspended)
  }

  /// The device is prepared anew; returns the frames that a capture loses with what it held.
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

  /// So many frames pass at once, beside those that have passed already.
  private mutating func miss(
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

/// What the script says of the calls that are made.
extension VirtualTransfer {
  /// What a call that is made now fails with.
  mutating func failure(in call: VirtualFault.Call) -> SoundCardError? {
    guard let (entry, error) = script.failure(in: call, at: position) else { return nil }
    note(entry)
    if case .deviceLost = error { isGone = true }
    return error
  }

  /// How long a call that is made now does not return; nil where it does at once.
  mutating func block(in call: VirtualFault.Call) -> VirtualBlock? {
    guard let (entry, time) = script.block(in: call, at: position) else { return nil }
    note(entry)
    return VirtualBlock(time: time)
  }

  /// The delay that a playback tells now.
  mutating func delay() -> FrameCount {
    if let (claim, _) = script.delayClaim(at: position) {
      told = claim ?? told
    } else {
      told = level
    }
    return told
  }

  /// The last frames written that will not be heard, once.
  mutating func takeDiscarded() -> FrameCount {
    defer { discarded = 0 }
    return discarded
  }

  private mutating func note(_ entry: VirtualScript.Entry) {
    script.happened(entry)
    happened.append(entry)
  }
}

/// A call that does not return for this time, without one for ever.
struct VirtualBlock: Equatable {
  let time: Duration?
}
