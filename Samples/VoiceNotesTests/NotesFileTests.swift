import ClientDependenciesTestSupport
import Foundation
import Testing

@testable import VoiceNotes

/// The live value, in a folder that the test makes and removes.
@Suite struct NotesFileTests {
  @Test func `notes come back in the order in which they were added`() async throws {
    try await withNotesFile { url in
      let notes = [note(0, "buy milk"), note(1, "call Ada\nat \"nine\"")]
      for note in notes { try await NotesClient.file(at: url).add(note: note) }
      #expect(try await NotesClient.file(at: url).all() == notes)
      #expect(try String(contentsOf: url, encoding: .utf8).split(separator: "\n").count == 2)
    }
  }

  @Test func `notes that are added at a time are all kept`() async throws {
    try await withNotesFile { url in
      let client = NotesClient.file(at: url)
      try await withThrowingTaskGroup { group in
        for number in 0..<50 {
          group.addTask { try await client.add(note: note(number, "\(number)")) }
        }
        try await group.waitForAll()
      }
      #expect(try await Set(client.all().map(\.id)) == Set((0..<50).map { UUID($0) }))
    }
  }

  @Test func `there are no notes where there is no file yet`() async throws {
    try await withNotesFile { url in
      let notes = try await NotesClient.file(at: url).all()
      #expect(notes == [])
    }
  }
}

private func note(_ number: Int, _ text: String) -> Note {
  Note(id: UUID(number), date: Date(timeIntervalSince1970: Double(number)), text: text)
}

private func withNotesFile(_ operation: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await operation(folder.appending(path: "notes.jsonl"))
}
