public import AudioCore
import Synchronization

/// A command to a running playback; see the endpoint `control`.
///
/// Negative fades and ramps count as zero. If commands follow each other quickly, only the last
/// command may take effect.
public enum PlaybackCommand: Sendable {
  /// Fades out and holds the position.
  ///
  /// `resume` continues after the last frame of the fade.
  case pause(fade: Duration = .milliseconds(10))
  /// Continues after `pause` and fades in.
  case resume(fade: Duration = .milliseconds(10))
  /// Seeks to a time in an item, or in the current item if `item` is nil; a paused playback stays
  /// paused.
  ///
  /// Times outside the item's range are clamped to it.
  case seek(to: PlaybackTime, item: Int? = nil)
  /// Changes the volume to this value, 0 to 10, over `ramp`.
  case setVolume(Float, ramp: Duration = .milliseconds(20))
  /// Appends items to the list.
  ///
  /// If the list is played only once, its memory stays bounded: enqueued buffers and preloaded
  /// sounds are released when a later item plays, and only the last thousand files that were played
  /// can be played again. Seeking to a released item throws `notSeekable`. If playback reaches a
  /// released item after a seek, it reports `failed` for the item.
  case enqueue([PlaybackItem])
  /// Skips to the next item; after the last item, the playback is completed.
  case skip
  /// Fades out and ends the playback; later commands have no effect.
  ///
  /// The fade is shorter if the sound ends first or its source is late. A paused playback ends at
  /// once.
  case stop(fade: Duration = .milliseconds(10))
}

/// A position in a source, from its beginning.
public enum PlaybackTime: Hashable, Sendable {
  /// A frame at the source's rate.
  case frame(FrameCount)
  /// A time, rounded to the nearest frame.
  case time(Duration)

  /// Returns the frame at `rate`, at least 0.
  package func frame(at rate: SampleRate) -> FrameCount {
    switch self {
    case .frame(let frame): max(.zero, frame)
    case .time(let time): max(.zero, FrameCount(time, at: rate))
    }
  }
}

/// The part of a source to play.
public struct PlaybackRange: Hashable, Sendable {
  /// The first frame to play.
  public var start: PlaybackTime

  /// The frame after the last one to play, or nil for the source's end.
  public var end: PlaybackTime?

  /// Creates a range, by default the whole source.
  public init(start: PlaybackTime = .frame(0), end: PlaybackTime? = nil) {
    self.start = start
    self.end = end
  }
}

/// The ID of a playback, for `control`.
public struct PlaybackID: Hashable, Codable, Sendable {
  private static let last = Atomic<UInt64>(0)
  private let name: String
  /// Whether the caller chose the name.
  private let isChosen: Bool

  /// Creates an ID that is unique in this process.
  public init() {
    let number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    (name, isChosen) = ("playback \(number)", false)
  }

  /// Creates an ID from a name; concurrent playbacks need different names.
  public init(_ name: String) {
    (self.name, isChosen) = (name, true)
  }
}

extension PlaybackID: CustomStringConvertible {
  /// A short description for users.
  public var description: String { isChosen ? "\"\(name)\"" : name }
}

extension PlaybackID: ExpressibleByStringLiteral {
  /// Creates an ID whose name is the literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
