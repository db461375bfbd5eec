import AudioCore
import AudioRecorderClient
import FilePaths
import Logging

/// What people are told during a recording.
struct RecordingReport {
  let device: AudioDevice.ID?
  let context: CommandContext
  private let gaps: RecordingGapRule
  private var pace = StatusPace()
  private var lost = Duration.zero
  private var nonFiniteCount = 0

  init(
    device: AudioDevice.ID?, gaps: RecordingGapRule = .silence, context: CommandContext
  ) {
    self.device = device
    self.gaps = gaps
    self.context = context
  }

  mutating func show(_ event: RecordingEvent) async {
    switch event {
    case .started(let start):
      await began(on: start.device, start.fileFormat)
      if start.exceedsDevice {
        await context.console.mention(
          "the device gives \(start.deviceFormat), and the recording holds no more than that")
      }
      if let settings = start.settings {
        context.log.info("\(device ?? start.device) gives \(settings)")
      }
    case .levels(let levels): await heard(levels.recorded, levels.level)
    case .xrun(let length): missed(length)
    case .nonFinite(let count): nonFiniteCount += count
    case .silentMicrophone(let level):
      await context.console.report(
        "the microphone gives \(level.mostText); is it switched off?")
    case .diskLow(let left):
      await context.console.report(
        "the disk is nearly full: it lasts for another \(left.clockText) at this rate")
    case .deviceLost:
      await context.console.report("the device is lost; waiting for it to be back")
    case .deviceReturned(let gap):
      // What was lost before the first sound was not missed.
      let loss = gap > .zero ? "; \(gap.secondsText) were lost" : ""
      await context.console.report("the device is back\(loss)")
    case .waiting, .began, .paused, .resumed, .rolled: await mention(event)
    case .closed(let finish): await ended(after: finish.recorded)
    case .finished(let finish):
      await ended(after: finish.recorded)
      if finish.frameCount == 0, finish.reason != .deviceEnded { await reportNothing() }
    }
  }

  private func reportNothing() async {
    await context.console.report("nothing was recorded")
  }

  private func mention(_ event: RecordingEvent) async {
    switch event {
    case .waiting: await context.console.mention("waiting for the beginning")
    case .began: await context.console.mention("it begins")
    case .paused(let recorded): await context.console.mention("paused at \(recorded.clockText)")
    case .resumed(let recorded): await context.console.mention("resumed at \(recorded.clockText)")
    case .rolled(let rolled):
      await context.console.mention("\(FilePath(rolled.finished).name) is complete")
      context.log.info("continues in \(FilePath(rolled.next))")
    default: break
    }
  }

  /// Names the device as it was asked for, or else the one that was taken.
  func began(on taken: AudioDevice.ID, _ format: AudioFormat) async {
    let device = device ?? taken
    await context.console.mention("recording from \(device) (\(format)); Ctrl-C ends it")
    context.log.info("recording from \(device): \(format)")
  }

  mutating func heard(_ recorded: Duration, _ level: AudioLevel) async {
    guard pace.admits(recorded) else { return }
    await context.console.showStatus("\(recorded.clockText) \(level.meterText)")
    context.log.debug("\(recorded.secondsText) recorded, peak \(level.peak)")
  }

  mutating func missed(_ length: Duration) {
    lost += length
    context.log.warning("\(length.secondsText) lost")
  }

  func ended(after recorded: Duration) async {
    await context.console.showStatus("\(recorded.clockText) recorded")
    await context.console.keepStatus()
    if nonFiniteCount > 0 {
      await context.console.report(
        "the device gave \(nonFiniteCount) samples that are NaN or infinite; they are recorded as silence"
      )
    }
    guard lost > .zero else { return }
    await context.console.report(
      "\(lost.secondsText) of sound were lost \(gaps.consequence); is this machine busy?")
  }
}

extension Decibels {
  /// A level that nothing exceeds; of digital silence no number tells.
  fileprivate var mostText: String {
    dBFS.isFinite ? "nothing louder than \(self)" : "digital silence"
  }
}

extension RecordingGapRule {
  /// What a recording has in the place of lost sound.
  fileprivate var consequence: String {
    switch self {
    case .silence: "and are recorded as silence"
    case .omit: "and left out"
    case .stop: "and ended the recording"
    }
  }
}

extension AudioLevel {
  /// The level for people: a bar that begins at −60 dBFS, and the peak in figures.
  var meterText: String {
    let length = 20
    let full = peak.dBFS.isFinite ? Int(((peak.dBFS + 60) / 60 * Double(length)).rounded()) : 0
    let shown = min(max(full, 0), length)
    let bar = String(repeating: "#", count: shown) + String(repeating: " ", count: length - shown)
    return "[\(bar)] \(peak)"
  }
}
