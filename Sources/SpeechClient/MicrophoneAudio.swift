package import AudioCore
public import AudioRecorderClient
import ClientDependencies

/// What a microphone hears, as buffers for a recogniser; a gap shows in their `firstFrame`.
///
/// Each iteration is a capture of its own: it begins with the first demand, and ends with the
/// iterator or when its task is cancelled.
package struct MicrophoneAudio: AsyncSequence, Sendable {
  private let recorder: AudioRecorderClient
  private let request: CaptureRequest

  /// Audio of the recorder that `\.audioRecorder` gives now.
  package init(_ request: CaptureRequest) {
    @Dependency(\.audioRecorder) var recorder
    (self.recorder, self.request) = (recorder, request)
  }

  package struct Iterator: AsyncIteratorProtocol {
    private let recorder: AudioRecorderClient
    private let request: CaptureRequest
    private var blocks: AsyncThrowingStream<CapturedAudio, any Error>.Iterator?

    fileprivate init(_ recorder: AudioRecorderClient, _ request: CaptureRequest) {
      (self.recorder, self.request) = (recorder, request)
    }

    package mutating func next() async throws -> AudioBuffer? {
      if blocks == nil {
        blocks = await recorder.capture(request: request).makeAsyncIterator()
      }
      return try await blocks?.next()?.buffer
    }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(recorder, request) }
}

extension CaptureRequest {
  /// What recognisers hear of the default microphone: 16 kHz, one channel.
  ///
  /// Ten seconds of it may wait for whoever reads the capture, so that a busy machine loses
  /// nothing.
  public static let speech = CaptureRequest(
    sampleRate: .speech, channelCount: 1, droppingOldestAfter: .seconds(10))
}
