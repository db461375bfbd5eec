/// What sets the speed of a virtual sound card.
public enum VirtualPace: Sendable {
  /// A clock that goes on whatever the engine does: an engine that is late gets an xrun, as on
  /// hardware.
  ///
  /// Its ticks are a period or 10 ms apart, whichever is shorter, and a time-out is noticed at one.
  case clock(any Clock<Duration>)
  /// A clock, but the card never runs ahead of an engine that is about to serve it: with a test's
  /// clock every run is the same, however slow the machine.
  ///
  /// What an engine is late by the card makes up for at once, as fast as the engine goes; where it
  /// is more than `slack`, it slips instead and goes on at its pace. Nil, for a test's clock, is no
  /// limit.
  case lockstep(any Clock<Duration>, slack: Duration? = nil)
  /// As fast as the engine goes; the card's time is that of the frames that went through it.
  case untimed

  /// Real time.
  public static let realTime = VirtualPace.clock(ContinuousClock())
}
