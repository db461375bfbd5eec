import AudioCore
import AudioPlayerClient
import Logging

/// What people are told while a file is played.
struct PlaybackReport {
  let file: String
  let loop: LoopCount
  let context: CommandContext
  private var pace = StatusPace()
  private var silence = Duration.zero
  private var announced: Duration?

  init(file: String, loop: LoopCount, context: CommandContext) {
    self.file = file
    self.loop = loop
    self.context = context
  }

  mutating func show(_ event: PlaybackEvent) async {
    switch event {
    case .started(let start):
      announced = start.announcedDuration
      await context.console.mention("\(file) on \(start.device) (\(start.format))")
      context.log.info("playing \(file) on \(start.device): \(start.settingsText)")
    case .progress(let progress):
      guard pace.admits(progress.heard) else { return }
      await context.console.showStatus(status(progress.heard))
    case .xrun(let length):
      silence += length
      context.log.warning("\(file): \(length.secondsText) of silence")
    case .starved(let length):
      silence += length
      context.log.warning("\(file): \(length.secondsText) of silence, its source was late")
    case .finished(let finish):
      await show(finish)
    default: break
    }
  }

  private func show(_ finish: PlaybackFinish) async {
    let console = context.console
    await console.showStatus(status(finish.heard))
    await console.keepStatus()
    if silence > .zero {
      await console.report(
        "\(file): \(silence.secondsText) of silence in between; is this machine busy?")
    }
    if finish.reason == .completed, let shortfall = shortfall(finish.heard) {
      await console.report(shortfall)
    }
  }

  /// What there is to say where the header promised more than there was.
  ///
  /// A resampler rounds to a frame, hence the margin.
  func shortfall(_ heard: Duration) -> String? {
    guard case .times(let count) = loop, let announced else { return nil }
    let once = heard / count
    guard announced - once > .milliseconds(5) else { return nil }
    return
      "\(file) is shorter than its header says: \(announced.secondsText) were announced, "
      + "\(once.secondsText) were there"
  }

  func status(_ heard: Duration) -> String {
    guard case .times(let count) = loop, let announced else { return heard.clockText }
    return "\(heard.clockText) / \((announced * count).clockText)"
  }
}

extension PlaybackStart {
  fileprivate var settingsText: String { settings?.description ?? format.description }
}
