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

  init(_ event: RecordingEvent) {
    self.event = event.name
    switch event {
    case .started(let start):
      device = start.device.rawValue
      rate = start.fileFormat.sampleRate.hertz
      channelCount = start.fileFormat.channelCount
      deviceRate = start.deviceFormat.sampleRate.hertz
      deviceChannelCount = start.deviceFormat.channelCount
    case .levels(let levels): set(levels)
    case .xrun(let length): lost = length.inLostSeconds
    case .nonFinite(let count): samples = count
    case .waiting, .deviceLost: break
    case .deviceReturned(let gap): self.gap = gap.inLostSeconds
    case .began(let length): preRoll = length.inRecordSeconds
    case .paused(let length), .resumed(let length): recorded = length.inRecordSeconds
    case .rolled(let rolled):
      (file, next) = (FilePath(rolled.finished), FilePath(rolled.next))
      frames = rolled.frameCount.rawValue
    case .silentMicrophone(let level): self.level = level.finite
    case .diskLow(let left): self.left = left.inRecordSeconds
    case .closed(let finish), .finished(let finish): set(finish)
    }
  }

  private mutating func set(_ levels: RecordingLevels) {
    recorded = levels.recorded.inRecordSeconds
    (peak, rms) = (levels.level.peak.finite, levels.level.rms.finite)
    channels = levels.channels.map {
      Channel(
        peak: $0.peak.finite, rms: $0.rms.finite, heldPeak: $0.heldPeak.finite,
        clipped: $0.clippedSamples)
    }
  }

  private mutating func set(_ finish: RecordingFinish) {
    recorded = finish.recorded.inRecordSeconds
    frames = finish.frameCount.rawValue
    reason = finish.reason.rawValue
    guard let level = finish.level else { return }
    (peak, rms) = (level.peak.finite, level.rms.finite)
    clipped = finish.clippedSamples
  }

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

extension RecordingEvent {
  fileprivate var name: String {
    switch self {
    case .started: "started"
    case .levels: "levels"
    case .xrun: "xrun"
    case .nonFinite: "nonFinite"
    case .waiting: "waiting"
    case .began: "began"
    case .paused: "paused"
    case .resumed: "resumed"
    case .rolled: "rolled"
    case .silentMicrophone: "silentMicrophone"
    case .diskLow: "diskLow"
    case .deviceLost: "deviceLost"
    case .deviceReturned: "deviceReturned"
    case .closed: "closed"
    case .finished: "finished"
    }
  }
}
