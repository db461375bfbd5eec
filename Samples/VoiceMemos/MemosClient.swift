import ClientDependenciesMacros
import Foundation

/// A recorded memo.
struct Memo: Equatable, Identifiable, Sendable {
  /// Its identity, which a new title does not change.
  let id: UUID
  /// Its title.
  var title: String
  /// Its sound file.
  var file: URL
  /// Its length; nil while unknown.
  var length: Duration?

  /// Creates a memo.
  init(id: UUID, title: String, file: URL, length: Duration? = nil) {
    (self.id, self.title, self.file, self.length) = (id, title, file, length)
  }
}

/// Keeps memos.
@DependencyClient
struct MemosClient: Sendable {
  /// All memos, newest first.
  var all: @Sendable () async throws -> [Memo]

  /// The file for a new memo with a title.
  var file: @Sendable (_ title: String) async throws -> URL

  /// Gives a memo another title, and returns its new file.
  var rename: @Sendable (_ memo: Memo, _ title: String) async throws -> URL

  /// Deletes a memo.
  var delete: @Sendable (_ memo: Memo) async throws -> Void
}
