public import AudioCore

/// Something that goes wrong with a virtual device, at a frame that it has played or heard.
public enum VirtualFault: Hashable, Sendable {
  /// The device runs dry (playback) or full (capture), and `lost` frames pass before it goes on.
  ///
  /// It only says so: a playback keeps what it holds, and the silence takes none of the card's time.
  case xrun(at: FrameCount, lost: FrameCount)
  /// The machine sleeps, and `lost` frames have passed when it wakes; as an xrun otherwise.
  case suspended(at: FrameCount, lost: FrameCount)
  /// Nothing moves any more, and nothing is said of it: the device's time passes in vain.
  case stalled(at: FrameCount)
  /// The device is unplugged, and the card cannot be opened for this time by its clock.
  ///
  /// That happens once; the frames of the next opening are counted from its own beginning. Without
  /// a time, or without a clock, the card can be opened again at once, and without a time every
  /// opening is unplugged at this frame.
  case unplugged(at: FrameCount, for: Duration? = nil)
  /// The device opens and starts, but never takes or gives a frame, and nothing is said of it.
  case neverReady

  var frame: FrameCount {
    switch self {
    case .xrun(let frame, _), .suspended(let frame, _), .stalled(let frame),
      .unplugged(let frame, _):
      frame
    case .neverReady: 0
    }
  }
}
