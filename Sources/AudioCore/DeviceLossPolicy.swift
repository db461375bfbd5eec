/// What becomes of sound that is under way when its device is lost: unplugged, or its sound server
/// ended or does not answer any more.
///
/// Cases are added over time: a `switch` wants a `default`.
public enum DeviceLossPolicy: Hashable, Sendable {
  /// It ends with an error, within a second.
  case fail
  /// It goes on when the device is back within this time, counted from when the loss was noticed;
  /// otherwise it ends with the same error.
  ///
  /// The device is tried when the system says that devices have come or gone, and after 1, 2, 4 and
  /// then every 5 seconds; one that is busy is not back yet. One that does not answer is opened anew
  /// in the same way, also while a call of the first opening does not return.
  case wait(atMost: Duration)
}
