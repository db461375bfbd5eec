import AudioCore
import SoundCard

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
