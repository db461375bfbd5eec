public import AudioCore

/// What the card's thread waits for.
public enum PCMInterest: Hashable, Sendable {
  /// At least a period of room to write to, or of frames to read.
  case period
  /// Nothing from the device: only the waker, the time-out, or the loss of the device.
  case nothing
}

/// Why a `wait` ended.
public enum PCMWakeUp: Hashable, Sendable {
  /// That many frames can be written or read without waiting, at least one.
  case ready(FrameCount)
  /// The waker was signalled.
  case woken
  /// The time ran out.
  case timedOut
  /// Something went wrong and has been mended: the device runs or waits for frames again.
  case interrupted(PCMInterruption)
  /// A capture device that has an end has come to it; no frame will follow.
  case ended
}

/// What became of a write or a read.
public enum PCMTransfer: Hashable, Sendable {
  /// That many frames went through; none where the device has no room or nothing to give just now.
  case frames(FrameCount)
  /// Nothing went through: something went wrong and has been mended.
  case interrupted(PCMInterruption)
}

/// Trouble that a device has recovered from.
public struct PCMInterruption: Hashable, Sendable {
  /// What happened.
  public enum Cause: String, Hashable, Sendable {
    /// The engine was late: the device ran dry (playback) or full (capture).
    case xrun
    /// The machine slept.
    case suspended
  }

  /// What happened.
  public var cause: Cause

  /// Capture: the frames that were missed; playback: the frames of silence heard instead.
  ///
  /// An estimate by the clock, the time in which the machine slept included; zero where the device
  /// cannot tell.
  public var lost: FrameCount

  /// Describes an interruption.
  public init(cause: Cause, lost: FrameCount) {
    self.cause = cause
    self.lost = lost
  }
}
