import AudioCore
import AudioThreads
import SoundCard
import Synchronization

extension VirtualSoundCard {
  /// Records an opened device; returns the index of its samples in `kept` if they are kept.
  func opened(_ direction: AudioDevice.Direction, _ format: AudioFormat) -> Int? {
    state.withLock { $0.openDevices += 1 }
    guard direction == .playback, keepsPlayback else { return nil }
    return kept.withLock { kept in
      kept.append(KeptPlayback(format: format))
      return kept.count - 1
    }
  }

  /// Records a closed device.
  func closed() {
    state.withLock { $0.openDevices -= 1 }
  }

  /// Keeps samples that were written.
  func keep(_ samples: UnsafeBufferPointer<Float>, in playback: Int) {
    kept.withLock { $0[playback].samples.append(contentsOf: samples) }
  }

  /// Removes the last `frames` frames of the kept samples, because they were not played.
  func retract(_ frames: FrameCount, from playback: Int) {
    kept.withLock { kept in
      let channels = kept[playback].format.channelCount
      kept[playback].samples.removeLast(frames.rawValue * channels)
    }
  }

  /// Records that a playback plays `frame` at the card's time `time`.
  func played(from frame: FrameCount, at time: Duration, in playback: Int) {
    kept.withLock { $0[playback].play(from: frame, at: time) }
  }

  /// Adds the echoes of all playbacks to samples that are captured at the card time `time`.
  func addEchoes(
    to samples: UnsafeMutableBufferPointer<Float>, _ format: AudioFormat, at time: Duration
  ) {
    guard !microphone.echoes.isEmpty else { return }
    kept.withLock { kept in
      for (delay, gain) in microphone.echoes {
        for playback in kept {
          playback.add(to: samples, format.channelCount, at: time - delay, gain: gain)
        }
      }
    }
  }

  // MARK: Faults

  /// The script with the remaining faults.
  var script: VirtualScript { state.withLock { $0.script } }

  /// Returns the scripted failure of an opening, and records that the fault has happened.
  func popOpenFailure() -> SoundCardError? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (fault, error) = state.script.failure(in: .open, at: last) else { return nil }
      state.script.happened(fault)
      return error
    }
  }

  /// Returns how long the script blocks this opening, and records that the fault has happened; nil
  /// if the script does not block the opening.
  func popOpenBlock() -> Duration? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (fault, time) = state.script.block(in: .open, at: last) else { return nil }
      state.script.happened(fault)
      return time
    }
  }

  /// Records that a fault has happened, and unplugs the card if the fault has that effect.
  func record(_ fault: Int) {
    state.withLock { state in
      state.script.happened(fault)
      if case .unplugged(_, .some) = state.script.faults[fault] { state.isUnplugged = true }
    }
  }

  /// Announces that a fault unplugged the card, and reconnects the card after the fault's duration.
  func report(_ fault: Int) {
    guard case .unplugged(_, let time) = faults[fault] else { return }
    announce()
    guard let time else { return }
    guard let stopwatch = pace.stopwatch else { return reconnect() }
    Task { [weak self] in
      try await stopwatch.sleep(time)
      self?.reconnect()
    }
  }

  private func reconnect() {
    state.withLock { $0.isUnplugged = false }
    announce()
  }

  private func announce() {
    lockstep?.expectReaction()
    changes.announce()
  }

  // MARK: Blocked calls

  /// Whether calls no longer block.
  var areCallsReleased: Bool { blocked.withLock { $0.isReleased } }

  /// Records that a device's call is blocked; `waker` is signaled when the call should return.
  func beginBlock(in call: PCMCall, _ waker: WakeUp) {
    let waiting = blocked.withLock { blocked in
      blocked.calls[ObjectIdentifier(waker)] = (call, waker)
      defer { blocked.waiting = [] }
      return blocked.waiting
    }
    for continuation in waiting { continuation.resume(returning: call) }
  }

  /// Records that the call with this `waker` is no longer blocked.
  func endBlock(_ waker: WakeUp) {
    blocked.withLock { $0.calls[ObjectIdentifier(waker)] = nil }
  }
}

/// The audio of one opened playback device, and when it was played.
struct KeptPlayback {
  let format: AudioFormat
  var samples: [Float] = []
  /// The starts of playback after an opening or a pause: the first frame, and the card's time.
  private var starts: [(frame: Int, time: Duration)] = []

  init(format: AudioFormat) {
    self.format = format
  }

  /// Records that the device plays `frame` at the card's time `time`.
  mutating func play(from frame: FrameCount, at time: Duration) {
    if let last = starts.last {
      let expected = last.time + (frame - FrameCount(last.frame)).duration(at: format.sampleRate)
      guard abs((time - expected).inSeconds) > 0.000_1 else { return }
    }
    starts.append((frame.rawValue, time))
  }

  /// Adds to `target` the mean of the channels that the device plays from `time` on.
  ///
  /// Written frames that are not played yet are assumed to play without a pause.
  func add(
    to target: UnsafeMutableBufferPointer<Float>, _ channels: Int, at time: Duration, gain: Float
  ) {
    let width = format.channelCount
    let scale = gain / Float(width)
    var end = samples.count / width
    for start in starts.reversed() {
      // Frame `n` of `samples` is added to frame `n + offset` of `target`.
      let offset = FrameCount(start.time - time, at: format.sampleRate).rawValue - start.frame
      let first = max(0, start.frame + offset)
      let last = min(target.count / channels, end + offset)
      for frame in first..<max(first, last) {
        let source = (frame - offset) * width
        let sum = samples[source..<(source + width)].reduce(0, +)
        for channel in 0..<channels { target[frame * channels + channel] += scale * sum }
      }
      // `samples` may end before `start.frame` if playback restarted before all earlier frames were
      // kept.
      end = min(end, start.frame)
      if end + offset <= 0 { return }
    }
  }
}
