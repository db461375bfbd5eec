import AudioCore

/// What a preview plays: where it is in which item, without time or sound.
struct PreviewQueue {
  /// What is to be done next.
  enum Step: Equatable {
    case sleep(Duration)
    /// A buffer of the item's stream, for as long as it lasts.
    case pull
    case looped(count: Int)
    case advanced
    case failed(AudioPlayerError)
  }

  private(set) var items: [PlaybackItem]
  private let cycle: PlaybackRepetition
  /// How many rounds have begun after the first.
  private var rounds = 0
  private var hasGiven = false
  private(set) var index = -1
  private var length: PreviewLength?
  private var start = Duration.zero
  private var end: Duration?
  private var position = Duration.zero
  /// How far the sleep goes that was asked for last, where it is still of use.
  private var step = Duration.zero
  private var repetitions = 0
  private(set) var failure: AudioPlayerError?

  init(_ items: [PlaybackItem], _ cycle: PlaybackRepetition = .times(1)) {
    self.items = items
    self.cycle = cycle
  }

  /// The state as an event tells it.
  func progress(_ heard: Duration) -> PlaybackProgress {
    PlaybackProgress(
      heard: heard, item: max(0, index), position: FrameCount(position, at: length?.rate ?? 48_000),
      time: position, length: length?.duration)
  }

  /// What comes next, nil at the end; an item that gives nothing is not repeated.
  mutating func next() -> Step? {
    guard length != nil else { return advance() }
    guard let end else { return .pull }
    if position < end {
      step = min(end - position, .milliseconds(200))
      return .sleep(step)
    }
    if repeats, end > start {
      repetitions += 1
      position = start
      return .looped(count: repetitions)
    }
    return advance()
  }

  /// The sleep that was asked for is over.
  mutating func slept() {
    position += step
    hasGiven = hasGiven || step > .zero
    step = .zero
  }

  /// A buffer of the stream has been played; nil is the stream's end.
  mutating func pulled(_ duration: Duration?) {
    if let duration { position += duration } else { end = position }
  }

  mutating func append(_ items: [PlaybackItem]) {
    self.items += items
  }

  /// Goes to the next item, or to the end of all.
  mutating func skip() {
    (length, end, step) = (nil, nil, .zero)
  }

  /// Goes to a time of an item, within its range.
  mutating func seek(to time: PlaybackTime, item: Int?) throws(AudioPlayerError) {
    let target = item ?? index
    guard items.indices.contains(target) else { return (index, length) = (items.count - 1, nil) }
    if target != index || length == nil { try open(target) }
    guard let length, let end else { throw .notSeekable(nil) }
    step = .zero
    position = min(max(start, time.frame(at: length.rate).duration(at: length.rate)), end)
  }

  private var repeats: Bool {
    items[index].repetition.goes(on: repetitions)
  }

  private mutating func advance() -> Step? {
    guard index + 1 < items.count || beginRound() else { return nil }
    do throws(AudioPlayerError) {
      try open(index + 1)
      return .advanced
    } catch {
      failure = failure ?? error
      return .failed(error)
    }
  }

  /// A round that gave nothing is the last.
  private mutating func beginRound() -> Bool {
    guard hasGiven, cycle.goes(on: rounds) else { return false }
    (index, rounds, hasGiven) = (-1, rounds + 1, false)
    return true
  }

  private mutating func open(_ target: Int) throws(AudioPlayerError) {
    (index, length, end, step, repetitions) = (target, nil, nil, .zero, 0)
    let item = items[target]
    let length = try PreviewLength(of: item.source)
    let range = item.range
    start = range.start.frame(at: length.rate).duration(at: length.rate)
    end = length.duration.map { duration in
      min(
        duration, range.end.map { $0.frame(at: length.rate).duration(at: length.rate) } ?? duration)
    }
    position = start
    self.length = length
  }
}

extension PlaybackRepetition {
  /// Whether another repetition follows after so many.
  fileprivate func goes(on begun: Int) -> Bool {
    switch self {
    case .times(let count): begun + 1 < count
    case .forever: true
    }
  }
}
