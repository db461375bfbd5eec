public import AudioCore
public import AudioThreads

/// An open device, driven by the audio thread of an engine.
///
/// Thread safety: `configuration` and `waker` are safe on any thread; everything else belongs to
/// one thread at a time. Only `wait` blocks. No method allocates, or takes a lock that another
/// thread holds for long, so the audio thread can call all methods.
public protocol PCM: AnyObject, Sendable {
  /// The configuration negotiated at opening.
  var configuration: PCMConfiguration { get }

  /// Ends a `wait` from any thread: the current `wait`, or else the next `wait` that would block.
  var waker: WakeUp { get }

  /// The device time since opening: the system's monotonic clock, which pauses while the machine
  /// sleeps, or a virtual card's own clock.
  var elapsed: Duration { get }

  /// Returns the host's time at a device time near `elapsed`.
  ///
  /// For a virtual card with a clock, this is the real time at which the card was made, plus the
  /// card's time.
  func hostTime(at time: Duration) -> ContinuousClock.Instant

  /// Makes the calling thread the device's thread; call it before the first transfer.
  ///
  /// A hardware driver's thread gets real-time priority if the system permits it. The threads of
  /// plug-ins and sound servers do not, because a spinning plug-in would block the machine.
  func adoptThread()

  /// Blocks until `interest` is satisfied, the waker is signaled, or `timeout` of device time
  /// passes.
  ///
  /// It may return `.woken` without a signal. It recovers from xruns and suspends before it returns
  /// `.interrupted`, and throws `deviceLost` if the device is gone.
  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp

  /// Starts the device at once, without waiting for more frames.
  func start() throws(SoundCardError)

  /// Stops at once and discards the buffered frames.
  ///
  /// The next write or `start` restarts the device. Throws `deviceLost` if the device is gone.
  func drop() throws(SoundCardError)

  /// Closes the device; every later call throws `deviceLost`.
  ///
  /// Closing twice has no effect.
  func close()
}

extension PCM {
  /// Leaves the thread's priority unchanged.
  public func adoptThread() {}

  /// Returns the current host time minus the time that has passed since `time`.
  public func hostTime(at time: Duration) -> ContinuousClock.Instant { .now - (elapsed - time) }
}

/// A playback device.
public protocol PlaybackPCM: PCM {
  /// Returns the number of frames between the write position and the loudspeaker, in the device and
  /// its sound server.
  ///
  /// The value is 0 to 16 buffers, even if the device reports nonsense. If the device cannot report
  /// now, the value is the number of buffered frames, or the last value. Throws `deviceLost` if the
  /// device is gone.
  func delay() throws(SoundCardError) -> FrameCount

  /// The time until the device underruns without further frames.
  ///
  /// For a device that accepts frames faster than real time, this is the remaining duration of the
  /// written frames. Throws `deviceLost` if the device is gone.
  var timeUntilUnderrun: Duration { get throws(SoundCardError) }

  /// Writes interleaved samples in the device's format.
  ///
  /// The device may accept only some of the frames, from the first one on.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer
}

/// A capture device.
public protocol CapturePCM: PCM {
  /// Reads the available frames that fit into `samples`, interleaved in the device's format.
  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer
}

/// A call into a device or its driver, which may fail or hang.
public enum PCMCall: UInt8, Hashable, Sendable, CaseIterable {
  /// Opening the device.
  // The values begin at 1, because 0 in a `Heartbeat` means that no call is in progress.
  case open = 1
  /// Waiting for room or frames.
  case wait
  /// Starting the device.
  case start
  /// Writing to a playback device or reading from a capture device.
  case transfer
  /// Reading the delay of a playback device.
  case delay
  /// Stopping the device at once and discarding its buffer.
  case drop
  /// Closing the device.
  case close
}

/// The condition that the audio thread waits for.
public enum PCMInterest: Hashable, Sendable {
  /// Room to write a period, or a period of frames to read.
  case period
  /// No readiness of the device: only the waker, the timeout, or the loss of the device ends the
  /// wait.
  case nothing
}

/// The reason that a `wait` ended.
public enum PCMWakeUp: Hashable, Sendable {
  /// This many frames, at least one, can be written or read without waiting.
  case ready(FrameCount)
  /// The waker was signaled.
  case woken
  /// The timeout passed.
  case timedOut
  /// The device has recovered from an interruption: it runs, or starts once it has enough frames.
  case interrupted(PCMInterruption)
  /// A finite capture device has ended; no frames follow.
  case ended
}

/// The result of a write or a read.
public enum PCMTransfer: Hashable, Sendable {
  /// The number of frames transferred; zero if the device has no room or no frames now.
  case frames(FrameCount)
  /// No frames were transferred; the device has recovered from a failure.
  case interrupted(PCMInterruption)
}

/// A failure that a device has recovered from.
public struct PCMInterruption: Hashable, Sendable {
  /// The cause of an interruption.
  public enum Cause: String, Hashable, Sendable {
    /// The engine was late: an underrun (playback) or overrun (capture).
    case xrun
    /// The machine was suspended.
    case suspended
  }

  /// The cause.
  public var cause: Cause

  /// The frames lost (capture) or the frames of silence played instead (playback).
  ///
  /// It is estimated from elapsed time, including the time that the machine was suspended; zero if
  /// the device reports no estimate.
  public var lost: FrameCount

  /// The written frames that a playback device discarded without playing them, estimated from
  /// elapsed time.
  public var discarded: FrameCount

  /// Creates an interruption.
  public init(cause: Cause, lost: FrameCount, discarded: FrameCount = .zero) {
    self.cause = cause
    self.lost = lost
    self.discarded = discarded
  }
}
