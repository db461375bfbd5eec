public import ClientDependenciesMacros
public import Foundation

/// Something that was said, kept as text.
public struct Note: Codable, Hashable, Identifiable, Sendable {
  /// What tells it from the other notes.
  public let id: UUID
  /// When it was added.
  public let date: Date
  /// What was said, an utterance a line.
  public let text: String

  /// Describes a note.
  public init(id: UUID, date: Date, text: String) {
    self.id = id
    self.date = date
    self.text = text
  }
}

/// Keeps notes.
@DependencyClient
public struct NotesClient: Sendable {
  /// All notes, in the order in which they were added.
  public var all: @Sendable () async throws -> [Note]

  /// Adds a note behind the others.
  public var add: @Sendable (_ note: Note) async throws -> Void
}
