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
  /// The device is unplugged.
  case unplugged(at: FrameCount)

  var frame: FrameCount {
    switch self {
    case .xrun(let frame, _), .suspended(let frame, _), .stalled(let frame), .unplugged(let frame):
      frame
    }
  }
}
