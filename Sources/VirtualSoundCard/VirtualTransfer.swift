import AudioCore
import SoundCard

/// The state of a virtual device in either direction, without threads or time: frames go in on one
/// side and out on the other, and the card's ticks move it.
struct VirtualTransfer {
  let direction: AudioDevice.Direction
  private let configuration: PCMConfiguration
  private var faults: [VirtualFault]
  private var interruption: PCMInterruption?
  private var isRunning = false
  private var isStalled = false
  private let isNeverReady: Bool

  /// Frames in the device's buffer: to be played, or heard and not yet fetched.
  private(set) var level: FrameCount = 0
  /// Frames that have been played, or heard, those lost included.
  private(set) var position: FrameCount = 0
  /// The index of the frame that the next read fetches.
  private(set) var nextRead: FrameCount = 0
  /// The device's time in frames, running or not.
  private(set) var ticked: FrameCount = 0
  /// Whether the device can be used no more.
  private(set) var isGone = false
  /// How it was unplugged, where that has not been told.
  var unplugging: VirtualFault?
  /// Whether the microphone has come to its end.
  var hasEnded = false

  init(
    direction: AudioDevice.Direction, configuration: PCMConfiguration, faults: [VirtualFault]
  ) {
    self.direction = direction
    self.configuration = configuration
    self.faults = faults.sorted { $0.frame < $1.frame }
    isNeverReady = faults.contains(.neverReady)
  }

  /// How many frames can be written (playback) or fetched (capture).
  var ready: FrameCount {
    guard !isNeverReady else { return 0 }
    return direction == .playback ? configuration.buffer - level : level
  }

  /// What a wait returns now, nil where it has to go on.
  mutating func poll(_ interest: PCMInterest) -> PCMWakeUp? {
    if let interruption {
      self.interruption = nil
      return .interrupted(interruption)
    }
    guard interest == .period else { return nil }
    if hasEnded && level == 0 { return .ended }
    return ready >= configuration.period ? .ready(ready) : nil
  }

  mutating func start() {
    isRunning = true
  }

  /// Takes frames to be played and starts at two periods; returns how many it took.
  mutating func write(_ offered: FrameCount) -> FrameCount {
    let taken = min(offered, ready)
    level += taken
    let threshold = min(configuration.period + configuration.period, configuration.buffer)
    if level >= threshold { isRunning = true }
    return taken
  }

  /// Gives frames that were heard; returns how many and the index of the first.
  mutating func read(_ room: FrameCount) -> (count: FrameCount, first: FrameCount) {
    let count = min(room, level)
    level -= count
    defer { nextRead += count }
    return (count, nextRead)
  }

  /// Lets `frames` of the device's time pass.
  mutating func tick(_ frames: FrameCount) {
    ticked += frames
    guard isRunning, !isGone, !isStalled, !isNeverReady else { return }
    switch direction {
    case .playback: play(frames)
    case .capture: hear(frames)
    }
    while let fault = faults.first, fault.frame <= position {
      faults.removeFirst()
      suffer(fault)
    }
  }

  /// Throws away what the buffer holds and returns how much that was.
  mutating func drop() -> FrameCount {
    defer { level = 0 }
    isRunning = false
    return level
  }

  mutating func close() {
    isGone = true
  }

  private mutating func play(_ frames: FrameCount) {
    let played = min(frames, level)
    level -= played
    position += played
    guard played < frames else { return }
    isRunning = false
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

  private mutating func suffer(_ fault: VirtualFault) {
    switch fault {
    case .unplugged:
      isGone = true
      unplugging = fault
    case .stalled:
      isStalled = true
    case .neverReady: break
    case .xrun(_, let lost):
      miss(lost, because: .xrun)
    case .suspended(_, let lost):
      miss(lost, because: .suspended)
    }
  }

  private mutating func miss(_ lost: FrameCount, because cause: PCMInterruption.Cause) {
    interrupt(lost: lost, because: cause)
    guard direction == .capture else { return }
    ticked += lost
    position += lost
    nextRead += lost
  }

  private mutating func interrupt(lost: FrameCount, because cause: PCMInterruption.Cause = .xrun) {
    interruption = PCMInterruption(cause: cause, lost: lost + (interruption?.lost ?? 0))
  }
}
