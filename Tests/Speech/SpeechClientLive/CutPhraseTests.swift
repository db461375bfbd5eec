import AudioCore
import PocketSphinxEngine
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Key phrases in speech that exceeds the maximum utterance length, with the real engine.
@Suite struct CutPhraseTests {
  /// Returns the same sentence over and over, without pauses.
  private func speech() throws -> [Float] {
    let clip = try SoundFileReader(url: sound("window.wav")).read(atMost: 1_000_000).samples
    let sentence = clip[4_800..<clip.count - 11_200]
    return [Float](repeating: 0, count: 16_000) + (0..<4).flatMap { _ in sentence }
  }

  @Test(arguments: [2_300, 2_900, 3_500, 20_000])
  func `a cut at the maximum utterance length neither loses nor repeats a key phrase`(
    longest: Int
  ) async throws {
    let audio = AudioBuffer(format: .speech, samples: try speech())
    var request = SpeechRequest(buffers: stream([audio]))
    request.keyPhrases = [KeyPhrase("the window", threshold: 1e-10)]
    request.endpointPolicy.maximumLength = .milliseconds(longest)
    let results = try await SpeechTasks().start(request, on: .pocketSphinx()).all()
    let words = results.filter(\.isFinal).flatMap(\.bestTranscription.segments)
    #expect(words.map(\.substring) == Array(repeating: "the window", count: 4))
    #expect(words.map(\.timestamp) == words.map(\.timestamp).sorted())
  }
}
