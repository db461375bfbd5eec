/// What a recording that runs can be told.
///
/// It takes effect with the next block of the device; the events say when. Cases are added over
/// time: a `switch` wants a `default`.
public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
  /// Begins now, with the pre-roll, where it waits to begin.
  case start
  /// Leaves out what is heard from now on; the file goes on where it was when it is resumed.
  case pause
  /// Goes on after a pause.
  case resume
  /// Completes the file and goes on in the next one, without losing a frame.
  case roll
  /// Ends it.
  case stop
}
