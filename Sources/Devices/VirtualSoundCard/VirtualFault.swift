public import AudioCore
public import SoundCard

/// A scripted fault of a virtual card, at a frame position or in a `PCMCall`.
///
/// A script is a list of faults. Each time the card is opened, the script starts over, and frames
/// are counted from 0. A limit on how often a fault happens applies to all openings together.
public enum VirtualFault: Hashable, Sendable {
  /// The device underruns (playback) or overruns (capture) and loses `lost` frames.
  ///
  /// A playback device only reports the loss: its buffer keeps its frames, and the card's time does
  /// not advance by the lost frames.
  case xrun(at: FrameCount, lost: FrameCount)
  /// The machine is suspended and loses `lost` frames.
  ///
  /// `resuming` is the card time until the device continues; the frames of that time are also lost.
  /// With `isEmptied`, the driver cannot resume (ENOSYS), and the buffered frames are also lost.
  case suspended(
    at: FrameCount, lost: FrameCount, resuming: Duration = .zero, isEmptied: Bool = false)
  /// The device stops moving frames without an error.
  case stalled(at: FrameCount)
  /// The device is unplugged once, at this frame, and cannot be opened until this much card time
  /// has passed.
  ///
  /// The next opening counts frames from 0. With the pace `untimed`, the device can be opened again
  /// at once. Without a duration, the device is unplugged at this frame after every opening, and
  /// can be opened again at once.
  case unplugged(at: FrameCount, for: Duration? = nil)
  /// The device opens and starts but never moves a frame.
  case neverReady
  /// The call throws this error from this frame on, `times` times, or always if `times` is nil.
  ///
  /// For `open`, the frame is ignored; `drop` and `close` cannot throw. After `deviceLost` every
  /// call on the device throws it; the card can be opened again.
  case failing(in: PCMCall, with: SoundCardError, at: FrameCount = 0, times: Int? = nil)
  /// The first call of this kind at or after this frame blocks for this much card time, as with a
  /// stopped sound server.
  ///
  /// Without a duration, it blocks until `VirtualSoundCard.releaseBlockedCalls()` or until the
  /// device is closed. The fault happens once. A blocked opening throws `notResponding` after five
  /// seconds.
  case blocked(in: PCMCall, at: FrameCount = 0, for: Duration? = nil)
  /// A write or read moves at most this many frames.
  case shortTransfers(atMost: FrameCount)
  /// Every nth write or read moves nothing, although the device was ready (EAGAIN).
  case refusedTransfers(every: Int)
  /// A playback device reports this delay from this frame on; it may be zero, negative, or absurd.
  ///
  /// Real devices should report 0 to 16 buffers. With nil, the device fails to read its delay (EIO)
  /// and reports the last value.
  case claimedDelay(FrameCount?, at: FrameCount = 0)
}

extension VirtualFault {
  /// Another program uses the card exclusively for the first `times` openings, or always if `times`
  /// is nil.
  public static func busy(holder: DeviceHolder? = nil, times: Int? = nil) -> VirtualFault {
    .failing(in: .open, with: .busy(VirtualSoundCard.device.id, holder: holder), times: times)
  }

  /// The sound server disconnects (POLLHUP) once at this frame: waits throw `deviceLost`, and the
  /// card can be opened again.
  public static func hungUp(at frame: FrameCount) -> VirtualFault {
    .failing(in: .wait, with: .deviceLost(VirtualSoundCard.device.id), at: frame, times: 1)
  }
}

/// The state of a card's script: its faults, and how often each can still happen.
///
/// A fault is identified by its index.
struct VirtualScript: Sendable {
  let faults: [VirtualFault]
  /// How often each fault can still happen; nil for an unlimited number.
  private var left: [Int?]

  init(_ faults: [VirtualFault]) {
    self.faults = faults
    left = faults.map(\.count)
  }

  /// Records that a fault happened.
  mutating func happened(_ fault: Int) {
    if let count = left[fault], count > 0 { left[fault] = count - 1 }
  }

  private var remaining: some Sequence<Int> {
    faults.indices.lazy.filter { left[$0].map { $0 > 0 } ?? true }
  }

  /// The faults that happen at a certain frame, in the order of their frames.
  var timeline: [(frame: FrameCount, fault: Int)] {
    remaining.compactMap { fault in faults[fault].moment.map { ($0, fault) } }
      .sorted { $0.frame < $1.frame }
  }

  /// Returns the scripted failure of a call at this frame; nil if there is none.
  func failure(
    in call: PCMCall, at position: FrameCount
  ) -> (fault: Int, error: SoundCardError)? {
    for fault in remaining {
      if case .failing(call, let error, let frame, _) = faults[fault], frame <= position {
        return (fault, error)
      }
    }
    return nil
  }

  /// The duration of a blocked call that returns only when it is released.
  static let forever = Duration.seconds(Int64.max)

  /// Returns the fault that blocks a call at this frame, and how long the call blocks.
  func block(
    in call: PCMCall, at position: FrameCount
  ) -> (fault: Int, time: Duration)? {
    for fault in remaining {
      if case .blocked(call, let frame, let time) = faults[fault], frame <= position {
        return (fault, time ?? Self.forever)
      }
    }
    return nil
  }

  var isNeverReady: Bool { faults.contains(.neverReady) }

  /// The maximum number of frames of a transfer.
  var mostFrames: FrameCount {
    let limits = faults.compactMap { fault in
      if case .shortTransfers(let most) = fault { most } else { nil }
    }
    return limits.min() ?? FrameCount(.max)
  }

  /// Whether the nth transfer is refused.
  func refuses(transfer number: Int) -> Bool {
    faults.contains {
      if case .refusedTransfers(let every) = $0 {
        every > 0 && number.isMultiple(of: every)
      } else {
        false
      }
    }
  }

  /// Returns the scripted delay that the device reports at this frame, and the frame from which it
  /// applies; nil if the device reports its real delay.
  func delayClaim(at position: FrameCount) -> (claim: FrameCount?, frame: FrameCount)? {
    var latest: (claim: FrameCount?, frame: FrameCount)?
    for fault in faults {
      guard case .claimedDelay(let claim, let frame) = fault, frame <= position,
        latest.map({ $0.frame <= frame }) ?? true
      else { continue }
      latest = (claim, frame)
    }
    return latest
  }
}

extension VirtualFault {
  /// The frame at which the fault happens; nil for a fault that appears only in calls into the
  /// device.
  fileprivate var moment: FrameCount? {
    switch self {
    case .xrun(let frame, _), .suspended(let frame, _, _, _), .stalled(let frame),
      .unplugged(let frame, _):
      frame
    case .neverReady, .failing, .blocked, .shortTransfers, .refusedTransfers, .claimedDelay: nil
    }
  }

  /// The number of times that the fault happens; nil for always.
  fileprivate var count: Int? {
    switch self {
    case .failing(_, _, _, let times): times
    case .unplugged(_, .some), .blocked: 1
    default: nil
    }
  }
}
