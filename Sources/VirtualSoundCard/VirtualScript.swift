import AudioCore
import SoundCard

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
