import AudioCore
import AudioThreads
import SoundCard

/// The voices that the audio thread mixes.
typealias VoiceTable = PortTable<Voice>

extension PortTable<Voice> {
  /// The maximum number of sounds that one device mixes.
  static var limit: Int { 64 }

  /// The number of voices that have not been mixed to their end.
  var soundingCount: Int { count { $0.playhead.endsAt == nil } }

  /// Whether any voice would wait for a lost device.
  var areWaitingForLostDevice: Bool { count { $0.onDeviceLoss != .fail } > 0 }

  /// Whether every voice is stopping or has been mixed to its end.
  var areAllEnding: Bool { count { $0.playhead.endsAt == nil && !$0.isStopping } == 0 }

  /// Whether every voice is stopping.
  var areAllStopping: Bool { count { !$0.isStopping } == 0 }

  /// Whether all voices with frames after `played` were stopped without a long fade; false if no
  /// voice has such frames.
  func mayEnd(at played: Int) -> Bool {
    let unplayed = count { $0.playhead.endsAt ?? .max > played }
    let stopped = count {
      $0.playhead.endsAt ?? .max > played && $0.isStopping
        && $0.transport.parameters.fade <= VoiceParameters.shortestFade
    }
    return unplayed > 0 && stopped == unplayed
  }

  /// Whether no voice is ending, and every voice reports progress at intervals of more than
  /// `frames` frames.
  func reportSeldom(than frames: Int) -> Bool {
    count { $0.playhead.endsAt != nil || $0.progressFrames <= frames } == 0
  }

  /// Whether to wait for a late source.
  ///
  /// If the source is already in a dropout and another voice sounds, the result is false, because
  /// the wait would nearly drain the device. The device holds `held` frames.
  func areStarving(period: Int, held: Int) -> Bool {
    var isInDropout = false
    var othersSound = false
    for index in 0..<count where self[index].playhead.endsAt == nil {
      let voice = self[index]
      let isRefilling = voice.isRefilling(held: held)
      let isLate =
        !voice.hasInputEnded && voice.transport.needsSource
        && (isRefilling || voice.readableFrames < period)
      if !isLate {
        if voice.transport.phase != .silent { othersSound = true }
      } else if isRefilling || (voice.isInDropout && voice.readableFrames == 0) {
        isInDropout = true
      } else {
        return true
      }
    }
    return isInDropout && !othersSound
  }

  /// Applies new parameters to all voices that are not mixed to their end.
  func applyParameters() {
    for index in 0..<count where self[index].playhead.endsAt == nil {
      self[index].applyParameters()
    }
  }

  /// Moves the gains of the buses to the next block, which begins `frames` frames later.
  ///
  /// All voices of a bus share the gains of its first voice that has gains, even if that voice is
  /// silent or mixed to its end. If no voice has gains, the gains begin at the bus's volume and
  /// ducking.
  func moveBusGains(by frames: Int) {
    for index in 0..<count where self[index].busGain != nil {
      let voice = self[index]
      let leading = busGain(of: voice.bus, before: index)
      if leading == nil {
        voice.busGain?.move(by: frames, to: voice.bus, at: voice.format.sampleRate)
      } else {
        voice.busGain = leading
      }
    }
    for index in 0..<count where self[index].busGain == nil && self[index].playhead.endsAt == nil {
      let bus = self[index].bus
      self[index].busGain = busGain(of: bus, before: count) ?? BusGain(bus)
    }
  }

  /// Returns the gains of the bus from its first voice that has gains; nil if no voice has gains.
  ///
  /// Only the voices before `end` are examined.
  private func busGain(of bus: BusVolume, before end: Int) -> BusGain? {
    for index in 0..<end where self[index].bus === bus {
      if let gain = self[index].busGain { return gain }
    }
    return nil
  }

  /// Records an interruption for the voices that it affects.
  ///
  /// The device played silence at the frame `position`, and discarded frames before it.
  func noteSilence(_ interruption: PCMInterruption, at position: Int) {
    for index in 0..<count {
      let voice = self[index]
      // After a suspend, the device still has to play its buffer, so compute a new deadline.
      if interruption.cause == .suspended { voice.deadline = nil }
      let discarded = voice.playhead.frames(
        within: (position - interruption.discarded.rawValue)..<position)
      let isWithin = voice.playhead.contains(position)
      guard isWithin || discarded > 0 else { continue }
      let silence = isWithin ? interruption.lost.rawValue : 0
      voice.unreported.device = (voice.unreported.device ?? 0) + silence + discarded
    }
  }

  /// Ends all voices at the frame `position`, because the device accepts no more frames.
  func endAll(at position: Int) {
    for index in 0..<count where self[index].playhead.endsAt ?? .max > position {
      self[index].playhead.end(at: position)
    }
  }

  /// Applies commands at once while the device is lost and nothing is audible.
  func settleInSilence(_ events: RingBuffer<DeviceEvent>) {
    var index = count
    while index > 0 {
      index -= 1
      let voice = self[index]
      if voice.isOver {
        if events.writable > 0 { events.tryWrite(.finished(remove(at: index))) }
      } else if voice.playhead.endsAt == nil {
        voice.applyParametersInSilence()
        _ = voice.settle()
      }
    }
  }

  private func count(where condition: (Voice) -> Bool) -> Int {
    var found = 0
    for index in 0..<count where condition(self[index]) { found += 1 }
    return found
  }
}
