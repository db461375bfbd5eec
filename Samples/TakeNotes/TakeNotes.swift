// Adds a note for each file, or prints the notes: swift run TakeNotes [FILE…]
import ClientDependencies
import Foundation
import PocketSphinxEngine
import SpeechClientLive
import VoiceNotes

@main
enum TakeNotes {
  static func main() async {
    let files = CommandLine.arguments.dropFirst()
    do {
      for file in files { try await VoiceNotes().addNote(from: URL(fileURLWithPath: file)) }
      if files.isEmpty { try await printNotes() }
    } catch {
      FileHandle.standardError.write(Data("TakeNotes: \(error)\n".utf8))
      exit(1)
    }
  }

  static func printNotes() async throws {
    @Dependency(\.notes) var notes
    for note in try await notes.all() {
      print("\(note.date.formatted(.iso8601)) \(note.text.replacing("\n", with: ", "))")
    }
  }
}
