import AudioCore
import AudioPlayerClient

/// A position in a queue: a frame of an item's source, in one of the rounds of the list.
struct ItemPosition: Equatable {
  var item = 0
  var frame: FrameCount = 0
  /// The source's own rate.
  var rate = SampleRate.speech
  /// The length that the source announces.
  var length: Duration?
  /// The round of the list, counted from 0.
  var round = 0
  /// The number of the item's repetition, from 0.
  var repetition = 0
}

/// Maps a voice's frames to frames of the queue's sources, and keeps each event until the voice has
/// been played up to the event's frame.
///
/// Its memory is bounded by the length of the ring: played parts are removed, and repetitions and
/// rounds shorter than 50 ms are merged.
struct VoiceTimeline {
  private struct Segment {
    let start: Int
    let position: ItemPosition
    /// The length of each merged repetition; nil if none was merged.
    var repetitionLength: Int?
    /// The start and number of the last merged round.
    var lastRound: (frame: Int, number: Int)?

    /// The number of the round in which a frame of the voice lies.
    func round(_ frame: Int) -> Int {
      guard let lastRound else { return position.round }
      let rounds = lastRound.number - position.round
      let passed = rounds * (frame - start) / (lastRound.frame - start)
      return position.round + min(max(0, passed), rounds)
    }
  }

  /// The host's time at which the voice's first frame was played, counted back from the playhead.
  var originTime: ContinuousClock.Instant?
  private let rate: SampleRate
  private let speed: Double
  private var segments: [Segment] = []
  /// Whether the last segment was truncated by a flush.
  private var isCut = false
  /// The events by frame; `hasProgress` is true if `cut(at:)` has set the event's progress.
  private var events: [(frame: Int, event: PlaybackEvent, hasProgress: Bool)] = []
  private var isPaused = false

  /// - Parameters:
  ///   - rate: the rate of the voice's frames.
  ///   - speed: the seconds of source audio per second of the voice.
  init(rate: SampleRate, speed: Double = 1) {
    self.rate = rate
    self.speed = speed
  }

  /// Maps the frames from `frame` on to `position`; `frame` decreases only after `cut`.
  mutating func begin(_ position: ItemPosition, at frame: Int, _ event: PlaybackEvent? = nil) {
    if let event, merge(position, at: frame, event) { return }
    isCut = false
    segments.append(Segment(start: frame, position: position))
    if let event { add(event, at: frame) }
  }

  /// Merges a short repetition into the last segment; false if the position is not a short
  /// repetition.
  private mutating func merge(
    _ position: ItemPosition, at frame: Int, _ event: PlaybackEvent
  ) -> Bool {
    guard event.isRepetition, !isCut, let last = segments.last,
      last.position.item == position.item,
      frame - last.start < rate.hertz / 20
    else { return false }
    let index = segments.count - 1
    segments[index].repetitionLength = max(1, last.repetitionLength ?? (frame - last.start))
    if frame > last.start, position.round != last.lastRound?.number ?? last.position.round {
      segments[index].lastRound = (frame, position.round)
    }
    return true
  }

  /// Adds an event at a frame.
  mutating func add(_ event: PlaybackEvent, at frame: Int) {
    let index = events.firstIndex { $0.frame > frame } ?? events.endIndex
    events.insert((frame, event, false), at: index)
  }

  /// Adds a `paused` or `resumed` event at a frame; does nothing if `isPaused` has not changed.
  mutating func settle(isPaused: Bool, at frame: Int) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    add(isPaused ? .paused(.pending) : .resumed(.pending), at: frame)
  }

  /// Removes the audio from `frame` on.
  ///
  /// Events of commands in the removed audio, such as a pause, keep the progress from before the
  /// removal.
  mutating func cut(at frame: Int) {
    keepProgress(from: frame)
    isCut = true
    segments.removeAll { $0.start >= frame }
    events.removeAll { $0.frame >= frame && $0.event.belongsToSamples }
  }

  /// Replaces the audio from `frame` on with audio from `position` on; the events of the replaced
  /// audio move to `frame`.
  mutating func skip(at frame: Int, to position: ItemPosition) {
    keepProgress(from: frame)
    end(at: frame)
    segments.removeAll { $0.start >= frame }
    begin(position, at: frame)
  }

  /// Sets the progress of the events from `frame` on, before the audio there is removed.
  private mutating func keepProgress(from frame: Int) {
    for index in events.indices where events[index].frame >= frame && !events[index].hasProgress {
      events[index].event = events[index].event.at(progress(events[index].frame))
      events[index].hasProgress = true
    }
  }

  /// Maps the frames from `frame` on to `position`, because the frames of a live stream do not last
  /// exactly as long as the voice's.
  ///
  /// Within 10 ms of the last correction, the difference is negligible.
  mutating func correct(_ position: ItemPosition, at frame: Int) {
    guard let last = segments.last, frame - last.start >= rate.hertz / 100 else { return }
    begin(position, at: frame)
  }

  /// Ends the voice at `frame`; events with a later frame, which was only estimated, move to
  /// `frame`.
  mutating func end(at frame: Int) {
    events = events.map { (min($0.frame, frame), $0.event, $0.hasProgress) }
  }

  /// The progress at a frame of the voice.
  func progress(_ frame: Int) -> PlaybackProgress {
    let duration = FrameCount(frame).duration(at: rate)
    let hostTime = originTime.map { $0 + duration }
    guard let segment = segment(at: frame) else {
      return PlaybackProgress(played: duration, hostTime: hostTime)
    }
    var frames = max(0, frame - segment.start)
    if let length = segment.repetitionLength { frames %= length }
    let start = segment.position
    if speed != 1 { frames = Int(clamping: Double(frames) * speed) }
    let position = start.frame + FrameCount(frames).converted(from: rate, to: start.rate)
    return PlaybackProgress(
      played: duration, item: start.item, position: position,
      time: position.duration(at: start.rate), length: start.length, hostTime: hostTime)
  }

  /// The start of the segment that contains `frame`, with the number of the frame's round.
  func position(_ frame: Int) -> ItemPosition {
    guard let segment = segment(at: frame) else { return ItemPosition() }
    var position = segment.position
    position.round = segment.round(frame)
    return position
  }

  private func segment(at frame: Int) -> Segment? {
    segments.last { $0.start <= frame } ?? segments.first
  }

  /// Removes and returns the events up to a frame that has been played, each with its progress.
  mutating func pass(_ frame: Int) -> [PlaybackEvent] {
    let count = events.prefix { $0.frame <= frame }.count
    let passed = events[..<count].map {
      $0.hasProgress ? $0.event : $0.event.at(progress($0.frame))
    }
    events.removeFirst(count)
    forget(before: frame)
    return passed
  }

  /// Removes the mapping of the frames before `frame`, except those of events.
  mutating func forget(before frame: Int) {
    let frame = min(frame, events.first?.frame ?? frame)
    segments.removeFirst(segments.lastIndex { $0.start <= frame } ?? 0)
  }
}

extension PlaybackProgress {
  /// The placeholder for an event's progress until the event is reported.
  static let pending = PlaybackProgress(played: .zero)
}

extension PlaybackEvent {
  /// Returns the event with this progress; an event without progress is unchanged.
  fileprivate func at(_ progress: PlaybackProgress) -> PlaybackEvent {
    switch self {
    case .looped(_, let count): .looped(progress, count: count)
    case .advanced: .advanced(progress)
    case .paused: .paused(progress)
    case .resumed: .resumed(progress)
    case .sought: .sought(progress)
    default: self
    }
  }

  /// Whether the event describes the voice's samples, not a command.
  fileprivate var belongsToSamples: Bool {
    switch self {
    case .paused, .resumed: false
    default: true
    }
  }

  /// Whether the event may announce the same item again; such events are merged if they follow each
  /// other within 50 ms.
  fileprivate var isRepetition: Bool {
    switch self {
    case .looped, .advanced: true
    default: false
    }
  }
}
