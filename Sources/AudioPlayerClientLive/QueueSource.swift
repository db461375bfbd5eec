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

/// The items of a playback, one after the other; used on the feeder's thread alone.
///
/// An item that fails is noted, and the next one follows.
final class QueueSource {
  private var items: [PlaybackItem]
  private let mailbox: FeederMailbox
  private var reader: ItemReader?
  /// The item to be opened next.
  private var upcoming = 0
  private var steps: [QueueStep] = []
  private var streamsTaken: Set<Int> = []
  /// The streams that have been opened and that can be gone back to.
  private var streams: [Int: ItemReader] = [:]

  /// What the first item that failed, failed with.
  private(set) var failure: AudioPlayerError?

  init(_ items: [PlaybackItem], _ mailbox: FeederMailbox) {
    self.items = items
    self.mailbox = mailbox
  }

  /// Opens the first item that can be opened; throws where none can.
  nonisolated(nonsending) func open() async throws -> SourceDescription {
    try await openNext()
    guard let reader else { throw failure ?? AudioPlayerError.emptySource(nil) }
    steps.append(.begins(reader.place, nil))
    var description = reader.description
    description.item = reader.index
    return description
  }

  /// The item that is read, or that is read next.
  var current: Int { reader?.index ?? upcoming }

  /// What has failed before anything was given.
  var failures: [VoiceNote] {
    steps.compactMap { if case .note(let note) = $0 { note } else { nil } }
  }

  /// What comes next, nil after the last item.
  nonisolated(nonsending) func next() async throws -> QueueStep? {
    while true {
      if !steps.isEmpty { return steps.removeFirst() }
      guard let reader else {
        guard upcoming < items.count else { return nil }
        try await openNext()
        if let reader = self.reader { steps.append(.begins(reader.place, .advanced)) }
        continue
      }
      do { try await take(reader.next(), from: reader) } catch { try fail(reader.index, error) }
    }
  }

  func append(_ items: [PlaybackItem]) {
    self.items += items
  }

  /// How many items there are.
  var count: Int { items.count }

  /// Goes to a time of an item, before the first item to its start, and behind the last one to the
  /// end of all; returns the item.
  ///
  /// Throws and stays where it is where that cannot be reached.
  nonisolated(nonsending) func seek(to time: PlaybackTime, item: Int) async throws -> Int {
    guard item < items.count else { return skip(to: item) }
    let (time, item) = item < 0 ? (.frame(0), 0) : (time, item)
    let reader =
      if let reader, reader.index == item { reader } else { try await openItem(item) }
    try await reader.seek(to: time)
    stand(reader)
    return item
  }

  /// Goes to the start of an item, or to the end of all; returns the item.
  func skip(to item: Int) -> Int {
    let item = min(item, items.count)
    release(before: item)
    (reader, upcoming, steps) = (nil, item, [])
    return item
  }

  /// Whether it keeps what could be forgotten once it has been heard.
  var keepsUnheard: Bool { !streams.isEmpty }

  /// What lies before a frame of an item has been heard.
  func forget(before frame: FrameCount, of item: Int) {
    streams[item]?.forget(before: frame)
    release(before: item)
  }

  /// Lets go of the streams that have been heard and lie before an item.
  private func release(before item: Int) {
    streams = streams.filter { index, reader in index >= item || !reader.isHeard }
  }

  private func stand(_ reader: ItemReader) {
    release(before: reader.index)
    self.reader = reader
    upcoming = reader.index + 1
    steps = [.begins(reader.place, .sought)]
  }

  private func take(_ step: ItemReader.Step, from reader: ItemReader) throws {
    switch step {
    case .audio(let buffer): steps.append(.audio(buffer))
    case .looped(let count): steps.append(.begins(reader.place, .looped(count: count)))
    case .end:
      if reader.isEmpty { throw reader.emptiness }
      if let (announced, decoded) = reader.shortfall {
        steps.append(
          .note(.shortfall(item: reader.index, announced: announced, decoded: decoded)))
      }
      self.reader = nil
    }
  }

  nonisolated(nonsending) private func openNext() async throws {
    while reader == nil, upcoming < items.count {
      let index = upcoming
      upcoming += 1
      do { reader = try await openItem(index) } catch { try fail(index, error) }
    }
  }

  nonisolated(nonsending) private func openItem(_ index: Int) async throws -> ItemReader {
    if let reader = streams[index] {
      try await reader.rewind()
      return reader
    }
    guard case .stream = items[index].source else {
      return try await .open(items[index], index: index, mailbox)
    }
    guard streamsTaken.insert(index).inserted else { throw AudioPlayerError.notSeekable(nil) }
    let reader = try await ItemReader.open(items[index], index: index, mailbox)
    streams[index] = reader
    return reader
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
