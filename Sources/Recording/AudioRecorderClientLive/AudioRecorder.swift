import AudioCore
import AudioRecorderClient
import ClientDependencies
import Glibc
import SoundCard

/// The live recorder, which owns the running recordings and captures.
actor AudioRecorder {
  private let openDevices = CaptureDevices()
  private let threads: RecordingThreads
  private var recordings: [ObjectIdentifier: Recording] = [:]
  /// The captures that can be stopped by ID.
  private var captures: [RecordingID: CaptureSession] = [:]

  init(threads: RecordingThreads = RecordingThreads()) {
    self.threads = threads
  }

  /// The longest of the recorded durations of all running recordings; nil if none is running.
  var recorded: Duration? {
    recordings.values.map(\.recorded).max()
  }

  func mayRecord() async -> Bool {
    @Dependency(\.soundCard) var soundCard
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    @Dependency(\.continuousClock) var clock
    let opening = DeviceOpening(PCMRequest(format: format), on: soundCard, clock: clock)
    do {
      try await openDevices.probe(opening)
      return true
    } catch {
      return (error as? SoundCardError)?.isHeldByThisProcess ?? false
    }
  }

  /// Records until the recording is stopped; cancellation completes the file and throws.
  func record(_ request: RecordingRequest) async throws -> Bool {
    let recording = try begin(request) { _ in }
    defer { recording.releaseTime() }
    return try await withTaskCancellationHandler {
      await end(recording)
      let finish = try await recording.ended()
      try Task.checkCancellation()
      return finish.frameCount > 0
    } onCancel: {
      recording.stop()
    }
  }

  func recording(_ request: RecordingRequest) -> AsyncThrowingStream<RecordingEvent, any Error> {
    // A canceled consumer cannot wait for the end of the recording, so do not begin it.
    guard !Task.isCancelled else { return .finished(throwing: nil) }
    @Dependency(\.soundCard) var soundCard
    let pipe = PolicyPipe<RecordingEvent>(
      policy: .recording,
      hold: TimeHold(soundCard.lockstep, "a reader of recording events", isFeature: true))
    let recording: Recording
    do {
      recording = try begin(request) { pipe.send($0) }
    } catch {
      return .finished(throwing: error)
    }
    pipe.onTermination(awaitingEnd: true) { recording.stop() }
    Task {
      defer { recording.releaseTime() }
      // The ID is released before the consumer receives the last event, so that the consumer can
      // use the ID again at once.
      await end(recording)
      do {
        pipe.send(.finished(try await recording.ended()))
        pipe.finish()
      } catch {
        if let remains = recording.remains { pipe.send(.closed(remains)) }
        pipe.finish(throwing: error)
      }
    }
    return pipe.stream()
  }

  /// Controls the recording with this ID.
  func control(_ id: RecordingID, _ command: RecordingCommand) throws {
    if command == .stop { captures[id]?.stop() }
    guard let recording = recordings.values.first(where: { $0.id == id }) else {
      // A recording that has just ended need not be stopped.
      if command == .stop { return }
      throw AudioRecorderError.unknownRecording(id)
    }
    recording.apply(command)
  }

  /// Sends a command to every recording.
  func controlAll(_ command: RecordingCommand) {
    for recording in recordings.values { recording.apply(command) }
  }

  func capture(_ request: CaptureRequest) -> AsyncThrowingStream<CapturedAudio, any Error> {
    guard !Task.isCancelled else { return .finished(throwing: nil) }
    @Dependency(\.soundCard) var soundCard
    @Dependency(\.continuousClock) var clock
    let pipe = PolicyPipe<CapturedAudio>(
      policy: .droppingOldest(after: request.droppingOldestAfter),
      hold: TimeHold(soundCard.lockstep, "a reader of a capture", isFeature: true))
    let session = CaptureSession(on: openDevices, lockstep: soundCard.lockstep)
    if let id = request.id {
      guard !isInUse(id) else { return .finished(throwing: AudioRecorderError.idInUse(id)) }
      captures[id] = session
    }
    pipe.onTermination(awaitingEnd: true) { session.stop() }
    Task { [soundCard, clock] in
      defer { session.releaseTime() }
      do {
        try request.check()
        let opening = DeviceOpening(request.deviceRequest, on: soundCard, clock: clock)
        await session.start(opening) { device, _ in
          try StreamConsumer(pipe, request, device: device)
        }
        try await session.ended()
        forget(request)
        pipe.finish()
      } catch {
        forget(request)
        pipe.finish(throwing: error)
      }
    }
    // A canceled consumer has skipped blocks, so it must not get a later block, which would follow
    // an unreported gap.
    return pipe.stream { Task.isCancelled ? nil : $0 }
  }

  /// Releases the ID of a capture; called before the consumer sees the end of the stream.
  private func forget(_ capture: CaptureRequest) {
    if let id = capture.id { captures[id] = nil }
  }

  nonisolated func devices() async throws -> [AudioDevice] {
    @Dependency(\.soundCard) var soundCard
    do {
      return try await soundCard.devices(for: .capture)
    } catch let error as SoundCardError {
      throw AudioRecorderError(error)
    }
  }

  func stop() async {
    let running = Array(recordings.values)
    for recording in running { recording.stop() }
    for recording in running { await end(recording) }
  }

  /// Begins a recording; the caller must then await `end`.
  private func begin(
    _ request: RecordingRequest, report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws -> Recording {
    if let id = request.id, isInUse(id) { throw AudioRecorderError.idInUse(id) }
    @Dependency(\.soundCard) var soundCard
    @Dependency(\.continuousClock) var clock
    let recording = Recording(
      request, on: openDevices, threads: threads, lockstep: soundCard.lockstep, report: report)
    recordings[ObjectIdentifier(recording)] = recording
    recording.start(on: soundCard, clock: clock)
    return recording
  }

  private func isInUse(_ id: RecordingID) -> Bool {
    captures[id] != nil || recordings.values.contains { $0.id == id }
  }

  /// Returns when the recording has ended and is removed.
  private func end(_ recording: Recording) async {
    await recording.waitUntilClosed()
    recordings[ObjectIdentifier(recording)] = nil
  }
}

extension SoundCardError {
  /// Whether another part of this process uses the device, perhaps under another name.
  ///
  /// A holder that was only guessed does not count: this process may use another device.
  fileprivate var isHeldByThisProcess: Bool {
    guard case .busy(_, let holder?) = self else { return false }
    return holder.processID == getpid() && !holder.isGuess
  }
}
