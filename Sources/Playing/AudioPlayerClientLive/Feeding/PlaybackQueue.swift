import AudioCore
import AudioPlayerClient

/// Reads the items of a playback in order, for as many rounds as requested; used only by the
/// feeder.
///
/// An item that fails is reported, and the next item follows.
final class PlaybackQueue {
  enum Step {
    /// The following audio begins at this position; the event, if any, is reported there.
    case begins(ItemPosition, PlaybackEvent?)
    case audio(AudioBuffer)
    /// An event to be reported when the audio before it has been played.
    case event(PlaybackEvent)
  }

  private var items: QueueItems
  private let cycle: PlaybackRepetition
  private let mailbox: FeederMailbox
  private let makeSource: SourceMaker
  private var reader: ItemReader?
  /// The number of the current round, from 0; `roundHasAudio` is true once the round has returned
  /// audio.
  private var round = 0
  private var roundHasAudio = false
  /// The item to be opened next.
  private var upcoming = 0
  private var steps: [Step] = []
  /// Whether the first item has been opened.
  private var hasBegun = false
  /// The streams whose first buffer has not arrived.
  private var waitingStreams: [Int: (item: PlaybackItem, source: any FeederSource)] = [:]
  /// The open streams that a seek can return to.
  private var openStreams: [Int: ItemReader] = [:]

  /// The error of the first item that failed.
  private(set) var failure: AudioPlayerError?

  init(
    _ items: [PlaybackItem], _ cycle: PlaybackRepetition, _ mailbox: FeederMailbox,
    _ makeSource: @escaping SourceMaker
  ) {
    self.items = QueueItems(items)
    self.mailbox = mailbox
    self.makeSource = makeSource
    self.cycle = cycle
  }

  /// The position to be read next.
  var current: ItemPosition {
    var position = reader?.itemPosition ?? ItemPosition(item: upcoming)
    position.round = round
    return position
  }

  /// Whether the current item is a stream or another source that can be read only once.
  var isReadingStream: Bool { reader.map { openStreams[$0.index] === $0 } ?? false }

  /// Whether every item has been read.
  var isAtEnd: Bool { reader == nil && upcoming >= items.count }

  /// The failures before the first audio.
  var failures: [PlaybackEvent] {
    steps.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  /// Throws `streamCannotRepeat` if the request repeats a source that can be read only once.
  func check() throws(AudioPlayerError) {
    for index in 0..<items.count { try check([items[index]]) }
  }

  /// Opens the first item that can be opened.
  ///
  /// Throws if no item can be opened, and `FeederInterruption` if a request arrives during the
  /// wait.
  nonisolated(nonsending) func open() async throws -> VoiceFeeder.FirstItem {
    try await openNext()
    guard let reader else { throw failure ?? AudioPlayerError.emptySource(nil) }
    hasBegun = true
    if !isSeekPending { steps.append(.begins(current, nil)) }
    return (reader.index, reader.description)
  }

  /// Returns the next step, or nil after the last item.
  nonisolated(nonsending) func next() async throws -> Step? {
    while true {
      if !steps.isEmpty { return steps.removeFirst() }
      guard let reader else {
        guard upcoming < items.count || beginRound() else { return nil }
        try await openNext()
        if self.reader != nil { steps.append(.begins(current, .advanced(.pending))) }
        continue
      }
      do {
        try await read(reader)
      } catch {
        try fail(reader.index, error)
      }
    }
  }

  /// Performs a command while `position` is being played; returns the new position after a seek or
  /// a skip, otherwise nil.
  nonisolated(nonsending) func perform(
    _ command: PlaybackCommand, at position: ItemPosition
  ) async throws -> ItemPosition? {
    switch command {
    case .enqueue(let items):
      try check(items)
      self.items.append(items)
      return nil
    case .seek(let time, let item):
      // After the last item has been played, `position` is past the list; a seek without an item
      // then means the last item.
      var target = position
      target.item = item ?? min(position.item, items.count - 1)
      if target.item != position.item { target.repetition = 0 }
      return try await seek(to: time, target)
    case .skip: return skip(to: ItemPosition(item: position.item + 1, round: position.round))
    case .pause, .resume, .setVolume, .stop:
      // These commands take effect through the voice's parameters.
      return nil
    }
  }

  /// Whether played audio can be released; a repeated list keeps everything.
  var releasesPlayedAudio: Bool {
    !openStreams.isEmpty || !isRepeated && items.canRelease(before: current.item)
  }

  /// Records that all audio before a frame of an item has been played.
  func forget(before frame: FrameCount, of item: Int) {
    openStreams[item]?.forget(before: frame)
    releaseStreams(before: item)
    items.release(before: item)
  }

  /// Reports the current item as failed, because its last buffer cannot be converted.
  func fail(_ error: any Error) throws {
    if let reader { try fail(reader.index, error) }
  }

  private func check(_ items: [PlaybackItem]) throws(AudioPlayerError) {
    for item in items where item.repetition != .times(1) || isRepeated {
      if item.source.canBeReadOnlyOnce { throw .streamCannotRepeat }
    }
  }

  /// Whether no audio has been returned since a seek.
  private var isSeekPending: Bool {
    if case .begins = steps.last { true } else { false }
  }

  /// Seeks to a time of an item; throws and stays in place if the position cannot be reached.
  ///
  /// A negative item index means the start of the first item. An index after the last item means
  /// the start of the next round, or the end.
  nonisolated(nonsending) private func seek(
    to time: PlaybackTime, _ target: ItemPosition
  ) async throws -> ItemPosition {
    guard target.item < items.count else { return skip(to: target) }
    let (time, item) = target.item < 0 ? (.frame(0), 0) : (time, target.item)
    let reader =
      if let reader, reader.index == item { reader } else { try await openForSeek(item) }
    try await reader.seek(to: time, in: target.repetition)
    (round, roundHasAudio) = (target.round, true)
    releaseStreams(before: reader.index)
    self.reader = reader
    upcoming = reader.index + 1
    steps = initialFailures + [.begins(current, .sought(.pending))]
    return current
  }

  /// Moves to the start of an item; after the last item, moves to the next round or the end.
  private func skip(to target: ItemPosition) -> ItemPosition {
    let item = min(target.item, items.count)
    releaseStreams(before: item)
    (reader, upcoming, steps) = (nil, item, initialFailures)
    (round, roundHasAudio) = (target.round, true)
    if upcoming == items.count { _ = beginRound() }
    return current
  }

  /// Opens the item of a seek; throws `notSeekable` if another request arrives before the item's
  /// stream begins.
  nonisolated(nonsending) private func openForSeek(_ item: Int) async throws -> ItemReader {
    do { return try await openItem(item) } catch is FeederInterruption {
      throw AudioPlayerError.notSeekable(waitingStreams[item]?.source.url)
    }
  }

  /// Begins the next round; false if there is none.
  ///
  /// A round without audio is the last.
  private func beginRound() -> Bool {
    guard roundHasAudio, cycle.continues(after: round) else { return false }
    (round, roundHasAudio, upcoming) = (round + 1, false, 0)
    return true
  }

  private var isRepeated: Bool { cycle != .times(1) }

  /// Releases the played streams of the items before `item`.
  private func releaseStreams(before item: Int) {
    openStreams = openStreams.filter { index, reader in index >= item || !reader.hasBeenPlayed }
  }

  /// The failures before the first audio, which are reported even after a seek or skip.
  private var initialFailures: [Step] { hasBegun ? [] : failures.map { .event($0) } }

  /// Adds the next steps of the item that is being read.
  nonisolated(nonsending) private func read(_ reader: ItemReader) async throws {
    if var buffer = try await reader.next() {
      roundHasAudio = true
      let count = buffer.silencedSamples()
      if let title = reader.newTitle() {
        steps.append(.event(.title(item: reader.index, title)))
      }
      steps.append(.audio(buffer))
      if count > 0 { steps.append(.event(.nonFinite(sampleCount: count))) }
    } else if try await reader.beginRepetition() {
      steps.append(.begins(current, .looped(.pending, count: reader.repetition)))
    } else {
      if reader.isEmpty { throw reader.emptyError }
      if let (announced, decoded) = reader.shortfall {
        steps.append(
          .event(.shortfall(item: reader.index, announced: announced, decoded: decoded)))
      }
      self.reader = nil
    }
  }

  nonisolated(nonsending) private func openNext() async throws {
    while reader == nil, upcoming < items.count {
      let index = upcoming
      upcoming += 1
      do { reader = try await openItem(index) } catch {
        if error is FeederInterruption { upcoming = index }
        try fail(index, error)
      }
    }
  }

  nonisolated(nonsending) private func openItem(_ index: Int) async throws -> ItemReader {
    if let reader = openStreams[index] {
      try await reader.rewind()
      return reader
    }
    if let (item, source) = waitingStreams.removeValue(forKey: index) {
      return try await openStream(item, index, source)
    }
    let item = try items[index]
    let source = makeSource(item.source, mailbox)
    guard item.source.canBeReadOnlyOnce else {
      return try await .open(item, index: index, source)
    }
    items.release(index)
    return try await openStream(item, index, source)
  }

  /// Opens a stream; if a request interrupts the wait for its first buffer, the next call continues
  /// the wait.
  nonisolated(nonsending) private func openStream(
    _ item: PlaybackItem, _ index: Int, _ source: any FeederSource
  ) async throws -> ItemReader {
    do {
      let reader = try await ItemReader.open(item, index: index, source)
      openStreams[index] = reader
      return reader
    } catch let interruption as FeederInterruption {
      waitingStreams[index] = (item, source)
      throw interruption
    }
  }

  private func fail(_ index: Int, _ error: any Error) throws {
    if error is FeederInterruption { throw error }
    try Task.checkCancellation()
    let failure = error as? AudioPlayerError ?? .source(nil, reason: "\(error)")
    self.failure = self.failure ?? failure
    steps.append(.event(.failed(item: index, failure)))
    reader = nil
  }
}
