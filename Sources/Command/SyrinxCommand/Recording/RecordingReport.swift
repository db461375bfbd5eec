import AudioCore
import AudioRecorderClient
import FilePaths
import Logging

/// Reports the events of a recording as messages and a status line.
struct RecordingReport {
  let device: AudioDevice.ID?
  let context: CommandContext
  private let gaps: RecordingGapRule
  private let showsMeter: Bool
  private var throttle = StatusThrottle()
  private var lost = Duration.zero
  private var hasLostDevice = false
  private var nonFiniteCount = 0

  init(
    device: AudioDevice.ID?, gaps: RecordingGapRule = .silence, showsMeter: Bool = true,
    context: CommandContext
  ) {
    self.device = device
    self.gaps = gaps
    self.showsMeter = showsMeter
    self.context = context
  }

  mutating func show(_ event: RecordingEvent) async {
    switch event {
    case .started(let start): await started(start)
    case .levels(let levels): await show(levels)
    case .xrun(let length):
      lost += length
      context.log.warning("\(length.secondsText) lost")
    case .nonFinite(let count): nonFiniteCount += count
    case .silentMicrophone(let level):
      await context.console.report("the microphone captures \(level.maximumText); is it muted?")
    case .diskLow(let left):
      await context.console.report(
        "the disk is nearly full: \(left.clockText) left at this rate")
    case .deviceLost:
      hasLostDevice = true
      await context.console.report("the device is lost; waiting for it to return")
    case .deviceReturned(let gap):
      // The gap is zero if the device was lost before its first frame, because no audio is then
      // missing.
      let loss = gap > .zero ? "; \(gap.secondsText) of audio lost" : ""
      await context.console.report("the device is back\(loss)")
    case .waiting: await context.console.notifyTerminal("waiting for sound")
    case .began: await context.console.notifyTerminal("recording began")
    case .paused(let recorded):
      await context.console.notifyTerminal("paused at \(recorded.clockText)")
    case .resumed(let recorded):
      await context.console.notifyTerminal("resumed at \(recorded.clockText)")
    case .rolled(let rolled):
      await context.console.notifyTerminal("\(FilePath(rolled.finished).name) is complete")
      context.log.info("continues in \(FilePath(rolled.next))")
    case .closed(let finish):
      hasLostDevice = hasLostDevice || finish.reason == .failed
      // No `finished` event follows `closed`, so no other event shows the summary.
      if finish.frameCount > 0 { await context.console.notifyTerminal(finish.summary) }
      await reportFaults()
    case .finished(let finish):
      if finish.frameCount > 0 { await context.console.summarize(finish.summary) }
      await reportFaults()
      if finish.frameCount == 0, finish.reason != .deviceEnded {
        await context.console.report("nothing was recorded")
      }
    }
  }

  /// Reports the start with the requested device, or else the device that was opened.
  private func started(_ start: RecordingStart) async {
    let device = device ?? start.device
    await context.console.notifyTerminal(
      "recording from \(device) (\(start.fileFormat)); press Ctrl-C to stop")
    context.log.info("recording from \(device): \(start.fileFormat)")
    if start.exceedsDevice {
      await context.console.notifyTerminal(
        "the device provides \(start.deviceFormat); the recording has no more detail than that")
    }
    if let settings = start.settings { context.log.info("\(device) provides \(settings)") }
  }

  private mutating func show(_ levels: RecordingLevels) async {
    guard throttle.admits(levels.recorded) else { return }
    if showsMeter {
      await context.console.showMeter(LevelMeterLine(levels))
    } else {
      await context.console.showStatus(levels.recorded.clockText)
    }
    context.log.debug(
      "\(levels.recorded.secondsText) recorded, peak \(levels.level.peak.levelText)")
  }

  private func reportFaults() async {
    if nonFiniteCount > 0 {
      await context.console.report(
        "\(nonFiniteCount) captured samples are NaN or infinite and are recorded as silence")
    }
    guard lost > .zero else { return }
    // After a device failure, lost audio does not mean that the machine is too slow, so the message
    // does not ask this.
    let question = hasLostDevice ? "" : "; is this machine too slow or busy?"
    await context.console.report(
      "\(lost.secondsText) of audio was lost \(gaps.consequence)\(question)")
  }
}

extension Decibels {
  /// The displayed maximum level.
  fileprivate var maximumText: String {
    value.isFinite ? "nothing louder than \(levelText)" : "digital silence"
  }
}

extension RecordingFinish {
  /// The displayed summary: length, peak, RMS, and clipped samples.
  var summary: String {
    guard let level else { return "\(recorded.clockText) recorded" }
    let count = clippedSamples.counted("sample")
    let clipped = clippedSamples > 0 ? "\(count) clipped" : "nothing clipped"
    return "\(recorded.clockText) recorded, peak \(level.peak.levelText), "
      + "RMS \(level.rms.levelText), \(clipped)"
  }
}

extension RecordingGapRule {
  /// The end of a message about lost audio: how the recording handles the loss.
  fileprivate var consequence: String {
    switch self {
    case .silence: "and is recorded as silence"
    case .omit: "and is omitted"
    case .stop: "and ended the recording"
    }
  }
}

/// Creates the records that `syrinx record --json` prints for events.
///
/// Lengths are in seconds and levels in dBFS; digital silence has no level.
extension JSONRecord {
  /// The help text about the JSON output.
  static let recordingSchema = """
    With --json, each event is an object on its own line: "event" is started, waiting, began, levels, \
    xrun, nonFinite, paused, resumed, rolled, silentMicrophone, diskLow, deviceLost, deviceReturned, \
    finished, or, before an error, closed. Lengths are in seconds, levels in dBFS (missing for \
    digital silence). started has the "device", the "rate" and "channelCount" of the recording, and \
    "deviceRate" and "deviceChannelCount"; if those are lower, the recording has no more detail. \
    began has the length of the "preRoll"; levels, paused, resumed, closed, and finished have the \
    length "recorded" so far. levels adds "peak", "rms", and "channels", each with "peak", "rms", \
    "heldPeak", and "clipped" samples; xrun has the length "lost"; nonFinite the number of "samples" \
    that were NaN or infinite and are recorded as silence; rolled the complete "file", its "frames", \
    and the "next" file; silentMicrophone the "level" that nothing exceeds; diskLow the time "left"; \
    deviceReturned the "gap" that was not captured; closed and finished add "frames", \
    "peak", "rms", and "clipped" samples of all recorded audio, and the "reason": lengthReached, \
    stopped, silence, deviceEnded, gap, or failed. A failure is an object with the "error".
    """

  init(_ event: RecordingEvent) {
    switch event {
    case .started(let start):
      self = [
        "event": "started", "device": start.device.rawValue,
        "rate": start.fileFormat.sampleRate.hertz, "channelCount": start.fileFormat.channelCount,
        "deviceRate": start.deviceFormat.sampleRate.hertz,
        "deviceChannelCount": start.deviceFormat.channelCount,
      ]
    case .levels(let levels): self.init(levels)
    case .xrun(let length): self = ["event": "xrun", "lost": length.inLostSeconds]
    case .nonFinite(let count): self = ["event": "nonFinite", "samples": count]
    case .waiting: self = ["event": "waiting"]
    case .began(let length): self = ["event": "began", "preRoll": length.inRecordSeconds]
    case .paused(let length): self = ["event": "paused", "recorded": length.inRecordSeconds]
    case .resumed(let length): self = ["event": "resumed", "recorded": length.inRecordSeconds]
    case .rolled(let rolled):
      self = [
        "event": "rolled", "file": FilePath(rolled.finished), "next": FilePath(rolled.next),
        "frames": rolled.frameCount.rawValue,
      ]
    case .silentMicrophone(let level): self = ["event": "silentMicrophone", "level": level.finite]
    case .diskLow(let left): self = ["event": "diskLow", "left": left.inRecordSeconds]
    case .deviceLost: self = ["event": "deviceLost"]
    case .deviceReturned(let gap): self = ["event": "deviceReturned", "gap": gap.inLostSeconds]
    case .closed(let finish): self.init("closed", finish)
    case .finished(let finish): self.init("finished", finish)
    }
  }

  private init(_ levels: RecordingLevels) {
    self = [
      "event": "levels", "recorded": levels.recorded.inRecordSeconds,
      "peak": levels.level.peak.finite, "rms": levels.level.rms.finite,
      "channels": levels.channels.map { channel -> JSONRecord in
        [
          "peak": channel.peak.finite, "rms": channel.rms.finite,
          "heldPeak": channel.heldPeak.finite, "clipped": channel.clippedSamples,
        ]
      },
    ]
  }

  private init(_ event: String, _ finish: RecordingFinish) {
    self = [
      "event": event, "recorded": finish.recorded.inRecordSeconds,
      "peak": finish.level?.peak.finite, "rms": finish.level?.rms.finite,
      "frames": finish.frameCount.rawValue, "reason": finish.reason.rawValue,
      "clipped": finish.level.map { _ in finish.clippedSamples },
    ]
  }
}
