import AudioCore
import PocketSphinxEngine
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// The beginning of the first word is kept, although it precedes the detection of speech.
@Suite struct FirstWordTests {
  private static let sentence = ["go", "forward", "ten", "meters"]

  /// Returns the clip from the beginning of one of its words, at the position found by forced
  /// alignment.
  private func speech(from word: Int) throws -> [Float] {
    let samples = try SoundFileReader(url: sound("go-forward.wav")).read(atMost: 1_000_000).samples
    let session = try SpeechEngine.pocketSphinx().makeSession(
      SpeechSessionOptions(grammar: "#JSGF V1.0; grammar a; public <a> = go forward ten meters;"))
    try session.beginUtterance()
    try session.process(samples)
    let words = try session.finishUtterance().words
    #expect(words.map(\.text) == Self.sentence)
    return Array(samples[words[word].frames.lowerBound.rawValue...])
  }

  private enum Before: CaseIterable {
    case nothing, silence, quiet

    var samples: [Float] {
      switch self {
      case .nothing: []
      case .silence: [Float](repeating: 0, count: 20 * 16_000)
      case .quiet: noise(.seconds(20), amplitude: 0.0005)
      }
    }

    private func noise(_ length: Duration, amplitude: Float) -> [Float] {
      AudioSignal.noise(seed: 1, amplitude: amplitude).buffer(length, format: .speech).samples
    }
  }

  @Test(arguments: Before.allCases, 0..<3)
  private func `the first word is recognized completely`(before: Before, word: Int)
    async throws
  {
    let quiet = before.samples
    let samples = quiet + (try speech(from: word))
    let step = 1600
    let buffers = stride(from: 0, to: samples.count, by: step).map { begin in
      AudioBuffer(
        format: .speech, samples: Array(samples[begin..<min(begin + step, samples.count)]),
        firstFrame: FrameCount(begin))
    }
    let results = try await SpeechTasks().start(
      SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: false),
      on: .pocketSphinx()
    ).all()
    #expect(results.finals == [Self.sentence[word...].joined(separator: " ")])
    let begin = try #require(results.first?.bestTranscription.segments.first).timestamp
    let error = begin - FrameCount(quiet.count).duration(at: .speech)
    #expect(error >= .milliseconds(-100) && error <= .milliseconds(100), "\(error)")
  }
}
