import AudioCore
import AudioRecorderClient
import FilePaths

/// An event in the output of `syrinx record --json`; lengths in seconds, levels in dBFS and missing
/// for digital silence.
struct RecordingRecord: Encodable {
  /// The levels of one channel.
  struct Channel: Encodable {
    let peak: Double?
    let rms: Double?
    let heldPeak: Double?
    let clipped: Int
  }

  let event: String
  var device: String?
  var rate: Int?
  var channelCount: Int?
  var deviceRate: Int?
  var deviceChannelCount: Int?
  var recorded: Double?
  var lost: Double?
  var samples: Int?
  var gap: Double?
  var preRoll: Double?
  var peak: Double?
  var rms: Double?
  var channels: [Channel]?
  var level: Double?
  var left: Double?
  var file: FilePath?
  var next: FilePath?
  var frames: Int?
  var reason: String?
  var clipped: Int?

  /// The documentation of the JSON in the help.
  static let schema = """
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
}

extension RecordingRecord {
  init(_ event: RecordingEvent) {
    switch event {
    case .started(let start):
      self.init(
        event: "started", device: start.device.rawValue,
        rate: start.fileFormat.sampleRate.hertz, channelCount: start.fileFormat.channelCount,
        deviceRate: start.deviceFormat.sampleRate.hertz,
        deviceChannelCount: start.deviceFormat.channelCount)
    case .levels(let levels): self.init(levels)
    case .xrun(let length): self.init(event: "xrun", lost: length.inLostSeconds)
    case .nonFinite(let count): self.init(event: "nonFinite", samples: count)
    case .waiting: self.init(event: "waiting")
    case .began(let length): self.init(event: "began", preRoll: length.inRecordSeconds)
    case .paused(let length): self.init(event: "paused", recorded: length.inRecordSeconds)
    case .resumed(let length): self.init(event: "resumed", recorded: length.inRecordSeconds)
    case .rolled(let rolled):
      self.init(
        event: "rolled", file: FilePath(rolled.finished), next: FilePath(rolled.next),
        frames: rolled.frameCount.rawValue)
    case .silentMicrophone(let level): self.init(event: "silentMicrophone", level: level.finite)
    case .diskLow(let left): self.init(event: "diskLow", left: left.inRecordSeconds)
    case .deviceLost: self.init(event: "deviceLost")
    case .deviceReturned(let gap): self.init(event: "deviceReturned", gap: gap.inLostSeconds)
    case .closed(let finish): self.init(event: "closed", finish)
    case .finished(let finish): self.init(event: "finished", finish)
    }
  }

  private init(_ levels: RecordingLevels) {
    self.init(
      event: "levels", recorded: levels.recorded.inRecordSeconds,
      peak: levels.level.peak.finite, rms: levels.level.rms.finite,
      channels: levels.channels.map {
        Channel(
          peak: $0.peak.finite, rms: $0.rms.finite, heldPeak: $0.heldPeak.finite,
          clipped: $0.clippedSamples)
      })
  }

  private init(event: String, _ finish: RecordingFinish) {
    self.init(
      event: event, recorded: finish.recorded.inRecordSeconds, peak: finish.level?.peak.finite,
      rms: finish.level?.rms.finite, frames: finish.frameCount.rawValue,
      reason: finish.reason.rawValue, clipped: finish.level.map { _ in finish.clippedSamples })
  }
}
