import AudioCore
import ClientDependencies
import SpeechClient
import Synchronization

extension SpeechClient {
  typealias Buffers = any AsyncSequence<AudioBuffer, any Error> & Sendable

  /// Returns a recognizer whose results are made on request.
  ///
  /// - Parameter result: makes the result with the given number, counted from 1, from the buffers
  ///   that have not been recognized yet; nil ends the recognition.
  static func scripted(
    _ result: @escaping @Sendable (Int, Buffers) async throws -> SpeechRecognitionResult?
  ) -> SpeechClient {
    var client = SpeechClient()
    client.recognition = { request in
      guard case .buffers(let buffers) = request.source else { return .finished() }
      let pulls = Atomic<Int>(0)
      return AsyncThrowingStream {
        let pull = pulls.add(1, ordering: .relaxed).newValue
        return try await result(pull, buffers).map { .result($0) }
      }
    }
    return client
  }
}
