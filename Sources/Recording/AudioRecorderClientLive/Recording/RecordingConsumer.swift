import AudioCore
import AudioRecorderClient
import AudioThreads

/// Writes a recording: picks channels, converts, lets the gate select the frames to record, and
/// stops at the requested length.
final class RecordingConsumer: CaptureConsumer {
  /// The maximum duration of joined blocks, kept short because audio that is not written yet is
  /// lost if the process is killed.
  private static let longestBatch = Duration.milliseconds(250)

  /// The maximum silence to write after a stop.
  ///
  /// Without this limit, a machine that was suspended for days would write days of silence.
  private static let silenceAtStop = Duration.seconds(10)

  private let output: any RecordingOutput
  let converter: CaptureConverter
  private let recording: Recording
  private let limit: FrameCount?
  private let gaps: RecordingGapRule
  private let maximumBatch: Duration
  let onDeviceLoss: DeviceLossPolicy
  private var gate: RecordingGate
  private var levels: LevelReport
  private var silence: SilentMicrophone?
  /// Whether the next gap is the absence of a lost device, which has been reported already.
  private var isReturning = false
  private var hasStoppedAtGap = false
  private var hasStoppedInGap = false

  /// Opens the output, whose files `storing` flush and complete; throws `AudioRecorderError` on
  /// failure.
  init(
    _ recording: Recording, encoding: SoundFileEncoding, device: AudioFormat, storing: ThreadPool?
  ) throws(AudioRecorderError) {
    let request = recording.request
    let format = request.fileFormat(encoding, on: try device.picking(request.channels))
    converter = try CaptureConverter(request.channels, of: device, to: format)
    output = try request.output(
      format, encoding, stopSignal: recording.stopSignal, storing: storing,
      report: recording.report)
    (self.recording, gaps) = (recording, request.gaps)
    onDeviceLoss = request.onDeviceLoss
    limit = request.maximumDuration.map { FrameCount($0, at: format.sampleRate) }
    gate = RecordingGate(request, rate: format.sampleRate)
    levels = LevelReport(format: format, interval: request.levelsInterval)
    // A descriptor's reader gets each block at once, so blocks are not joined.
    let allowsBatches = !request.isLive && levels.interval > LevelReport.shortestInterval
    maximumBatch = allowsBatches ? Self.longestBatch : .zero
    silence = request.warnBelow.map { SilentMicrophone($0, rate: format.sampleRate) }
  }

  /// The format of the file.
  var format: AudioFormat { output.format }

  /// Whether the recording is still waiting to begin.
  var isWaiting: Bool { gate.isWaiting }

  func process(_ block: CapturedAudio, number: Int) throws -> Bool {
    try output.checkLast()
    try applyCommands(at: number)
    if let gap = block.gap { try bridge(gap) }
    guard !isOver else { return false }
    if block.nonFiniteCount > 0, !gate.isPaused {
      recording.report(.nonFinite(sampleCount: block.nonFiniteCount))
    }
    try record(block.buffer)
    return !isOver
  }

  func deviceLost() throws -> Bool {
    try output.checkLast()
    recording.report(.deviceLost)
    if gaps == .stop, !gate.isPaused { stopAtGap() }
    return !isOver
  }

  func deviceReturned(after gap: Duration) {
    recording.report(.deviceReturned(gap: gap))
    isReturning = gap > .zero
  }

  /// The maximum duration of blocks to join, at most the remaining length.
  ///
  /// It is zero while a command waits, so that the command is not delayed.
  var batchDuration: Duration {
    guard maximumBatch > .zero, !recording.hasCommands, !gate.isWaiting else { return .zero }
    let left = limit.map { ($0 - output.framesWritten).duration(at: format.sampleRate) }
    return min(maximumBatch, max(.zero, left ?? maximumBatch))
  }

  func finish() throws {
    let ending = Result {
      try carryOut(gate.flush())
    }
    do {
      try output.close()
    } catch {
      var remains = summary
      remains.file = nil
      recording.noteFinished(remains)
      throw error
    }
    recording.noteFinished(summary)
    try ending.get()
  }

  private var length: Duration { length(with: 0) }

  private func length(with held: FrameCount) -> Duration {
    (output.framesWritten + held).duration(at: format.sampleRate)
  }

  private var isComplete: Bool { limit.map { output.framesWritten >= $0 } ?? false }

  private var isOver: Bool { isComplete || gate.isOver || hasStoppedAtGap || hasStoppedInGap }

  private var summary: RecordingFinish {
    let reason: RecordingFinish.Reason =
      isComplete
      ? .lengthReached : gate.isOver ? .silence : hasStoppedAtGap ? .gap : .deviceEnded
    return RecordingFinish(
      reason: reason, frameCount: output.framesWritten, recorded: length,
      level: levels.recordedLevel, clippedSamples: levels.clippedSamples, file: output.file)
  }

  private func applyCommands(at block: Int) throws {
    for command in recording.popCommands(at: block) {
      if command == .roll { output.roll() }
      try carryOut(gate.apply(command))
    }
  }

  /// Reports a loss and fills it according to `gaps`; a loss during a pause has no effect.
  private func bridge(_ gap: CaptureGap) throws {
    defer { isReturning = false }
    guard !gate.isPaused else { return }
    if !isReturning { recording.report(.xrun(gap.lost.duration(at: format.sampleRate))) }
    switch gaps {
    case .silence: try recordSilence(gap.lost)
    case .omit: break
    case .stop: stopAtGap()
    }
  }

  /// Ends the recording at a gap.
  private func stopAtGap() {
    hasStoppedAtGap = !gate.isWaiting
  }

  /// Records silence in place of lost frames, a second at a time.
  ///
  /// A stop during a long gap ends the recording within the gap, because later audio would be at
  /// the wrong time.
  private func recordSilence(_ lost: FrameCount) throws {
    let mostAtStop = FrameCount(Self.silenceAtStop, at: format.sampleRate)
    var left = lost
    while left > 0 && !isOver {
      hasStoppedInGap = lost - left >= mostAtStop && recording.isStopping
      if hasStoppedInGap { return }
      let count = min(left, FrameCount(.seconds(1), at: format.sampleRate))
      try carryOut(gate.insert(AudioBuffer(silence: count, format: format)))
      left -= count
    }
  }

  private func record(_ buffer: AudioBuffer) throws {
    guard !isOver else { return }
    try carryOut(gate.process(buffer))
    guard !gate.isPaused else { return }
    levels.add(buffer, recorded: output.framesWritten).map { recording.report(.levels($0)) }
    silence?.process(buffer).map { recording.report(.silentMicrophone($0)) }
  }

  private func carryOut(_ outputs: [RecordingGate.Output]) throws {
    for output in outputs {
      switch output {
      case .keep(let buffer): try write(buffer)
      case .began(let preRoll):
        recording.report(.began(preRoll: preRoll.duration(at: format.sampleRate)))
      case .paused(let held): recording.report(.paused(length(with: held)))
      case .resumed(let held): recording.report(.resumed(length(with: held)))
      }
    }
  }

  private func write(_ buffer: AudioBuffer) throws {
    let room = limit.map { $0 - output.framesWritten } ?? buffer.frameCount
    let kept = room < buffer.frameCount ? buffer.frames(0..<max(0, room)) : buffer
    guard !kept.isEmpty else { return }
    levels.count(recorded: kept)
    try output.append(kept)
    recording.noteRecorded(length)
  }
}
