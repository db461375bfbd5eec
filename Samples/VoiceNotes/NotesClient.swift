public import ClientDependenciesMacros
public import Foundation

/// Something that was said, as text.
public struct Note: Codable, Hashable, Identifiable, Sendable {
  /// Its identity among the notes.
  public let id: UUID
  /// When it was added.
  public let date: Date
  /// What was said, one line per utterance.
  public let text: String

  /// Creates a note.
  public init(id: UUID, date: Date, text: String) {
    self.id = id
    self.date = date
    self.text = text
  }
}

/// Keeps notes.
@DependencyClient
public struct NotesClient: Sendable {
  /// All notes, oldest first.
  public var all: @Sendable () async throws -> [Note]

  /// Adds a note at the end.
  public var add: @Sendable (_ note: Note) async throws -> Void
}
