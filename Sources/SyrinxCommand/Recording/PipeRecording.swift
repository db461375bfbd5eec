import ArgumentParser
import AudioCore
import AudioRecorderClient
import ClientDependencies

/// A recording to standard output.
struct PipeRecording {
  let settings: RecordingSettings
  let context: CommandContext

  func run() async throws {
    guard !StandardDescriptor.output.isTerminal else {
      throw ValidationError("- writes sound to a terminal; send it into a pipe or a file.")
    }
    @Dependency(\.audioRecorder) var recorder
    let id = RecordingID()
    let blocks = await recorder.capture(request: request(id))
    let writer = try PipeWriter(
      samples: settings.samples, isRaw: settings.isRaw, hurry: context.signals.hurry)
    // What waits for a slow reader was heard before the signal, and is still written.
    try await context.signals.finishing(with: { [recorder] in
      try? await recorder.control(id: id, command: .stop)
    }) {
      try await copy(blocks, to: writer)
    }
  }

  /// A recording waits for a reader that takes a rest, before it loses anything.
  func request(_ id: RecordingID) -> CaptureRequest {
    CaptureRequest(
      device: settings.device, sampleRate: settings.sampleRate,
      channelCount: settings.channelCount, droppingOldestAfter: .seconds(30),
      channels: settings.channels, onDeviceLoss: settings.onDeviceLoss, id: id)
  }

  /// Ends with the capture, or when the length is reached.
  private func copy(
    _ blocks: AsyncThrowingStream<CapturedAudio, any Error>, to writer: PipeWriter
  ) async throws {
    var line = PipeTimeLine(length: settings.length)
    var report = RecordingReport(device: settings.device, context: context)
    var recorded = Duration.zero
    var microphone = QuietMicrophone()
    for try await block in blocks {
      let format = block.buffer.format
      if let device = block.device { await report.began(on: device.device, format) }
      try await writer.write(line.parts(of: block), format: format)
      if let gap = block.gap { report.missed(gap.lost.duration(at: format.sampleRate)) }
      if block.nonFiniteCount > 0 {
        await report.show(.nonFinite(sampleCount: block.nonFiniteCount))
      }
      recorded = line.frameCount.duration(at: format.sampleRate)
      let level = block.buffer.level
      await report.heard(recorded, level)
      if let highest = microphone.hears(level, for: block.buffer.duration) {
        await report.show(.silentMicrophone(highest))
      }
      if line.isFull(at: format.sampleRate) { break }
    }
    await report.ended(after: recorded)
    if context.signals.received == nil { try check(recorded, line) }
  }

  private func check(_ recorded: Duration, _ line: PipeTimeLine) throws(CommandFailure) {
    guard line.frameCount > 0 else {
      throw CommandFailure.noSound
    }
    try settings.check(recorded: recorded)
  }
}
