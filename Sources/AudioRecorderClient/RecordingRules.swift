public import AudioCore
public import FoundationEssentials

/// When a recording begins.
public enum RecordingStartRule: Hashable, Sendable {
  /// With the first frame.
  case immediately
  /// When it is loud for as long as the rule says; with the first loud frame, and the pre-roll
  /// before it. The rule holds for up to 10 minutes, which are kept in memory.
  case atSound(LevelRule)
  /// With the command `start`.
  case onCommand
}

/// What becomes of audio that was lost.
public enum RecordingGapRule: String, Hashable, Sendable, CaseIterable {
  /// Silence of its length takes its place: the time-line stays right.
  case silence
  /// What was heard before and after it are joined.
  case omit
  /// The recording ends before it.
  case stop
}

/// When a recording goes on in another file.
///
/// After `take.wav` come `take-001.wav`, `take-002.wav` and so on. Where there is a limit, a
/// name with `%d` or, with leading zeros, `%03d` in it has the number there, from 1 on for
/// the first file.
public struct RecordingRolling: Hashable, Sendable {
  /// The length of each file, counted in frames, at least 0.1 seconds; nil for no limit.
  public var length: Duration?

  /// The size of each file in bytes, at least 10,000; nil for no limit.
  ///
  /// A file of linear PCM exceeds it by the byte at most that makes its samples an even number of
  /// bytes; others do by no more than their encoder holds back.
  public var byteCount: Int?

  /// A rule; without a limit the files change by the command `roll` alone.
  public init(length: Duration? = nil, byteCount: Int? = nil) {
    self.length = length
    self.byteCount = byteCount
  }
}

/// A recording has gone on in another file.
public struct RecordingRolled: Hashable, Sendable {
  /// The file that is complete and on the disk.
  public var finished: URL

  /// The frames in it.
  public var frameCount: FrameCount

  /// The file that is written now.
  public var next: URL

  /// Describes a change of files.
  public init(finished: URL, frameCount: FrameCount, next: URL) {
    self.finished = finished
    self.frameCount = frameCount
    self.next = next
  }
}
