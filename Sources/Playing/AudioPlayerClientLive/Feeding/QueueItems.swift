import AudioPlayerClient
import FoundationEssentials

/// The items of a queue; an item keeps its index when earlier items are removed.
///
/// Memory stays bounded while items are enqueued for days: enqueued buffers are released once they
/// have been played, and a seek can reach only the last `playedLimit` enqueued files.
struct QueueItems {
  /// An item and, for a file, its URL; the item is nil if it could be read only once or was
  /// released.
  private typealias Entry = (item: PlaybackItem?, url: URL?)

  /// The number of played files that can be played again; the list is trimmed to this number when
  /// it has twice as many.
  static let playedLimit = 1_000

  /// The items of the request, which are kept as long as the playback exists.
  private var requested: [Entry]
  private var enqueued: [Entry] = []
  /// The index of the first element of `enqueued`.
  private var firstEnqueued: Int
  /// The enqueued items before this index no longer hold audio.
  private var releasedEnd: Int

  init(_ items: [PlaybackItem]) {
    requested = items.map { ($0, $0.source.url) }
    (firstEnqueued, releasedEnd) = (items.count, items.count)
  }

  /// The number of items so far, including removed items.
  var count: Int { firstEnqueued + enqueued.count }

  /// The number of entries in memory.
  var entryCount: Int { requested.count + enqueued.count }

  mutating func append(_ items: [PlaybackItem]) {
    enqueued += items.map { ($0, $0.source.url) }
  }

  /// The item at an index; throws `notSeekable` if it was released.
  subscript(index: Int) -> PlaybackItem {
    get throws(AudioPlayerError) {
      let (item, url) = entry(index)
      guard let item else { throw .notSeekable(url) }
      return item
    }
  }

  /// Releases the item at an index.
  mutating func release(_ index: Int) {
    if index < requested.count {
      requested[index].item = nil
    } else if index >= firstEnqueued {
      enqueued[index - firstEnqueued].item = nil
    }
  }

  /// Whether `release(before:)` has anything to release.
  func canRelease(before index: Int) -> Bool { releasedEnd < index }

  /// Releases the enqueued audio before the item that is being played.
  mutating func release(before index: Int) {
    guard canRelease(before: index) else { return }
    for index in releasedEnd..<index {
      // A file uses no memory until it is played, so its entry is kept.
      if entry(index).url == nil { release(index) }
    }
    releasedEnd = index
    // Entries are removed in batches, because each removal moves all later entries in memory.
    guard releasedEnd - firstEnqueued > 2 * Self.playedLimit else { return }
    enqueued.removeFirst(releasedEnd - firstEnqueued - Self.playedLimit)
    firstEnqueued = releasedEnd - Self.playedLimit
  }

  private func entry(_ index: Int) -> Entry {
    if index < requested.count { return requested[index] }
    return index < firstEnqueued ? (nil, nil) : enqueued[index - firstEnqueued]
  }
}

extension PlaybackSource {
  /// The file's URL; nil if the source is not a file.
  fileprivate var url: URL? {
    if case .file(let url) = self { url } else { nil }
  }
}
