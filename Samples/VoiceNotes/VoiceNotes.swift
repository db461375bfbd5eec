import AudioCore
import ClientDependencies
public import Foundation
import SpeechClient

/// A feature: what is said in a sound file becomes a note.
///
/// It depends on clients alone: on no engine, no file, no clock, and no random identifiers.
public struct VoiceNotes: Sendable {
  @Dependency(\.date.now) private var now
  @Dependency(\.notes) private var notes
  @Dependency(\.speechClient) private var speechClient
  @Dependency(\.uuid) private var uuid

  /// Makes the feature with the current dependencies.
  public init() {}

  /// Recognizes a sound file and adds the text to the notes.
  ///
  /// - Throws: `NothingSaid` if no word was recognized, and the errors of the clients.
  @discardableResult
  public func addNote(from file: URL) async throws -> Note {
    var lines: [String] = []
    let request = SpeechRequest(url: file, shouldReportPartialResults: false)
    for try await result in await speechClient.startTask(request: request) where result.isFinal {
      lines.append(result.bestTranscription.formattedString)
    }
    guard !lines.isEmpty else { throw NothingSaid(file: file) }
    let note = Note(id: uuid(), date: now, text: lines.joined(separator: "\n"))
    try await notes.add(note: note)
    return note
  }
}

/// No word was recognized in a sound file, so there is nothing to note.
public struct NothingSaid: Error, Equatable, CustomStringConvertible {
  let file: URL

  /// A sentence for people.
  public var description: String { "no word was recognized in \"\(file.path)\"" }
}
