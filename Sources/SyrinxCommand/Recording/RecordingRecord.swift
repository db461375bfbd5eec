import AudioCore
import AudioRecorderClient
import FilePaths

/// An event of a recording as `syrinx record --json` tells it; lengths in seconds, levels in dBFS
/// and null for digital silence.
struct RecordingRecord: Encodable {
  /// One channel of a report of levels.
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
    case .xrun(let length): lost = length.inMissingSeconds
    case .nonFinite(let count): samples = count
    case .waiting, .deviceLost: break
    case .deviceReturned(let gap): self.gap = gap.inMissingSeconds
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
  }

  /// What the help says about it.
  static let schema = """
    With --json every event is an object on a line of its own: "event" is started, waiting, began, \
    levels, xrun, nonFinite (so many "samples" were NaN or infinite and are silence), paused, resumed, rolled, silentMicrophone, diskLow, deviceLost, deviceReturned, finished or, before an error, closed; \
    lengths are in seconds, levels in dBFS. started has "rate" and "channelCount" of the file, and \
    "deviceRate" and "deviceChannelCount": where those are less, the file holds no more. deviceReturned has the "gap" that was not heard.
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

extension Decibels {
  /// To a hundredth; JSON knows no infinity.
  fileprivate var finite: Double? { dBFS.isFinite ? (dBFS * 100).rounded() / 100 : nil }
}
