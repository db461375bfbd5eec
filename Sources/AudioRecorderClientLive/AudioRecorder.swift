import AudioCore
import AudioRecorderClient
import ClientDependencies
import SoundCard

/// The live recorder: it knows the recordings that run.
actor AudioRecorder {
  private let hub = CaptureHub()
  private var recordings: [ObjectIdentifier: Recording] = [:]

  /// The length of the recording that has run longest.
  var recorded: Duration? {
    recordings.values.map(\.recorded).max()
  }

  func mayRecord() async -> Bool {
    @Dependency(\.soundCard) var soundCard
    if await hub.isOpen(nil) { return true }
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    do {
      try await soundCard.openCapture(request: PCMRequest(format: format)).close()
      return true
    } catch {
      return false
    }
  }

  /// Records until it is stopped; a cancelled task completes the file and throws.
  func record(_ request: RecordingRequest) async throws -> Bool {
    let recording = begin(request) { _ in }
    return try await withTaskCancellationHandler {
      let finish = try await recording.ended()
      try Task.checkCancellation()
      return finish.frameCount > 0
    } onCancel: {
      recording.stop()
    }
  }

  func recording(_ request: RecordingRequest) -> AsyncThrowingStream<RecordingEvent, any Error> {
    let pipe = StreamPipe<RecordingEvent>(policy: .recording)
    let recording = begin(request) { pipe.send($0) }
    pipe.onTermination { recording.stop() }
    Task {
      do {
        pipe.send(.finished(try await recording.ended()))
        pipe.finish()
      } catch {
        pipe.finish(throwing: error)
      }
    }
    return pipe.stream()
  }

  func capture(_ request: CaptureRequest) -> AsyncThrowingStream<CapturedAudio, any Error> {
    @Dependency(\.soundCard) var soundCard
    let pipe = StreamPipe<CapturedAudio>(
      policy: .droppingOldest(after: request.droppingOldestAfter))
    let session = CaptureSession(mayBlock: false)
    pipe.onTermination { session.stop() }
    Task { [soundCard, hub] in
      do {
        try checkChannels(request.channelCount, of: "a capture")
        await session.start(request.deviceRequest, on: soundCard, of: hub) { device in
          try CaptureStreaming(pipe, request, device: device.format)
        }
        try await session.ended()
        pipe.finish()
      } catch {
        pipe.finish(throwing: error)
      }
    }
    return pipe.stream()
  }

  func stop() async {
    let running = Array(recordings.values)
    for recording in running { recording.stop() }
    for recording in running { await end(recording) }
  }

  private func begin(
    _ request: RecordingRequest, report: @escaping @Sendable (RecordingEvent) -> Void
  ) -> Recording {
    @Dependency(\.soundCard) var soundCard
    let recording = Recording(
      request, at: .init(soundCard: soundCard, hub: hub), report: report)
    recordings[ObjectIdentifier(recording)] = recording
    Task { await end(recording) }
    return recording
  }

  private func end(_ recording: Recording) async {
    await recording.isOver()
    recordings[ObjectIdentifier(recording)] = nil
  }
}

extension CaptureRequest {
  var deviceRequest: PCMRequest {
    PCMRequest(
      device: device,
      format: AudioFormat(sampleRate: sampleRate ?? 48_000, channelCount: channelCount ?? 1),
      buffering: .capture, prefersNativeRate: true)
  }
}
