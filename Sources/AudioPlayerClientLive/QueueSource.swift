import AudioCore
import AudioPlayerClient

/// What a queue gives, in order.
enum QueueStep {
  /// What follows lies there.
  case begins(ItemPlace, VoiceNote?)
  case audio(AudioBuffer)
  /// To be told when all before it has been heard.
  case note(VoiceNote)
}

/// The items of a playback, one after the other, as often as the list is to be played; used on the
/// feeder's thread alone.
///
/// An item that fails is noted, and the next one follows.
final class QueueSource {
  private var items: QueueItems
  private let isRepeated: Bool
  private let mailbox: FeederMailbox
  private let setting: FeederSetting
  private var reader: ItemReader?
  private var rounds: Rounds
  /// The item to be opened next.
  private var upcoming = 0
  private var steps: [QueueStep] = []
  /// Whether the first item has been opened.
  private var hasBegun = false
  /// The streams that wait for their beginning.
  private var awaited: [Int: (item: PlaybackItem, source: any FeederSource)] = [:]
  /// The streams that have been opened and that can be gone back to.
  private var streams: [Int: ItemReader] = [:]

  /// The short files that have been played and follow again in the next round.
  private var kept: [Int: any FeederSource] = [:]
  /// The others are read each time, so that a long list does not stay in memory.
  private static let keptLimit = 64

  /// What the first item that failed, failed with.
  private(set) var failure: AudioPlayerError?

  init(
    _ items: [PlaybackItem], _ cycle: PlaybackRepetition, _ mailbox: FeederMailbox,
    _ setting: FeederSetting
  ) {
    self.items = QueueItems(items)
    self.mailbox = mailbox
    self.setting = setting
    isRepeated = cycle != .times(1)
    rounds = Rounds(cycle)
  }

  /// Throws where what comes only once is to be repeated.
  func check() throws(AudioPlayerError) {
    for index in 0..<items.count { try check([items[index]]) }
  }

  private func check(_ items: [PlaybackItem]) throws(AudioPlayerError) {
    for item in items where item.repetition != .times(1) || isRepeated {
      if item.source.comesOnce { throw .streamCannotRepeat }
    }
  }

  /// Opens the first item that can be opened; throws where none can, and `FeederInterruption` where
  /// there is a request to look at while it waits.
  nonisolated(nonsending) func open() async throws -> SourceDescription {
    try await openNext()
    guard let reader else { throw failure ?? AudioPlayerError.emptySource(nil) }
    hasBegun = true
    if !isSought { steps.append(.begins(place(of: reader), nil)) }
    var description = reader.description
    description.item = reader.index
    return description
  }

  /// The item that is read, or that is read next, and in which round.
  var current: QueuePlace { QueuePlace(item: reader?.index ?? upcoming, round: rounds.current) }

  /// Whether nothing is left to be played.
  var isAtEnd: Bool { reader == nil && upcoming >= items.count }

  /// Whether a place was gone to of which nothing has been given.
  private var isSought: Bool {
    if case .begins = steps.last { true } else { false }
  }

  /// What has failed before anything was given.
  var failures: [VoiceNote] {
    steps.compactMap { if case .note(let note) = $0 { note } else { nil } }
  }

  /// What comes next, nil after the last item.
  nonisolated(nonsending) func next() async throws -> QueueStep? {
    while true {
      if !steps.isEmpty { return steps.removeFirst() }
      guard let reader else {
        guard upcoming < items.count || beginRound() else { return nil }
        try await openNext()
        if let reader = self.reader { steps.append(.begins(place(of: reader), .advanced)) }
        continue
      }
      do { try await take(reader.next(), from: reader) } catch { try fail(reader.index, error) }
    }
  }

  /// Does what is asked for while `place` is heard; returns the place that was gone to, if any.
  nonisolated(nonsending) func perform(
    _ deed: FeederRequest.Deed, at place: QueuePlace
  ) async throws -> QueuePlace? {
    switch deed {
    case .enqueue(let items):
      try check(items)
      self.items.append(items)
      return nil
    case .seek(let time, let item):
      // Behind the last item it is the last one that is sought in.
      let target = item ?? min(place.item, items.count - 1)
      return try await seek(to: time, QueuePlace(item: target, round: place.round))
    case .skip: return skip(to: QueuePlace(item: place.item + 1, round: place.round))
    }
  }

  /// Goes to a time of an item, before the first item to its start, and behind the last one to the
  /// next round or to the end of all; returns the place.
  ///
  /// Throws and stays where it is where that cannot be reached.
  nonisolated(nonsending) private func seek(
    to time: PlaybackTime, _ place: QueuePlace
  ) async throws -> QueuePlace {
    guard place.item < items.count else { return skip(to: place) }
    let (time, item) = place.item < 0 ? (.frame(0), 0) : (time, place.item)
    let reader =
      if let reader, reader.index == item { reader } else { try await reach(item) }
    try await reader.seek(to: time)
    rounds.go(to: place.round)
    stand(reader)
    return current
  }

  /// Goes to the start of an item, behind the last one to the next round or to the end of all;
  /// returns the place.
  private func skip(to place: QueuePlace) -> QueuePlace {
    release(before: min(place.item, items.count))
    (reader, upcoming, steps) = (nil, min(place.item, items.count), keptSteps)
    rounds.go(to: place.round)
    if upcoming == items.count { _ = beginRound() }
    return current
  }

  /// Opens an item that was asked for; the next request does not wait for one that does not begin.
  nonisolated(nonsending) private func reach(_ item: Int) async throws -> ItemReader {
    do { return try await openItem(item) } catch is FeederInterruption {
      throw AudioPlayerError.notSeekable(awaited[item]?.source.url)
    }
  }

  private func beginRound() -> Bool {
    guard rounds.begin() else { return false }
    upcoming = 0
    return true
  }

  private func place(of reader: ItemReader) -> ItemPlace {
    var place = reader.place
    place.round = rounds.current
    return place
  }

  /// Whether it keeps what could be forgotten once it has been heard: nothing of a list that is
  /// played again.
  var keepsUnheard: Bool {
    !streams.isEmpty || !isRepeated && items.keepsHeard(before: current.item)
  }

  /// What lies before a frame of an item has been heard.
  func forget(before frame: FrameCount, of item: Int) {
    streams[item]?.forget(before: frame)
    release(before: item)
    items.release(before: item)
  }

  /// Lets go of the streams that have been heard and lie before an item.
  private func release(before item: Int) {
    streams = streams.filter { index, reader in index >= item || !reader.isHeard }
  }

  private func stand(_ reader: ItemReader) {
    release(before: reader.index)
    self.reader = reader
    upcoming = reader.index + 1
    steps = keptSteps + [.begins(place(of: reader), .sought)]
  }

  /// What has failed before anything was given is told all the same.
  private var keptSteps: [QueueStep] { hasBegun ? [] : failures.map { .note($0) } }

  private func take(_ step: ItemReader.Step, from reader: ItemReader) throws {
    switch step {
    case .audio(var buffer):
      rounds.gives()
      let count = buffer.silencedSampleCount + (buffer.silenceNonFinite()?.count ?? 0)
      steps.append(.audio(buffer))
      if count > 0 { steps.append(.note(.nonFinite(sampleCount: count))) }
    case .looped(let count): steps.append(.begins(place(of: reader), .looped(count: count)))
    case .end:
      if reader.isEmpty { throw reader.emptiness }
      if let (announced, decoded) = reader.shortfall {
        steps.append(
          .note(.shortfall(item: reader.index, announced: announced, decoded: decoded)))
      }
      if isRepeated, kept.count < Self.keptLimit { kept[reader.index] = reader.keptSource }
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
    if let reader = streams[index] {
      try await reader.rewind()
      return reader
    }
    if let (item, source) = awaited.removeValue(forKey: index) {
      return try await openStream(item, index, source)
    }
    let item = try items[index]
    guard item.source.comesOnce else {
      let source = kept.removeValue(forKey: index) ?? setting.make(item.source, mailbox)
      return try await .open(item, index: index, source)
    }
    items.take(index)
    return try await openStream(item, index, setting.make(item.source, mailbox))
  }

  /// Where a request comes while it waits for its beginning, it goes on waiting when it is opened
  /// again.
  nonisolated(nonsending) private func openStream(
    _ item: PlaybackItem, _ index: Int, _ source: any FeederSource
  ) async throws -> ItemReader {
    do {
      let reader = try await ItemReader.open(item, index: index, source)
      streams[index] = reader
      return reader
    } catch let interruption as FeederInterruption {
      awaited[index] = (item, source)
      throw interruption
    }
  }

  /// What was given last cannot be used: its item is over.
  func fail(_ error: any Error) throws {
    if let reader { try fail(reader.index, error) }
  }

  private func fail(_ index: Int, _ error: any Error) throws {
    if error is FeederInterruption { throw error }
    try Task.checkCancellation()
    let failure = error as? AudioPlayerError ?? .source(nil, reason: "\(error)")
    self.failure = self.failure ?? failure
    steps.append(.note(.failed(item: index, failure)))
    reader = nil
  }
}
