import AudioCore
import SpeechClient

/// Merges the events of a task's channels, as if one recognizer had reported them.
///
/// Utterances are reported one after the other, in the order of their starts. The events of an
/// utterance wait only while an earlier utterance of another channel is reported, or may still
/// begin.
struct ChannelMerger {
  /// The events of one channel.
  private struct Lane {
    /// The events to report, in order.
    var waiting: [SpeechRecognitionEvent] = []
    /// No later utterance of the channel begins before this time.
    var reached = Duration.zero
    var lag = Duration.zero
    var isOver = false
  }

  private static let progressStep = Duration.seconds(5)

  /// The lanes by channel, counted from 0.
  private var lanes: [Int: Lane] = [:]
  /// The channel whose utterance is being reported; nil between utterances.
  private var speaking: Int?
  /// The newest utterance with a result, by its number in its channel.
  private var newest: (channel: Int, number: Int)?
  /// The number of utterances with results.
  private var count = 0
  private var lag = Duration.zero
  /// The time up to which progress was reported.
  private var reported = Duration.zero

  /// Adds a channel, whose first utterance begins at `start` or later.
  mutating func join(_ channel: Int, from start: Duration = .zero) {
    lanes[channel] = Lane(reached: start)
  }

  /// Adds an event of a channel, and returns the events to report.
  mutating func add(
    _ event: SpeechRecognitionEvent, from channel: Int
  ) -> [SpeechRecognitionEvent] {
    guard var lane = lanes[channel] else { return [] }
    switch event {
    case .progressed(let time): lane.reached = max(lane.reached, time)
    case .lagging(let lag): lane.lag = lag
    // All channels have the same gaps.
    case .dropped(_, .gap) where channel != lanes.keys.min(): break
    case .speechStarted(let time), .speechEnded(let time):
      lane.reached = max(lane.reached, time)
      lane.waiting.append(event)
    default: lane.waiting.append(event)
    }
    lanes[channel] = lane
    return newLag() + release()
  }

  /// Ends a channel, and returns the events to report.
  mutating func end(_ channel: Int) -> [SpeechRecognitionEvent] {
    lanes[channel]?.isOver = true
    lanes[channel]?.lag = .zero
    return newLag() + release()
  }

  /// Returns the longest lag of all channels if it has changed.
  private mutating func newLag() -> [SpeechRecognitionEvent] {
    let longest = lanes.values.map(\.lag).max() ?? .zero
    guard longest != lag else { return [] }
    lag = longest
    return [.lagging(by: longest)]
  }

  private mutating func release() -> [SpeechRecognitionEvent] {
    var events: [SpeechRecognitionEvent] = []
    while let channel = nextChannel(), let event = lanes[channel]?.waiting.removeFirst() {
      events.append(placed(event, of: channel))
    }
    return events + progress()
  }

  /// The channel of the next event to report; nil if an earlier event may still arrive.
  private func nextChannel() -> Int? {
    if let speaking, let lane = lanes[speaking], !(lane.isOver && lane.waiting.isEmpty) {
      return lane.waiting.isEmpty ? nil : speaking
    }
    let heads = lanes.compactMap { channel, lane in
      lane.waiting.first.map { (start: $0.start ?? lane.reached, channel: channel) }
    }
    guard let first = heads.min(by: <) else { return nil }
    let isEarliest = lanes.allSatisfy { channel, lane in
      lane.isOver || !lane.waiting.isEmpty || (lane.reached, channel) > first
    }
    return isEarliest ? first.channel : nil
  }

  /// Returns the event with the channel of its result and the utterance's number in the task.
  private mutating func placed(
    _ event: SpeechRecognitionEvent, of channel: Int
  ) -> SpeechRecognitionEvent {
    switch event {
    case .speechStarted: speaking = channel
    case .speechEnded(let time): (speaking, reported) = (nil, max(reported, time))
    case .result(var result):
      if newest.map({ $0 != (channel, result.utterance) }) ?? true {
        newest = (channel, result.utterance)
        count += 1
      }
      (result.channel, result.utterance) = (channel, count - 1)
      return .result(result)
    default: break
    }
    return event
  }

  /// Returns the progress of the slowest channel if it is due.
  private mutating func progress() -> [SpeechRecognitionEvent] {
    let running = lanes.values.filter { !$0.isOver }
    guard speaking == nil, running.allSatisfy(\.waiting.isEmpty),
      let time = running.map(\.reached).min(), time - reported >= Self.progressStep
    else { return [] }
    reported = time
    return [.progressed(to: time)]
  }
}

extension SpeechRecognitionEvent {
  /// The start of the event's audio; nil if it has none.
  fileprivate var start: Duration? {
    switch self {
    case .speechStarted(let time): time
    case .dropped(let range, _): range.lowerBound
    default: nil
    }
  }
}
