import AudioCore
import BenchmarkTools
import ClientDependencies
import MoonshineEngine
import SileroDetector
import SpeechClient
import SpeechClientLive
import SpeechEngine

/// The live client with Moonshine and Silero, as in the command, but in this process.
struct MoonshineClient: Sendable {
  private let speech: SpeechClient

  /// Loads the model.
  init() async throws {
    let speech = withDependencies {
      $0.speechEngine = .moonshine()
      $0.speechActivityDetector = .best
    } operation: {
      SpeechClient.liveValue
    }
    guard case .authorized = await speech.requestAuthorization() else {
      throw Program.Failure(description: "Moonshine is not installed: Tests/bench.sh installs it")
    }
    self.speech = speech
  }

  func events(of request: SpeechRequest) async throws -> [SpeechRecognitionEvent] {
    var events: [SpeechRecognitionEvent] = []
    for try await event in await speech.recognition(request: request) { events.append(event) }
    return events
  }

  /// Returns the events of audio that is recognized like a file, without partial results.
  func events(of audio: AudioBuffer) async throws -> [SpeechRecognitionEvent] {
    let buffers = AsyncStream<AudioBuffer> { continuation in
      continuation.yield(audio)
      continuation.finish()
    }
    var request = SpeechRequest(buffers: buffers, shouldReportPartialResults: false)
    request.endpointPolicy.joinsUtterances = true
    return try await events(of: request)
  }
}

extension SpeechRecognitionEvent {
  var result: SpeechRecognitionResult? {
    if case .result(let result) = self { result } else { nil }
  }

  var isDropped: Bool {
    if case .dropped = self { true } else { false }
  }
}

extension [SpeechRecognitionEvent] {
  /// The texts of the final results.
  var texts: [String] {
    compactMap(\.result).filter(\.isFinal).map(\.bestTranscription.formattedString)
  }

  /// The number of utterances with neither a final result nor a loss, or with several final
  /// results.
  var unansweredCount: Int {
    var (count, finals, losses) = (0, 0, 0)
    for event in self {
      switch event {
      case .speechStarted: (finals, losses) = (0, 0)
      case .result(let result) where result.isFinal: finals += 1
      case .dropped: losses += 1
      case .speechEnded where finals > 1 || finals + losses == 0: count += 1
      default: break
      }
    }
    return count
  }
}

extension Array where Element: Sendable {
  /// Returns the results for all elements in order, and computes several at a time.
  func mapped<Result: Sendable>(
    taskCount: Int = 2, _ body: @escaping @Sendable (Element) async throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var results: [Result?] = map { _ in nil }
      for (index, element) in enumerated() {
        if index >= taskCount, let (place, result) = try await group.next() {
          results[place] = result
        }
        group.addTask { (index, try await body(element)) }
      }
      for try await (place, result) in group { results[place] = result }
      return results.compactMap { $0 }
    }
  }
}

extension Sequence {
  /// Returns the names of the first four elements, for the remark in a `Finding`.
  func named(_ name: (Element) -> String) -> String {
    prefix(4).map(name).joined(separator: ", ")
  }
}
