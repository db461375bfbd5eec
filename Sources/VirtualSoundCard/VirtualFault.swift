public import AudioCore
public import SoundCard

/// Something that goes wrong with a virtual card: at a frame that a device of it has played or
/// heard, or in a call that an engine makes.
///
/// A script is a list of them. Every opening of the card goes through it from the beginning and
/// counts its own frames; what happens once, or so many times, does so over all openings.
public enum VirtualFault: Hashable, Sendable {
  /// A call that an engine makes.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    /// Opening the card.
    case open
    /// Waiting for room, or for frames.
    case wait
    /// Setting the device going.
    case start
    /// Writing to a playback, reading from a capture.
    case transfer
    /// Asking a playback how much is still to be heard.
    case delay
    /// Stopping at once.
    case drop
    /// Giving the device back.
    case close
  }

  /// The device runs dry (playback) or full (capture), and `lost` frames pass before it goes on.
  ///
  /// It only says so: a playback keeps what it holds, and the silence takes none of the
  /// card's time.
  case xrun(at: FrameCount, lost: FrameCount)
  /// The machine sleeps, and `lost` frames have passed when it wakes; as an xrun otherwise.
  ///
  /// `resuming` is how long the device takes to go on then, by the card's clock: nothing moves, and
  /// the frames of that time are lost as well. A device whose driver cannot resume it (ENOSYS) is
  /// prepared anew, and `isEmptied`: what it held is neither heard nor read any more.
  case suspended(
    at: FrameCount, lost: FrameCount, resuming: Duration = .zero, isEmptied: Bool = false)
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
  /// A call throws this error, from this frame on and so many times; without a number always.
  ///
  /// An opening knows no frames, and `drop` and `close` cannot throw. After `deviceLost` every call
  /// of that device throws it; the card can be opened again.
  case failing(in: Call, with: SoundCardError, at: FrameCount = 0, times: Int? = nil)
  /// The first such call from this frame on does not return for this time by the card's clock, as
  /// with a sound server that is stopped; without a time not before
  /// `VirtualSoundCard.releaseBlockedCalls()`, or before the device is closed.
  ///
  /// That happens once. An opening is given up with `notAnswering` after five seconds.
  case blocked(in: Call, at: FrameCount = 0, for: Duration? = nil)
  /// A write or a read moves at most so many frames.
  case shortTransfers(atMost: FrameCount)
  /// Every so-many-th write or read moves nothing, although the device said that it was ready
  /// (EAGAIN).
  case refusedTransfers(every: Int)
  /// A playback claims this delay from this frame on: none, a negative one, or an absurd one.
  ///
  /// A device that keeps to the protocol claims 0…16 buffers. With nil it cannot tell any more
  /// (EIO) and is taken at its last word.
  case claimedDelay(FrameCount?, at: FrameCount = 0)
}

extension VirtualFault {
  /// Another program has the card for itself, the first so many times that it is opened; without a
  /// number always.
  public static func busy(holder: DeviceHolder? = nil, times: Int? = nil) -> VirtualFault {
    .failing(in: .open, with: .busy(VirtualSoundCard.device.id, holder: holder), times: times)
  }

  /// The sound server hangs up (POLLHUP) at this frame, once: whoever waits is told that the device
  /// is lost, and the card can be opened again at once.
  public static func hungUp(at frame: FrameCount) -> VirtualFault {
    .failing(in: .wait, with: .deviceLost(VirtualSoundCard.device.id), at: frame, times: 1)
  }
}

/// The faults of a card, and how often each is still to happen; without threads or time.
struct VirtualScript: Sendable {
  /// A fault, by the place that it has in the script.
  struct Entry: Sendable {
    let number: Int
    let fault: VirtualFault
    /// How often it is still to happen, nil for always.
    var left: Int?

    /// The frame at which it happens by itself, nil where it happens in calls.
    fileprivate var moment: FrameCount? {
      switch fault {
      case .xrun(let frame, _), .suspended(let frame, _, _, _), .stalled(let frame),
        .unplugged(let frame, _):
        frame
      case .neverReady, .failing, .blocked, .shortTransfers, .refusedTransfers, .claimedDelay: nil
      }
    }
  }

  private var entries: [Entry]

  init(_ faults: [VirtualFault]) {
    entries = faults.enumerated().map { number, fault in
      Entry(number: number, fault: fault, left: Self.count(of: fault))
    }
  }

  /// Notes that a fault has happened.
  mutating func happened(_ entry: Entry) {
    guard let index = entries.firstIndex(where: { $0.number == entry.number }),
      let left = entries[index].left
    else { return }
    if left > 1 { entries[index].left = left - 1 } else { entries.remove(at: index) }
  }

  /// What happens by itself, in the order of the frames.
  var timeline: [(frame: FrameCount, entry: Entry)] {
    entries.compactMap { entry in entry.moment.map { ($0, entry) } }.sorted { $0.frame < $1.frame }
  }

  /// The failure of a call that is made at this frame.
  func failure(
    in call: VirtualFault.Call, at position: FrameCount
  ) -> (entry: Entry, error: SoundCardError)? {
    for entry in entries {
      if case .failing(call, let error, let frame, _) = entry.fault, frame <= position {
        return (entry, error)
      }
    }
    return nil
  }

  /// How long a call that is made at this frame does not return; without a time for ever.
  func block(
    in call: VirtualFault.Call, at position: FrameCount
  ) -> (entry: Entry, time: Duration?)? {
    for entry in entries {
      if case .blocked(call, let frame, let time) = entry.fault, frame <= position {
        return (entry, time)
      }
    }
    return nil
  }

  var isNeverReady: Bool { entries.contains { $0.fault == .neverReady } }

  /// The most frames that a transfer moves.
  var mostFrames: FrameCount {
    let limits = entries.compactMap { entry in
      if case .shortTransfers(let most) = entry.fault { most } else { nil }
    }
    return limits.min() ?? FrameCount(.max)
  }

  /// Whether the so-many-th transfer is refused.
  func refuses(transfer number: Int) -> Bool {
    entries.contains {
      if case .refusedTransfers(let every) = $0.fault {
        every > 0 && number.isMultiple(of: every)
      } else {
        false
      }
    }
  }

  /// The delay that is claimed at this frame; nil where it is the true one.
  func delayClaim(at position: FrameCount) -> (claim: FrameCount?, frame: FrameCount)? {
    var latest: (claim: FrameCount?, frame: FrameCount)?
    for entry in entries {
      guard case .claimedDelay(let claim, let frame) = entry.fault, frame <= position,
        latest.map({ $0.frame <= frame }) ?? true
      else { continue }
      latest = (claim, frame)
    }
    return latest
  }

  private static func count(of fault: VirtualFault) -> Int? {
    switch fault {
    case .failing(_, _, _, let times): times
    case .unplugged(_, .some), .blocked: 1
    default: nil
    }
  }
}
