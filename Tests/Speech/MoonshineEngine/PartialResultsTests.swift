import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine
@testable import SpeechClientLive

/// The engine's partial results, read through the speech client.
@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(60))) struct PartialResultsTests {
  private func results(of samples: [Float], partials: Bool) async throws
    -> [SpeechRecognitionResult]
  {
    let buffers = stride(from: 0, to: samples.count, by: 1600).map { begin in
      AudioBuffer(
        format: .speech, samples: Array(samples[begin..<min(begin + 1600, samples.count)]),
        firstFrame: FrameCount(begin))
    }
    let stream = AsyncStream { continuation in
      for buffer in buffers { continuation.yield(buffer) }
      continuation.finish()
    }
    var request = SpeechRequest(buffers: stream, shouldReportPartialResults: partials)
    request.isLive = true
    let engine = try RealModel.engine
    let results = withDependencies {
      $0.speechEngine = engine
    } operation: { [request] in
      SpeechTasks().start(request)
    }
    var all: [SpeechRecognitionResult] = []
    for try await result in results { all.append(result) }
    return all
  }

  @Test
  func `a final text is the same with and without partial results, and contains all stable words`()
    async throws
  {
    let silence = { (seconds: Double) in [Float](repeating: 0, count: Int(seconds * 16_000)) }
    let samples = try silence(0.5) + Clip.goForward.samples + silence(1)
    let with = try await results(of: samples, partials: true)
    let without = try await results(of: samples, partials: false)
    let text = try #require(with.last?.bestTranscription.formattedString)
    #expect(with.count > 1 && with.last?.isFinal == true)
    #expect(text == without.last?.bestTranscription.formattedString)
    #expect(text.hasPrefix("Go forward ten met"), "\(text)")
    let stable = with.filter { !$0.isFinal }.map(\.stablePrefix.formattedString)
      .map(WordNormalization.spoken.words)
    let words = WordNormalization.spoken.words(of: text)
    #expect(stable.allSatisfy(words.starts), "\(stable)")
    #expect(stable.last?.isEmpty == false)
  }
}
