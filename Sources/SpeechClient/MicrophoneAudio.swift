package import AudioCore
public import AudioRecorderClient
import ClientDependencies

/// Captured audio as buffers for a recognizer.
///
/// A gap is a jump in `firstFrame`. Each buffer carries the number of samples that the recorder
/// silenced.
///
/// Each iteration is a separate capture: it begins with the first call of `next`, and ends with the
/// iterator or when its task is canceled.
package struct MicrophoneAudio: AsyncSequence, Sendable {
  private let recorder: AudioRecorderClient
  private var request: CaptureRequest
  private let whenOpen: @Sendable (CapturedAudio) async -> Void

  /// Audio of the recorder that is `\.audioRecorder` now.
  ///
  /// - Parameters:
  ///   - backlog: the limit of the reader's own store; the capture drops nothing before.
  ///   - whenOpen: called with the first block of each capture, before it is recognized.
  package init(
    _ request: CaptureRequest, backlog: Duration = .zero,
    whenOpen: @escaping @Sendable (_ first: CapturedAudio) async -> Void = { _ in }
  ) {
    @Dependency(\.audioRecorder) var recorder
    (self.recorder, self.request, self.whenOpen) = (recorder, request, whenOpen)
    self.request.droppingOldestAfter = Swift.max(request.droppingOldestAfter, backlog)
  }

  package struct Iterator: AsyncIteratorProtocol {
    private let recorder: AudioRecorderClient
    private let request: CaptureRequest
    private var whenOpen: (@Sendable (CapturedAudio) async -> Void)?
    private var blocks: AsyncThrowingStream<CapturedAudio, any Error>.Iterator?

    fileprivate init(_ audio: MicrophoneAudio) {
      (recorder, request, whenOpen) = (audio.recorder, audio.request, audio.whenOpen)
    }

    package mutating func next() async throws -> AudioBuffer? {
      if blocks == nil {
        blocks = await recorder.capture(request: request).makeAsyncIterator()
      }
      let block = try await blocks?.next()
      if let block, let whenOpen = whenOpen.take() { await whenOpen(block) }
      var buffer = block?.buffer
      buffer?.silencedSampleCount = block?.nonFiniteCount ?? 0
      return buffer
    }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension CaptureRequest {
  /// The default microphone for a recognizer: 16 kHz, one channel, a backlog of up to a minute.
  public static let speech = CaptureRequest(
    sampleRate: .speech, channelCount: 1, droppingOldestAfter: .seconds(60))
}
