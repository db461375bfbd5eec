import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import BenchmarkTools
import CMemoryCount
import ClientDependencies
import SoundCard
import SpeechClient
import SpeechClientLive
import SpeechEngine
import VirtualSoundCard

/// Measures the memory traffic of captured audio from the card to an engine that ignores the
/// samples.
///
/// The figures include the virtual card's own copy and the allocations of its timers.
enum CapturePath {
  private static let seconds = 10

  static func measure(on bench: SpeechBench) async throws -> [Finding] {
    let card = VirtualSoundCard(
      microphone: .buffer(try SpeechBench.buffer(of: bench.clips[0].url)))
    let engine = SpeechEngine(
      name: "none", availability: { .ready(SpeechModel(language: "und", location: "none")) },
      makeSession: { _ in DeafSession() })
    let count = try await withDependencies {
      $0.soundCard = card.soundCard
      $0.audioRecorder = .liveValue
      $0.speechEngine = engine
    } operation: {
      try await recognize(with: SpeechClient.liveValue)
    }
    // The bytes of the stream: Float32 at 16 kHz, mono.
    let stream = Double(seconds * 16_000 * MemoryLayout<Float>.size)
    return [
      Finding(
        name: "card to engine: copies of each sample", value: Double(count.copied_bytes) / stream,
        unit: "", bound: 6, remark: "\(seconds) s of speech"),
      Finding(
        name: "card to engine: allocated", value: Double(count.allocated_bytes) / stream,
        unit: "B/B", bound: 8, remark: "bytes for each byte of audio"),
      Finding(
        name: "card to engine: allocations",
        value: Double(count.allocations) / Double(seconds), unit: "/s"),
    ]
  }

  private static func recognize(with speech: SpeechClient) async throws -> memory_count {
    let events = await speech.recognition(request: SpeechRequest(microphone: .speech))
    let begin = ContinuousClock.now
    let end = Task {
      try await Task.sleep(until: begin + .seconds(2))
      memory_count_reset()
      try await Task.sleep(until: begin + .seconds(2 + seconds))
      let count = memory_count_read()
      await speech.finishTask()
      return count
    }
    for try await _ in events {}
    return try await end.value
  }
}

/// Ignores the samples.
private final class DeafSession: SpeechEngineSession {
  func beginUtterance() {}
  func process(_ samples: [Float]) {}
  var hypothesis: SpeechHypothesis { SpeechHypothesis() }
  func finishUtterance() -> SpeechHypothesis { SpeechHypothesis() }
}
