public import AudioCore

/// What a playback is told while it goes on; see the endpoint `control`.
///
/// Fades and ramps below zero are none. Of commands that follow each other quickly the last counts.
public enum PlaybackCommand: Sendable {
  /// Fades out and stays silent where it is.
  ///
  /// The frames of the fade have been heard then: `resume` begins at the next one.
  case pause(fade: Duration = .milliseconds(10))
  /// Goes on from where `pause` left it, fading in.
  case resume(fade: Duration = .milliseconds(10))
  /// Goes to a frame of an item, without an item of the one that is heard; what is paused stays so.
  ///
  /// What lies before the item's range is its start, and what lies behind it its end.
  case seek(to: PlaybackTime, item: Int? = nil)
  /// Moves to another volume, 0…1, in the time of `ramp`.
  case setVolume(Float, ramp: Duration = .milliseconds(20))
  /// Appends items to those that are played.
  ///
  /// It can go on for days: where the list is played once, appended buffers and preloaded sounds
  /// are let go of when an item after them is heard, and of the files before it the last thousand
  /// can be gone back to. To go to what is let go of throws `notSeekable`, and where a playback
  /// that went back comes to it, it is told as `failed`, as a stream is that has been heard.
  case enqueue([PlaybackItem])
  /// Goes to the item after the one that is heard; after the last one the playback is completed.
  case skip
  /// Fades out and ends; nothing else is done for the playback any more.
  ///
  /// The fade is shorter where the sound ends before it does, or its source is late; what is paused
  /// ends at once.
  case stop(fade: Duration = .milliseconds(10))
}

/// A place in a source, counted from its beginning.
public enum PlaybackTime: Hashable, Sendable {
  /// A frame, in the source's own rate.
  case frame(FrameCount)
  /// A time, which is rounded to the nearest frame.
  case time(Duration)

  /// The frame that it is in a source of this rate; none lies before the first.
  package func frame(at rate: SampleRate) -> FrameCount {
    switch self {
    case .frame(let frame): max(.zero, frame)
    case .time(let time): max(.zero, FrameCount(time, at: rate))
    }
  }
}

/// The part of a source that is played.
public struct PlaybackRange: Hashable, Sendable {
  /// The first frame that is played.
  public var start: PlaybackTime

  /// The first frame that is not played any more, nil for the source's end.
  public var end: PlaybackTime?

  /// A range; without arguments it is the whole source.
  public init(start: PlaybackTime = .frame(0), end: PlaybackTime? = nil) {
    self.start = start
    self.end = end
  }
}
