import AudioCore
import Foundation
import PocketSphinxEngine
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// The accuracy of the embedded engine on recordings that do not ship with the project.
///
/// `SYRINX_SPEECH_DATA` names their folder, which contains sound files, `transcripts.tsv` with each
/// clip's name (without extension) and words, and `cards.gram` for the clips whose names begin with
/// `cards-`. Without the folder, these tests are skipped. `Tests/run.sh` uses
/// `../shared/data/speech` if that folder exists. To run the tests by hand:
///
///     SYRINX_SPEECH_DATA=FOLDER swift test --traits Development --filter SpeechDataTests
@Suite(.enabled(if: SpeechData.folder != nil, "SYRINX_SPEECH_DATA names no folder"))
struct SpeechDataTests {
  private let data = SpeechData()
  private let tasks = SpeechTasks()

  /// Returns the recognized text of a clip, passed in several buffers to a new recognizer.
  private func understood(of clip: SpeechData.Clip, grammar: URL? = nil) async throws -> String {
    var request = SpeechRequest(buffers: SoundFile.buffers(of: clip.sound))
    request.grammar = grammar.map { .file($0) }
    let results = try await tasks.start(request, on: .pocketSphinx()).all()
    return results.finals.joined(separator: " ")
  }

  @Test func `at most 24 % of the words of dictation are wrong`() async throws {
    var total = WordErrorRate(reference: [], hypothesis: [])
    for clip in try data.clips() {
      let recognized = try await understood(of: clip)
      total = total + WordErrorRate(reference: clip.words, hypothesis: recognized)
    }
    let rate = try #require(total.rate)
    #expect(rate <= 0.24, "\(total.errorCount) of \(total.referenceCount) words")
  }

  @Test
  func `with the playing-card grammar, every clip of spoken card names is recognized exactly`()
    async throws
  {
    let cards = try data.clips().filter(\.isCards)
    #expect(!cards.isEmpty)
    for clip in cards {
      let recognized = try await understood(of: clip, grammar: data.grammar)
      #expect(recognized == clip.words, "\(clip.name)")
    }
  }
}

/// The folder with the recordings.
private struct SpeechData {
  struct Clip {
    let name: String
    let words: String
    let sound: URL

    var isCards: Bool { name.hasPrefix("cards-") }
  }

  static var folder: URL? {
    ProcessInfo.processInfo.environment["SYRINX_SPEECH_DATA"].map { URL(filePath: $0) }
  }

  private let folder = Self.folder ?? URL(filePath: "/nowhere")

  var grammar: URL { folder.appending(path: "cards.gram") }

  /// Returns the clips that have a transcript and a WAV file.
  func clips() throws -> [Clip] {
    let table = try String(contentsOf: folder.appending(path: "transcripts.tsv"), encoding: .utf8)
    return table.split(separator: "\n").compactMap { line in
      let columns = line.split(separator: "\t", maxSplits: 1).map(String.init)
      guard columns.count == 2 else { return nil }
      return Clip(
        name: columns[0], words: columns[1], sound: folder.appending(path: "\(columns[0]).wav"))
    }
  }
}
