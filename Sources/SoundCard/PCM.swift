public import AudioCore
public import AudioThreads

/// An open device, driven by one thread: the card's thread of an engine.
///
/// Thread safety: `configuration` and `waker` may be used from any thread; everything else from one
/// thread at a time. No method allocates or takes a lock that another thread holds while it waits,
/// so that the card's thread can call them all; only `wait` blocks.
public protocol PCM: AnyObject, Sendable {
  /// What the device settled on when it was opened.
  var configuration: PCMConfiguration { get }

  /// Ends a `wait` from any thread, now or at the next one that sleeps.
  ///
  /// What a `wait` can say at once comes first.
  var waker: WakeUp { get }

  /// The device's time since it was opened: by the system's monotonic clock, which stands still
  /// while the machine sleeps, or by a virtual card's own.
  var elapsed: Duration { get }

  /// Takes the calling thread as the one that drives the device, before it moves a frame: it gets
  /// real-time priority where the device is a card's own driver and the system allows that.
  ///
  /// Behind plug-ins and sound servers it does not: what spins there would hold up the machine.
  func adoptThread()

  /// Blocks until there is what `interest` asks for, the waker is signalled, or `timeout` of the
  /// device's time has passed.
  ///
  /// It may return `.woken` without a signal. Trouble that passes (an xrun, a suspended machine) is
  /// mended before it returns and comes back as `.interrupted`; `deviceLost` is thrown where the
  /// device is gone for good.
  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp

  /// Sets the device going at once, where it would otherwise wait for more frames.
  func start() throws(SoundCardError)

  /// Stops at once; what the device still holds is thrown away.
  ///
  /// The next write or `start` sets it going again; throws `deviceLost` where the device is gone.
  func drop() throws(SoundCardError)

  /// Gives the device back; every other call afterwards throws `deviceLost`.
  ///
  /// Closing twice is harmless.
  func close()
}

extension PCM {
  /// Leaves the thread's priority as it is.
  public func adoptThread() {}
}

/// A device that plays.
public protocol PlaybackPCM: PCM {
  /// Frames between the position written to and the loudspeaker: those in the device's buffer, and
  /// those that a sound server behind it holds; 0…16 buffers, also where the device lies.
  ///
  /// A device that cannot tell just now is taken at its last word; throws `deviceLost` where it is
  /// gone.
  func delay() throws(SoundCardError) -> FrameCount

  /// How long the device can go on without another frame: what it still holds, and for a device
  /// that takes frames faster than it could play them, the time that they would have taken; throws
  /// `deviceLost` where the device is gone.
  var timeUntilDry: Duration { get throws(SoundCardError) }

  /// Hands over interleaved samples in the device's format; it may take fewer than offered.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer
}

/// A device that captures.
public protocol CapturePCM: PCM {
  /// Fetches what there is, at most as much as `samples` holds; interleaved in the device's format.
  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer
}

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
