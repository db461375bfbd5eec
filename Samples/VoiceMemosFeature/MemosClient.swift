public import ClientDependenciesMacros
public import Foundation

/// A recorded memo.
public struct Memo: Equatable, Identifiable, Sendable {
  /// Its identity, which a new title does not change.
  public let id: UUID
  /// Its title.
  public var title: String
  /// Its sound file.
  public var file: URL
  /// Its length; nil while unknown.
  public var length: Duration?

  /// Creates a memo.
  public init(id: UUID, title: String, file: URL, length: Duration? = nil) {
    (self.id, self.title, self.file, self.length) = (id, title, file, length)
  }
}

/// Keeps memos.
@DependencyClient
public struct MemosClient: Sendable {
  /// All memos, newest first.
  public var all: @Sendable () async throws -> [Memo]

  /// The file for a new memo with a title.
  public var file: @Sendable (_ title: String) async throws -> URL

  /// Gives a memo another title, and returns its new file.
  public var rename: @Sendable (_ memo: Memo, _ title: String) async throws -> URL

  /// Deletes a memo.
  public var delete: @Sendable (_ memo: Memo) async throws -> Void
}
