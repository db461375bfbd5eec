package import AudioCore
public import AudioRecorderClient
import ClientDependencies

/// Captured audio as buffers for a recognizer.
///
/// Where audio is missing, `firstFrame` jumps ahead.
///
/// Each iteration is a separate capture. It begins with the first call of `next`, and ends when the
/// iterator is released or its task is canceled.
package struct MicrophoneAudio: AsyncSequence, Sendable {
  private let recorder: AudioRecorderClient
  private let request: CaptureRequest
  private let opening: TimeHold?
  private let whenOpen: @Sendable (CapturedAudio) async -> Void

  /// Creates audio from the current `\.audioRecorder`.
  ///
  /// - Parameters:
  ///   - request: the request for each capture.
  ///   - opening: keeps the clock of a virtual sound card from advancing until the capture has been
  ///     requested.
  ///   - whenOpen: called with the first block of each capture, before it is recognized.
  package init(
    _ request: CaptureRequest, opening: TimeHold? = nil,
    whenOpen: @escaping @Sendable (_ first: CapturedAudio) async -> Void = { _ in }
  ) {
    @Dependency(\.audioRecorder) var recorder
    (self.recorder, self.request) = (recorder, request)
    (self.opening, self.whenOpen) = (opening, whenOpen)
  }

  package struct Iterator: AsyncIteratorProtocol {
    private let recorder: AudioRecorderClient
    private let request: CaptureRequest
    private let opening: TimeHold?
    private var whenOpen: (@Sendable (CapturedAudio) async -> Void)?
    private var blocks: AsyncThrowingStream<CapturedAudio, any Error>.Iterator?

    fileprivate init(_ audio: MicrophoneAudio) {
      (recorder, request) = (audio.recorder, audio.request)
      (opening, whenOpen) = (audio.opening, audio.whenOpen)
    }

    package mutating func next() async throws -> AudioBuffer? {
      if blocks == nil {
        blocks = await recorder.capture(request: request).makeAsyncIterator()
        opening?.end()
      }
      let block = try await blocks?.next()
      if let block, let whenOpen = whenOpen.take() { await whenOpen(block) }
      return block?.buffer
    }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension SpeechRequest {
  /// The back pressure in effect: `wait` for a file, and never `wait` for a microphone.
  package var effectiveBackPressure: BackPressure {
    switch (source, backPressure) {
    case (.file, _): .wait
    case (.microphone(let capture), .wait): .buffer(upTo: capture.droppingOldestAfter)
    default: backPressure
    }
  }

  /// Returns the audio of a microphone; the capture drops no audio while the backlog has room.
  ///
  /// In lockstep, the clock of a virtual sound card does not advance until the capture has been
  /// requested.
  package func audio(
    of capture: CaptureRequest, in lockstep: Lockstep? = nil
  ) -> MicrophoneAudio {
    var capture = capture.capturing(channels)
    if case .buffer(let limit) = backPressure {
      capture.droppingOldestAfter = max(capture.droppingOldestAfter, limit)
    }
    let opening = TimeHold(lockstep, "a microphone that is about to be opened")
    opening?.begin()
    return MicrophoneAudio(capture, opening: opening)
  }
}

extension CaptureRequest {
  /// Returns the request for the channels that a recognizer needs.
  ///
  /// A single channel is captured alone. For separate channels, a mono request captures all of the
  /// device's channels.
  package func capturing(_ wanted: SpeechRequest.Channels) -> CaptureRequest {
    var request = self
    switch wanted {
    case .mixed: break
    case .separate: if channelCount == 1 { request.channelCount = nil }
    case .only(let channel):
      let captured = channels ?? []
      request.channels = [captured.indices.contains(channel) ? captured[channel] : channel]
      request.channelCount = 1
    }
    return request
  }

  /// The default microphone for a recognizer: 16 kHz, one channel, a backlog of up to a minute.
  public static let speech = CaptureRequest(
    sampleRate: .speech, channelCount: 1, droppingOldestAfter: .seconds(60))
}
