import AudioPlayerClient
import FoundationEssentials

/// The items of a queue by their index, which each keeps when others are let go of.
///
/// What is enqueued for days does not stay in memory: of it, what lies in memory goes once it has
/// been heard, and of the files the last ones can be gone back to.
struct QueueItems {
  private enum Entry {
    case item(PlaybackItem)
    /// It came once, or has been let go of.
    case gone(URL?)
  }

  /// How many of those that were enqueued and have been heard keep an entry, at least; it is half
  /// of what can be there.
  static let heardLimit = 1_000

  /// Those that the playback was asked for with; they last as long as it.
  private var given: [Entry]
  private var enqueued: [Entry] = []
  /// The index of the first of those.
  private var first: Int
  /// What was enqueued before this index lies in memory no more.
  private var heard: Int

  init(_ items: [PlaybackItem]) {
    given = items.map { .item($0) }
    (first, heard) = (items.count, items.count)
  }

  /// How many there have been.
  var count: Int { first + enqueued.count }

  /// How many entries there are.
  var entryCount: Int { given.count + enqueued.count }

  mutating func append(_ items: [PlaybackItem]) {
    enqueued += items.map { .item($0) }
  }

  /// The item at an index; throws where it is gone.
  subscript(index: Int) -> PlaybackItem {
    get throws(AudioPlayerError) {
      switch entry(index) {
      case .item(let item): return item
      case .gone(let url): throw .notSeekable(url)
      }
    }
  }

  /// The item at an index comes once, and now.
  mutating func take(_ index: Int) {
    guard case .item(let item) = entry(index) else { return }
    if index < given.count {
      given[index] = .gone(item.source.url)
    } else {
      enqueued[index - first] = .gone(item.source.url)
    }
  }

  /// Whether anything can be let go of when an item is heard.
  func keepsHeard(before index: Int) -> Bool { heard < index }

  /// Lets go of what was enqueued and lies before an item that is heard.
  mutating func release(before index: Int) {
    guard keepsHeard(before: index) else { return }
    for index in heard..<index {
      // A file costs nothing until it is played.
      if case .item(let item) = entry(index), item.source.url == nil { take(index) }
    }
    heard = index
    // Not for each of them, so that they are not moved up again and again.
    guard heard - first > 2 * Self.heardLimit else { return }
    enqueued.removeFirst(heard - first - Self.heardLimit)
    first = heard - Self.heardLimit
  }

  private func entry(_ index: Int) -> Entry {
    if index < given.count { return given[index] }
    return index < first ? .gone(nil) : enqueued[index - first]
  }
}

extension PlaybackSource {
  /// The file, where it is one.
  fileprivate var url: URL? {
    if case .file(let url) = self { url } else { nil }
  }
}
