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
      kept.append((format, []))
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

  /// Removes the last frames, because they were not played.
  func retract(_ frames: FrameCount, from playback: Int) {
    kept.withLock { kept in
      let channels = kept[playback].format.channelCount
      kept[playback].samples.removeLast(frames.rawValue * channels)
    }
  }

  // MARK: Faults

  /// The script with the remaining faults.
  var script: VirtualScript { state.withLock { $0.script } }

  /// Returns the scripted failure of an opening, and counts it as happened.
  func popOpenFailure() -> SoundCardError? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (fault, error) = state.script.failure(in: .open, at: last) else { return nil }
      state.script.happened(fault)
      return error
    }
  }

  /// Returns how long the script blocks this opening, and counts the fault as happened; nil if it
  /// does not block.
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

  /// Records the blocked call of a device, whose waker is signaled when the call should return.
  func beginBlock(in call: PCMCall, _ waker: WakeUp) {
    let waiting = blocked.withLock { blocked in
      blocked.calls[ObjectIdentifier(waker)] = (call, waker)
      defer { blocked.waiting = [] }
      return blocked.waiting
    }
    for continuation in waiting { continuation.resume(returning: call) }
  }

  /// Records that the call returned.
  func endBlock(_ waker: WakeUp) {
    blocked.withLock { $0.calls[ObjectIdentifier(waker)] = nil }
  }
}
