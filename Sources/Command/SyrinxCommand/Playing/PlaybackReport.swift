import AudioCore
import AudioPlayerClient
import AudioThreads
import FilePaths
import Logging
import SoundFile

/// Reports the events of a playback as messages, a status line, and, with `--json`, records.
struct PlaybackReport {
  let files: [FilePath]
  let json: Bool
  let context: CommandContext
  /// The keyboard control, whose state the progress line shows; nil if no keys are read.
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

  /// Reports the faults, and ends the remaining items after a playback threw `error`.
  mutating func end(after error: AudioPlayerError) async throws {
    if case .deviceLost = error { hasLostDevice = true }
    await reportFaults()
    guard json else { return }
    // An error that was reported before ended only its own item, and the other items were played.
    try await print(itemEnds.endAll(failures.contains(error) ? .completed : .failed))
  }

  private mutating func printRecords(of event: PlaybackEvent) async throws {
    let ends = itemEnds.process(event)
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

  /// Returns the artist and title of a file, as text to append to the file's name on a terminal;
  /// empty if the file has neither.
  private func titleText() async -> String {
    guard context.console.showsNotices, file.status?.isRegularFile == true else { return "" }
    let url = file.url
    let tags = await DedicatedThread.run(name: "syrinx-tags", abandoned: [:], failed: { _ in [:] })
    {
      // If the file cannot be read, the player reports the error.
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
      // After a device failure, lost audio does not mean that the machine is too slow, so the
      // message does not ask this.
      let question = hasLostDevice ? "" : "; is this machine too slow or busy?"
      await context.console.report(
        "\(file): dropouts of \(silence.secondsText) in total\(question)")
    }
    // A small reduction is not reported, because lossy files often exceed full scale slightly.
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
  /// The displayed amount by which this gain reduces the level.
  fileprivate var reductionText: String { "\((-value).tenths) dB" }
}

/// Creates the records that `syrinx play --json` prints for events; times are in seconds.
extension JSONRecord {
  /// The help text about the JSON output.
  static let playbackSchema = """
    With --json, each event is an object on its own line: "event" (started, progress, looped, \
    advanced, paused, resumed, sought, xrun, starved, limited, shortfall, title, nonFinite, failed, \
    deviceLost, deviceReturned, or finished), "item" (from 0) and its "file" (\(FilePath.jsonHelp)), \
    and in seconds "played" (of all items), "position", and "length" (of the file); "frame" is the \
    position in frames of the file. started adds "device" and the settings of the device: "rate", \
    "channelCount", "sampleFormat" (float32, int32, int24, int24Packed, or int16), and in frames its \
    "period" and "buffer". looped adds the "count" of repetitions so far; xrun and starved the \
    seconds of "silence" or discarded audio, to a microsecond; limited the "gain" in dB; shortfall \
    the seconds "announced" (missing if the header has no length) and "decoded"; title the "title" \
    that a live stream announces; nonFinite the number of "samples" that were NaN or infinite and \
    are played as silence; failed the "error"; deviceReturned the seconds of the "gap"; finished, \
    once each time a file ends, the "reason": completed (also after skip), stopped, or failed. \
    The failure of the device is an object with the "error".
    """

  /// Creates the record of an event; `files` contains the files in the order of the items.
  init(_ event: PlaybackEvent, files: [FilePath]) {
    switch event {
    case .started(let start): self.init(start, files)
    case .progress(let progress): self.init("progress", progress, files)
    case .advanced(let progress): self.init("advanced", progress, files)
    case .paused(let progress): self.init("paused", progress, files)
    case .resumed(let progress): self.init("resumed", progress, files)
    case .sought(let progress): self.init("sought", progress, files)
    case .looped(let progress, let count):
      self.init("looped", progress, files)
      self["count"] = count
    case .xrun(let silence): self = ["event": "xrun", "silence": silence.inLostSeconds]
    case .starved(let silence): self = ["event": "starved", "silence": silence.inLostSeconds]
    case .deviceLost: self = ["event": "deviceLost"]
    case .deviceReturned(let gap): self = ["event": "deviceReturned", "gap": gap.inLostSeconds]
    case .limited(let gain): self = ["event": "limited", "gain": gain.value.tenths]
    case .shortfall(let item, let announced, let decoded):
      self.init("shortfall", item, files)
      self["announced"] = announced?.inRecordSeconds
      self["decoded"] = decoded.inRecordSeconds
    case .title(let item, let title):
      self.init("title", item, files)
      self["title"] = title
    case .nonFinite(let count): self = ["event": "nonFinite", "samples": count]
    case .failed(let item, let error):
      self.init("failed", item, files)
      self["error"] = "\(error)"
    // This event has no details, because the end of each item has a separate record.
    case .finished: self = ["event": "finished"]
    }
  }

  /// Creates the record for the end of an item.
  init(_ end: ItemEndTracker.End, files: [FilePath]) {
    self.init("finished", end.item, files)
    self["played"] = end.played.inRecordSeconds
    self["reason"] = end.reason.rawValue
  }

  private init(_ event: String, _ item: Int, _ files: [FilePath]) {
    self = ["event": event, "file": files.indices.contains(item) ? files[item] : nil, "item": item]
  }

  private init(_ start: PlaybackStart, _ files: [FilePath]) {
    self.init("started", start.item, files)
    self["device"] = start.device.rawValue
    self["rate"] = start.format.sampleRate.hertz
    self["channelCount"] = start.format.channelCount
    self["sampleFormat"] = start.settings?.sampleFormat.rawValue
    self["period"] = start.settings?.period.rawValue
    self["buffer"] = start.settings?.buffer.rawValue
    self["length"] = start.announcedDuration?.inRecordSeconds
  }

  private init(_ event: String, _ progress: PlaybackProgress, _ files: [FilePath]) {
    self.init(event, progress.item, files)
    self["played"] = progress.played.inRecordSeconds
    self["position"] = progress.time.inRecordSeconds
    self["frame"] = progress.position.rawValue
    self["length"] = progress.length?.inRecordSeconds
  }
}

/// Derives the end of each item from the events of a playback.
///
/// Every item ends exactly once, even if it failed or was never played.
struct ItemEndTracker {
  /// The reason that an item ended.
  enum Reason: String {
    /// The next item began.
    case completed
    /// The playback was stopped, or moved to another item.
    case stopped
    /// The item could not be played to its end.
    case failed
  }

  /// The end of an item; `played` is the duration of all audio that the playback has played by then.
  typealias End = (item: Int, reason: Reason, played: Duration)

  private var hasEnded: [Bool]
  private var current: Int?
  private var played = Duration.zero

  /// - Parameter itemCount: the number of items of the playback.
  init(itemCount: Int) {
    hasEnded = Array(repeating: false, count: itemCount)
  }

  /// Returns the items that end because of an event.
  mutating func process(_ event: PlaybackEvent) -> [End] {
    switch event {
    case .started(let start):
      current = start.item
    case .progress(let progress), .looped(let progress, _), .paused(let progress),
      .resumed(let progress):
      played = progress.played
    case .advanced(let progress): return go(to: progress, leaving: .completed)
    case .sought(let progress) where progress.item != current:
      return go(to: progress, leaving: .stopped)
    case .failed(let item, _): return [end(item, .failed)]
    case .finished(let finish):
      played = finish.played
      return endAll(finish.reason == .completed ? .completed : .stopped)
    default: break
    }
    return []
  }

  /// Ends the current item, and then the remaining items in order.
  mutating func endAll(_ reason: Reason) -> [End] {
    let last = current.map { [end($0, reason)] } ?? []
    let rest = hasEnded.indices.filter { !hasEnded[$0] }
    return last + rest.map { end($0, reason) }
  }

  private mutating func go(to progress: PlaybackProgress, leaving reason: Reason) -> [End] {
    played = progress.played
    defer { current = progress.item }
    return current.map { [end($0, reason)] } ?? []
  }

  private mutating func end(_ item: Int, _ reason: Reason) -> End {
    if hasEnded.indices.contains(item) { hasEnded[item] = true }
    if current == item { current = nil }
    return (item, reason, played)
  }
}
