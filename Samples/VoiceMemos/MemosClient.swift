import ClientDependenciesMacros
import Foundation

/// A recorded memo.
struct Memo: Equatable, Identifiable, Sendable {
  /// The memo's identity, which does not change with its title.
  let id: UUID
  /// The memo's title.
  var title: String
  /// The memo's sound file.
  var file: URL
  /// The memo's length; nil while unknown.
  var length: Duration?

  /// Creates a memo.
  init(id: UUID, title: String, file: URL, length: Duration? = nil) {
    (self.id, self.title, self.file, self.length) = (id, title, file, length)
  }
}

/// Stores memos.
@DependencyClient
struct MemosClient: Sendable {
  /// Returns all memos, newest first.
  var all: @Sendable () async throws -> [Memo]

  /// Returns the file for a new memo with this title.
  var file: @Sendable (_ title: String) async throws -> URL

  /// Gives a memo another title, and returns its new file.
  var rename: @Sendable (_ memo: Memo, _ title: String) async throws -> URL

  /// Deletes a memo.
  var delete: @Sendable (_ memo: Memo) async throws -> Void
}
