import AudioCore
import AudioPlayerClient
import FilePaths
import Logging
import SoundFile

/// What people are told while files are played, and with `--json` whoever reads standard output.
struct PlaybackReport {
  let files: [FilePath]
  let json: Bool
  let context: CommandContext
  private var pace = StatusPace()
  private var silence = Duration.zero
  private var lowestGain = Decibels(dBFS: 0)
  private var nonFiniteCount = 0
  private var item = 0
  private var place: PlaybackProgress?
  private var finishes: ItemFinishes

  /// The errors that have been told.
  private(set) var failures: Set<AudioPlayerError> = []
  /// Whether no file has ended before its time.
  private(set) var isComplete = true

  init(files: [FilePath], json: Bool, context: CommandContext) {
    self.files = files
    self.json = json
    self.context = context
    finishes = ItemFinishes(itemCount: files.count)
  }

  private var file: FilePath { files.indices.contains(item) ? files[item] : "" }

  mutating func show(_ event: PlaybackEvent) async throws {
    if json { try await printRecords(of: event) }
    switch event {
    case .started(let start):
      item = start.item
      await context.console.mention("\(file) on \(start.device) (\(start.format))")
      context.log.info("playing \(file) on \(start.device): \(start.settingsText)")
    case .progress(let place): await show(place, always: false)
    case .paused(let place), .resumed(let place), .looped(let place, _):
      await show(place, always: true)
    case .advanced(let place), .sought(let place): await go(to: place)
    case .xrun(let length):
      silence += length
      context.log.warning("\(file): \(length.secondsText) of silence")
    case .starved(let length):
      silence += length
      context.log.warning("\(file): \(length.secondsText) of silence, its source was late")
    case .deviceLost:
      await context.console.report("the device is lost; waiting for it to be back")
    case .deviceReturned(let gap):
      await context.console.report("the device is back after \(gap.secondsText)")
    case .limited(let gain):
      lowestGain = min(gain, lowestGain)
      context.log.info("\(file): turned down by \(gain.cutText)")
    case .shortfall(let item, let announced, let decoded):
      isComplete = false
      let text = SoundFileShortfall.text(announced: announced, decoded: decoded)
      await context.console.report("\(files[item]) is incomplete: \(text)")
    case .nonFinite(let count): nonFiniteCount += count
    case .failed(_, let error):
      failures.insert(error)
      await context.console.report(ErrorReport.sentence(error))
    case .finished: await finish()
    }
  }

  /// Ends the items that are left where a playback has thrown an error.
  mutating func end(after error: AudioPlayerError) async throws {
    guard json else { return }
    // An error that was told of ended its own item alone.
    try await print(finishes.endAll(failures.contains(error) ? .completed : .failed))
  }

  private mutating func printRecords(of event: PlaybackEvent) async throws {
    let ends = finishes.take(event)
    let record = PlaybackRecord(event, files: files)
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

  private func print(_ ends: [ItemFinishes.Finish]) async throws {
    for end in ends {
      try await context.console.print(PlaybackRecord(end, files: files).jsonLine())
    }
  }

  private mutating func show(_ place: PlaybackProgress, always: Bool) async {
    self.place = place
    guard pace.admits(place.heard) || always else { return }
    await context.console.showStatus(Self.status(place))
  }

  private mutating func go(to place: PlaybackProgress) async {
    if item != place.item {
      await context.console.keepStatus()
      await reportTroubles()
      item = place.item
      await context.console.mention("\(file)")
      context.log.info("playing \(file)")
    }
    await show(place, always: true)
  }

  private mutating func finish() async {
    if let place { await show(place, always: true) }
    await context.console.keepStatus()
    await reportTroubles()
  }

  private mutating func reportTroubles() async {
    if silence > .zero {
      await context.console.report(
        "\(file): \(silence.secondsText) of silence in between; is this machine busy?")
    }
    // Lossy files go a little beyond full scale all the time.
    if lowestGain.dBFS < -1 {
      await context.console.report(
        "\(file) is louder than a device can be; it was turned down by up to \(lowestGain.cutText)")
    }
    if nonFiniteCount > 0 {
      await context.console.report(
        "\(file): \(nonFiniteCount) samples are NaN or infinite; they are played as silence")
    }
    (silence, lowestGain, nonFiniteCount) = (.zero, Decibels(dBFS: 0), 0)
  }

  static func status(_ place: PlaybackProgress) -> String {
    let length = place.length.map { " / \($0.clockText)" } ?? ""
    return place.time.clockText + length
  }
}

extension PlaybackStart {
  fileprivate var settingsText: String { settings?.description ?? format.description }
}

extension Decibels {
  /// How much a gain takes away, for people.
  fileprivate var cutText: String { "\((-dBFS * 10).rounded() / 10) dB" }
}
