import AudioCore
import AudioRecorderClient
import FilePaths

/// The events in the output of `syrinx record --json`; lengths in seconds, levels in dBFS and missing
/// for digital silence.
extension JSONRecord {
  /// The documentation of the JSON in the help.
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
    stopped, silence, deviceEnded, gap, or failed.
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
