import AudioCore
import AudioRecorderClient
import ClientDependencies
import FilePaths
import FoundationEssentials
import Glibc

extension RecordCommand {
  func record(_ request: RecordingRequest, in context: CommandContext) async throws {
    @Dependency(\.audioRecorder) var recorder
    // The key q ends the recording, if standard input is a terminal.
    let terminal = isStream || rules.json ? nil : KeyTerminal()
    defer { terminal?.restore() }
    context.signals.beforeExit { terminal?.restore() }
    let keys = try terminal?.keys()
    let command = exec.command(gracePeriod: nil, in: context)
    try await context.signals.finishing(with: { [recorder] in
      if await command?.interrupt() != true { await recorder.stopRecording() }
    }) {
      try await context.signals.commanding({ [recorder, request] in
        await handle($0, recorder, request)
      }) {
        try await command.finishing {
          try await follow(recorder, request, keys, running: command, in: context)
        }
      }
    }
  }

  private func follow(
    _ recorder: AudioRecorderClient, _ request: RecordingRequest,
    _ keys: AsyncStream<PlaybackKey>?, running command: EventCommand?, in context: CommandContext
  ) async throws {
    let events = await recorder.recording(request: request)
    // Handles a signal that arrived before the recorder had started the recording.
    if context.signals.received != nil { await recorder.stopRecording() }
    let quitting = keys.map { keys in
      Task {
        for await key in keys where key == .quit { await recorder.stopRecording() }
      }
    }
    defer { quitting?.cancel() }
    var report = RecordingReport(
      device: request.device, gaps: request.gaps, showsMeter: meter, context: context)
    for try await event in events {
      await report.show(event)
      if let command, let file = event.completeFile {
        await command.run(for: file.text, bytes: file.bytes, as: "SYRINX_FILE")
      }
      if rules.json { try await print(event, recorder, in: context) }
      if case .finished(let finish) = event { try finish.check(length: request.maximumDuration) }
    }
  }

  /// Prints an event; if the reader of the output is gone, completes the recording before throwing.
  private func print(
    _ event: RecordingEvent, _ recorder: AudioRecorderClient, in context: CommandContext
  ) async throws {
    do {
      try await context.console.print(JSONRecord(event).jsonLine())
    } catch {
      await recorder.stopRecording()
      throw error
    }
  }
}

/// Controls the recording by the signals SIGUSR1 and SIGUSR2.
///
/// If pausing fails, the next SIGUSR2 pauses again instead of resuming.
func handle(
  _ signals: AsyncStream<Int32>, _ recorder: AudioRecorderClient, _ request: RecordingRequest
) async {
  var isPaused = false
  for await signal in signals {
    // A recording to standard output has no ID, so signals do not control it.
    guard let id = request.id, let command = RecordingCommand(signal: signal, isPaused: isPaused)
    else { continue }
    // The error is ignored, because a recording that has ended accepts no command.
    do {
      try await recorder.control(id: id, command: command)
      isPaused = command == .pause || isPaused && command != .resume
    } catch {}
  }
}

extension RecordingEvent {
  /// The file that is complete with this event; nil for most events.
  fileprivate var completeFile: FilePath? {
    switch self {
    case .rolled(let rolled): FilePath(rolled.finished)
    case .finished(let finish), .closed(let finish): finish.file.map { FilePath($0) }
    default: nil
    }
  }
}

extension RecordingFinish {
  /// Throws if the recording ended before the requested length, or without frames.
  func check(length: Duration?) throws(CommandFailure) {
    switch reason {
    case .deviceEnded where frameCount == 0: throw .noSound
    case .deviceEnded: try check(length, because: "the device ended")
    case .gap: try check(length, because: "audio was lost")
    case .stopped, .lengthReached, .silence, .failed: return
    }
  }

  /// Throws if the recording is more than a millisecond shorter than requested.
  ///
  /// Rounding to whole frames may shorten the recording by less than that.
  private func check(_ length: Duration?, because cause: String) throws(CommandFailure) {
    guard let length, recorded + .milliseconds(1) < length else { return }
    throw CommandFailure(
      "\(cause) after \(recorded.secondsText), "
        + "before the requested \(length.secondsText)")
  }
}

extension RecordingCommand {
  /// Creates the command of a signal: SIGUSR1 begins the next file, and SIGUSR2 pauses or resumes.
  init?(signal: Int32, isPaused: Bool) {
    switch signal {
    case SIGUSR1: self = .roll
    case SIGUSR2: self = isPaused ? .resume : .pause
    default: return nil
    }
  }
}
