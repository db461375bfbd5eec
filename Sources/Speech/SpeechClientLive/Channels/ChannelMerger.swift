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
    /// The newest reported utterance: its number in the channel, and its number in the task.
    var number: (own: Int, merged: Int)?
    var lag = Duration.zero
    var isOver = false

    mutating func append(_ event: SpeechRecognitionEvent) {
      if let last = waiting.last, event.supersedes(last) { waiting.removeLast() }
      waiting.append(event)
    }
  }

  private static let progressStep = Duration.seconds(5)

  /// The number of channels of the audio; results of mono audio have no channel.
  var channelCount = 1
  /// The time that an utterance waits for another channel that reports nothing; nil for any time.
  private let longestWait: Duration?
  /// The lanes by channel, counted from 0.
  private var lanes: [Int: Lane] = [:]
  /// The channel whose utterance is being reported; nil between utterances.
  private var speaking: Int?
  /// The number of utterances with results.
  private var count = 0
  private var lag = Duration.zero
  /// The time up to which progress was reported.
  private var reported = Duration.zero

  /// Creates a merger without channels.
  ///
  /// - Parameter longestWait: the time that an utterance waits for another channel that reports
  ///   nothing; its events are then reported out of order. Nil for a source that waits until all
  ///   channels are recognized.
  init(longestWait: Duration? = nil) {
    self.longestWait = longestWait
  }

  /// Adds a channel, whose first utterance begins at `start` or later.
  mutating func join(_ channel: Int, from start: Duration = .zero) {
    lanes[channel] = Lane(reached: start)
  }

  /// Adds an event of a channel, and returns the events to report.
  mutating func add(
    _ event: SpeechRecognitionEvent, from channel: Int
  ) -> [SpeechRecognitionEvent] {
    switch event {
    case .progressed: break
    case .lagging(let lag): lanes[channel]?.lag = lag
    // All channels have the same gaps.
    case .dropped(_, .gap) where channel > 0: break
    default: lanes[channel]?.append(event)
    }
    if let time = event.reached, let lane = lanes[channel] {
      lanes[channel]?.reached = max(lane.reached, time)
    }
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
    let open = speaking.flatMap { lanes[$0] }
    if let open, !open.waiting.isEmpty { return speaking }
    let heads = lanes.compactMap { channel, lane in
      lane.waiting.first.map { (start: $0.start ?? lane.reached, channel: channel) }
    }
    guard let first = heads.min(by: <) else { return nil }
    let isEarliest = lanes.allSatisfy { channel, lane in
      lane.isOver || !lane.waiting.isEmpty || (lane.reached, channel) > first
    }
    if isEarliest && open?.isOver ?? true { return first.channel }
    return isOverdue(first) ? first.channel : nil
  }

  /// Whether an utterance no longer waits for the other channels.
  private func isOverdue(_ head: (start: Duration, channel: Int)) -> Bool {
    guard let longestWait, let lane = lanes[head.channel] else { return false }
    return lane.reached - head.start > longestWait
  }

  /// Returns the event with the channel of its result and the utterance's number in the task.
  private mutating func placed(
    _ event: SpeechRecognitionEvent, of channel: Int
  ) -> SpeechRecognitionEvent {
    switch event {
    case .speechStarted: speaking = channel
    case .speechEnded(let time): (speaking, reported) = (nil, max(reported, time))
    case .result(var result):
      result.utterance = number(of: result, channel)
      if channelCount > 1 { (result.channel, result.channelCount) = (channel, channelCount) }
      return .result(result)
    default: break
    }
    return event
  }

  /// Returns the number of a result's utterance in the task.
  private mutating func number(of result: SpeechRecognitionResult, _ channel: Int) -> Int {
    if let known = lanes[channel]?.number, known.own == result.utterance { return known.merged }
    defer { count += 1 }
    lanes[channel]?.number = (result.utterance, count)
    return count
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

  /// The time before which no later utterance of the channel begins; nil if the event reports none.
  fileprivate var reached: Duration? {
    switch self {
    case .speechStarted(let time), .speechEnded(let time), .progressed(let time): time
    default: nil
    }
  }
}
