import AudioCore
import ClientDependencies
public import Foundation
import SpeechClient

/// A feature: what is said in a sound file becomes a note.
///
/// It knows no recogniser, no file of notes, no clock and no chance.
public struct VoiceNotes: Sendable {
  @Dependency(\.date.now) private var now
  @Dependency(\.notes) private var notes
  @Dependency(\.speechClient) private var speechClient
  @Dependency(\.uuid) private var uuid

  /// Makes the feature, with the dependencies that are in force where it is made.
  public init() {}

  /// Recognises what is said in a file, and adds it to the notes.
  ///
  /// - Throws: `NothingSaid` if no word was understood, and what the clients throw.
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

/// No word was understood in a sound file, so that there is nothing to note.
public struct NothingSaid: Error, Equatable, CustomStringConvertible {
  let file: URL

  /// A sentence for people.
  public var description: String { "no word was understood in \"\(file.path)\"" }
}
