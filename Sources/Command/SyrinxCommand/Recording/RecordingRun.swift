import AudioCore
import AudioRecorderClient
import ClientDependencies
import FoundationEssentials
import Glibc

/// A recording from its request to its end.
struct RecordingRun {
  let request: RecordingRequest
  /// Whether the events go to standard output.
  let printsEvents: Bool
  /// Whether a terminal shows the levels.
  let showsMeter: Bool
  let context: CommandContext

  func run() async throws {
    @Dependency(\.audioRecorder) var recorder
    let terminal = takesKeys ? KeyTerminal() : nil
    defer { terminal?.restore() }
    context.signals.beforeExit { terminal?.restore() }
    let keys = try terminal?.keys()
    try await context.signals.finishing(with: { [recorder] in await recorder.stopRecording() }) {
      try await context.signals.commanding({ [recorder, request] in
        await handle($0, recorder, request)
      }) {
        try await follow(recorder, keys)
      }
    }
  }

  /// Whether the key q ends the recording, if standard input is a terminal.
  private var takesKeys: Bool {
    if case .file = request.destination { !printsEvents } else { false }
  }

  private func follow(
    _ recorder: AudioRecorderClient, _ keys: AsyncStream<PlaybackKey>?
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
      device: request.device, gaps: request.gaps, showsMeter: showsMeter, context: context)
    for try await event in events {
      await report.show(event)
      if printsEvents { try await print(event, recorder) }
      if case .finished(let finish) = event { try finish.check(length: request.maximumDuration) }
    }
  }

  /// Prints an event; if its reader is gone, the recording is completed first.
  private func print(_ event: RecordingEvent, _ recorder: AudioRecorderClient) async throws {
    do {
      try await context.console.print(JSONRecord(event).jsonLine())
    } catch {
      await recorder.stopRecording()
      throw error
    }
  }
}

/// Sends the commands of the signals to the recording.
private func handle(
  _ signals: AsyncStream<Int32>, _ recorder: AudioRecorderClient, _ request: RecordingRequest
) async {
  var commands = SignalCommands()
  for await signal in signals {
    // A recording to standard output has no ID.
    guard let id = request.id, let command = commands.command(for: signal) else { continue }
    // A command to an ended recording has no effect.
    do {
      try await recorder.control(id: id, command: command)
      commands.succeeded(command)
    } catch {}
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

  /// Lengths are rounded to frames, hence the margin.
  private func check(_ length: Duration?, because cause: String) throws(CommandFailure) {
    guard let length, recorded + .milliseconds(1) < length else { return }
    throw CommandFailure(
      "\(cause) after \(recorded.secondsText), "
        + "before the requested \(length.secondsText)")
  }
}

/// Maps SIGUSR1 and SIGUSR2 to commands of a recording.
struct SignalCommands {
  private var isPaused = false

  /// SIGUSR1 begins the next file; SIGUSR2 pauses and resumes in turn.
  func command(for signal: Int32) -> RecordingCommand? {
    switch signal {
    case SIGUSR1: .roll
    case SIGUSR2: isPaused ? .resume : .pause
    default: nil
    }
  }

  /// Records that the recording has accepted the command.
  mutating func succeeded(_ command: RecordingCommand) {
    switch command {
    case .pause: isPaused = true
    case .resume: isPaused = false
    default: break
    }
  }
}
