import AudioCore
import AudioPlayerClient
import AudioThreads
import FilePaths
import Logging
import SoundFile

/// Reports the events of a playback: messages and status line, and records with `--json`.
struct PlaybackReport {
  let files: [FilePath]
  let json: Bool
  let context: CommandContext
  /// What controls the playback by keys; its state is part of the progress line.
  var keys: KeyControl?
  private var remark = ""
  private var throttle = StatusThrottle()
  private var silence = Duration.zero
  private var hasLostDevice = false
  private var lowestGain = Decibels(0)
  private var nonFiniteCount = 0
  private var item = 0
  private var progress: PlaybackProgress?
  private var itemEnds: ItemEndTracker

  /// The errors that have been reported.
  private(set) var failures: Set<AudioPlayerError> = []
  /// Whether no file was truncated.
  private(set) var isComplete = true

  init(files: [FilePath], json: Bool, context: CommandContext) {
    self.files = files
    self.json = json
    self.context = context
    itemEnds = ItemEndTracker(itemCount: files.count)
  }

  private var file: FilePath { files.indices.contains(item) ? files[item] : "" }

  mutating func show(_ event: PlaybackEvent) async throws {
    if json { try await printRecords(of: event) }
    if let keys { remark = await keys.note(event) }
    switch event {
    case .started(let start):
      item = start.item
      await context.console.notifyTerminal(
        "\(file)\(await titleText()) on \(start.device) (\(start.format))")
      context.log.info("playing \(file) on \(start.device): \(start.settingsText)")
    case .progress(let progress): await show(progress, always: false)
    case .paused(let progress), .resumed(let progress), .looped(let progress, _):
      await show(progress, always: true)
    case .advanced(let progress), .sought(let progress): await go(to: progress)
    case .xrun(let length):
      silence += length
      context.log.warning("\(file): \(length.secondsText) dropout")
    case .starved(let length):
      silence += length
      context.log.warning("\(file): \(length.secondsText) dropout, the source was late")
    case .deviceLost:
      hasLostDevice = true
      await context.console.report("the device is lost; waiting for it to return")
    case .deviceReturned(let gap):
      await context.console.report("the device is back after \(gap.secondsText)")
    case .limited(let gain):
      lowestGain = min(gain, lowestGain)
      context.log.info("\(file): limited by \(gain.reductionText)")
    case .shortfall(let item, let announced, let decoded):
      isComplete = false
      let text = SoundFileShortfall.text(announced: announced, decoded: decoded)
      await context.console.report("\(files[item]) is incomplete: \(text)")
    case .title(_, let title):
      await context.console.notifyTerminal(title.printableLine(atMost: 200))
      context.log.info("\(file) plays \(title.printableLine(atMost: 200))")
    case .nonFinite(let count): nonFiniteCount += count
    case .failed(_, let error):
      failures.insert(error)
      await context.console.report(ErrorReport.sentence(error))
    case .finished: await finish()
    }
  }

  /// Ends the remaining items after a playback threw an error.
  mutating func end(after error: AudioPlayerError) async throws {
    if case .deviceLost = error { hasLostDevice = true }
    await reportFaults()
    guard json else { return }
    // A reported error ended only its own item.
    try await print(itemEnds.endAll(failures.contains(error) ? .completed : .failed))
  }

  private mutating func printRecords(of event: PlaybackEvent) async throws {
    let ends = itemEnds.take(event)
    let record = JSONRecord(event, files: files)
    switch event {
    case .finished: try await print(ends)
    case .failed:
      try await context.console.print(record.jsonLine())
      try await print(ends)
    default:
      try await print(ends)
      try await context.console.print(record.jsonLine())
    }
  }

  private func print(_ ends: [ItemEndTracker.End]) async throws {
    for end in ends {
      try await context.console.print(JSONRecord(end, files: files).jsonLine())
    }
  }

  private mutating func show(_ progress: PlaybackProgress, always: Bool) async {
    self.progress = progress
    guard throttle.admits(progress.played) || always else { return }
    await context.console.showStatus(Self.status(progress) + remark)
  }

  private mutating func go(to progress: PlaybackProgress) async {
    if item != progress.item {
      await context.console.keepStatus()
      await reportFaults()
      item = progress.item
      await context.console.notifyTerminal("\(file)\(await titleText())")
      context.log.info("playing \(file)")
    }
    await show(progress, always: true)
  }

  /// The artist and title of a file for a terminal, after its name; empty if it has none.
  private func titleText() async -> String {
    guard context.console.showsNotices, file.status?.isRegularFile == true else { return "" }
    let url = file.url
    let tags = await DedicatedThread.run(name: "syrinx-tags", abandoned: [:], failed: { _ in [:] })
    {
      // The player reports a file that cannot be read.
      (try? SoundFileReader(url: url))?.metadata.tags ?? [:]
    }
    let names = [tags[.artist], tags[.title]].compactMap {
      $0?.joined(separator: ", ").printableLine(atMost: 100).unlessEmpty
    }
    return names.isEmpty ? "" : " (\(names.joined(separator: ": ")))"
  }

  private mutating func finish() async {
    if let progress { await show(progress, always: true) }
    await context.console.keepStatus()
    await reportFaults()
  }

  private mutating func reportFaults() async {
    if silence > .zero {
      // A device that fails loses audio on every machine.
      let question = hasLostDevice ? "" : "; is this machine too slow or busy?"
      await context.console.report(
        "\(file): dropouts of \(silence.secondsText) in total\(question)")
    }
    // Lossy files exceed full scale slightly all the time.
    if lowestGain.value < -1 {
      await context.console.report(
        "\(file) exceeded full scale and was limited by up to \(lowestGain.reductionText)")
    }
    if nonFiniteCount > 0 {
      await context.console.report(
        "\(file): \(nonFiniteCount) samples are NaN or infinite and are played as silence")
    }
    (silence, lowestGain, nonFiniteCount) = (.zero, Decibels(0), 0)
  }

  static func status(_ progress: PlaybackProgress) -> String {
    let length = progress.length.map { " / \($0.clockText)" } ?? ""
    return progress.time.clockText + length
  }
}

extension PlaybackStart {
  fileprivate var settingsText: String { settings?.description ?? format.description }
}

extension Decibels {
  /// The reduction by a gain, for people.
  fileprivate var reductionText: String { "\((-value).tenths) dB" }
}
