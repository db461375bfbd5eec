import AudioCore
import ClientDependencies
import Foundation

extension AudioRecorderClient {
  static func preview() -> AudioRecorderClient {
    let recorder = PreviewRecorder()
    return AudioRecorderClient(
      currentTime: { await recorder.currentTime },
      requestRecordPermission: { true },
      startRecording: { try await recorder.startRecording($0) },
      stopRecording: { await recorder.stop() },
      recording: { await recorder.recording($0) },
      capture: { PreviewMicrophone.capture($0) })
  }
}

/// Records nothing, for as long as it is told to.
private actor PreviewRecorder {
  private var recordings: [Int: Task<Void, Never>] = [:]
  private var nextID = 0
  private(set) var recorded: Duration?

  var currentTime: TimeInterval? { recorded?.inSeconds }

  func startRecording(_ url: URL) async throws -> Bool {
    var hasRecorded = false
    for try await event in recording(RecordingRequest(url: url)) {
      if case .finished(let finish) = event { hasRecorded = finish.frameCount > 0 }
    }
    try Task.checkCancellation()
    return hasRecorded
  }

  func recording(_ request: RecordingRequest) -> AsyncThrowingStream<RecordingEvent, any Error> {
    let pipe = StreamPipe<RecordingEvent>(policy: .recording)
    @Dependency(\.continuousClock) var clock
    let format = PreviewMicrophone.format(request.sampleRate, request.channelCount)
    let id = nextID
    nextID += 1
    let task = Task { [clock] in
      await record(request, format, on: clock, into: pipe)
      recordings[id] = nil
    }
    recordings[id] = task
    recorded = .zero
    pipe.onTermination { task.cancel() }
    return pipe.stream()
  }

  func stop() async {
    let tasks = Array(recordings.values)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func record(
    _ request: RecordingRequest, _ format: AudioFormat, on clock: any Clock<Duration>,
    into pipe: StreamPipe<RecordingEvent>
  ) async {
    pipe.send(
      .started(RecordingStart(device: "preview", deviceFormat: format, fileFormat: format)))
    let level = PreviewMicrophone.signal.buffer(.milliseconds(100), format: format).level
    var length = Duration.zero
    var reason = RecordingFinish.Reason.stopped
    while true {
      let left = request.maximumDuration.map { $0 - length } ?? .milliseconds(100)
      if left <= .zero {
        reason = .lengthReached
        break
      }
      let step = min(left, .milliseconds(100))
      do { try await clock.sleep(for: step) } catch { break }
      length += step
      recorded = length
      pipe.send(.levels(RecordingLevels(recorded: length, level: level)))
    }
    recorded = nil
    let frames = FrameCount(length, at: format.sampleRate)
    pipe.send(
      .finished(RecordingFinish(reason: reason, frameCount: frames, recorded: length)))
    pipe.finish()
  }
}
