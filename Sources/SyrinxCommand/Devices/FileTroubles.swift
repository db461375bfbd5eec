import Synchronization

/// What was wrong with files that could be opened, for the end of the command.
final class FileTroubles: Sendable {
  // Held to append and to take, by a card's thread and the command.
  private let troubles = Mutex<[FileTrouble]>([])

  func append(_ trouble: FileTrouble) {
    troubles.withLock { $0.append(trouble) }
  }

  var all: [FileTrouble] { troubles.withLock { $0 } }
}
