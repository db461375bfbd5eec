import AudioCore
import ClientDependencies
import Foundation
import PocketSphinxEngine
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Recognizes files and streams with PocketSphinx and the model of Debian's package.
@Suite struct RecognitionTests {
  private func finals(_ request: SpeechRequest) async throws -> [SpeechRecognitionResult] {
    try await withDependencies {
      $0.speechEngine = .pocketSphinx()
    } operation: {
      try await SpeechClient.liveValue.startTask(request: request).all().filter(\.isFinal)
    }
  }

  @Test(arguments: [
    ("go-forward.wav", ["go forward ten meters"]),
    ("turn-44100-stereo.flac", ["turn left and go back"]),
    ("two-utterances.wav", ["turn left and go back", "go forward ten meters"]),
    ("tone.wav", []), ("chirp.wav", []),
  ])
  func `a file yields the words of each utterance, and nothing for sounds other than speech`(
    name: String, words: [String]
  ) async throws {
    let results = try await finals(SpeechRequest(url: sound(name)))
    #expect(results.finals == words)
  }

  @Test func `at most one word of a sentence of seven is wrong`() async throws {
    let finals = try await finals(SpeechRequest(url: sound("window.wav"))).finals
    let words = finals.joined(separator: " ").split(separator: " ")
    let spoken = "open the window and close the door".split(separator: " ")
    #expect(words.count == spoken.count)
    #expect(zip(words, spoken).count { $0 != $1 } <= 1)
  }

  @Test func `words of the second utterance follow those of the first`() async throws {
    let results = try await finals(SpeechRequest(url: sound("two-utterances.wav")))
    let words = results.flatMap(\.bestTranscription.segments)
    #expect(words.map(\.timestamp) == words.map(\.timestamp).sorted())
    // The second sound begins 2.9 s after the first, and its speech begins 0.3 s after that.
    let length = try SoundFileReader(url: sound("two-utterances.wav")).announcedFrameCount
    let total = try #require(length).duration(at: .speech)
    let second = try #require(results.last?.bestTranscription.segments.first?.timestamp)
    #expect(second > total * 0.5 && second < total)
  }

  @Test func `a stream of buffers yields the same words as the file with the same audio`()
    async throws
  {
    let buffers = SoundFile.buffers(of: sound("turn-44100-stereo.flac"), framesPerBuffer: 441)
    let results = try await finals(SpeechRequest(buffers: buffers))
    #expect(results.finals == ["turn left and go back"])
  }
}
