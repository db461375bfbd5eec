import AudioCore
import AudioPlayerClient
import FilePaths

/// An event of a playback as `--json` tells it; times in seconds.
struct PlaybackRecord: Encodable {
  let event: String
  var file: FilePath?
  var item: Int?
  var device: String?
  var rate: Int?
  var channelCount: Int?
  var sampleFormat: String?
  var period: Int?
  var buffer: Int?
  var heard: Double?
  var position: Double?
  var frame: Int?
  var length: Double?
  var count: Int?
  var samples: Int?
  var silence: Double?
  var gap: Double?
  var gain: Double?
  var announced: Double?
  var decoded: Double?
  var error: String?
  var reason: String?

  /// - Parameter files: the files in the order of the items.
  init(_ event: PlaybackEvent, files: [FilePath]) {
    switch event {
    case .started(let start): self.init("started", start, files)
    case .progress(let place): self.init("progress", place, files)
    case .advanced(let place): self.init("advanced", place, files)
    case .paused(let place): self.init("paused", place, files)
    case .resumed(let place): self.init("resumed", place, files)
    case .sought(let place): self.init("sought", place, files)
    case .looped(let place, let count):
      self.init("looped", place, files)
      self.count = count
    case .xrun(let silence): self.init("xrun", silence: silence)
    case .starved(let silence): self.init("starved", silence: silence)
    case .deviceLost: self.init("deviceLost")
    case .deviceReturned(let gap):
      self.init("deviceReturned")
      self.gap = gap.inMissingSeconds
    case .limited(let gain):
      self.init("limited")
      self.gain = (gain.dBFS * 10).rounded() / 10
    case .shortfall(let item, let announced, let decoded):
      self.init("shortfall", item, files)
      self.announced = announced?.inRecordSeconds
      self.decoded = decoded.inRecordSeconds
    case .nonFinite(let count):
      self.init("nonFinite")
      samples = count
    case .failed(let item, let error):
      self.init("failed", item, files)
      self.error = "\(error)"
    // Each item has one of its own.
    case .finished: self.init("finished")
    }
  }

  /// The end of an item.
  init(_ finish: ItemFinishes.Finish, files: [FilePath]) {
    self.init("finished", finish.item, files)
    heard = finish.heard.inRecordSeconds
    reason = finish.reason.rawValue
  }

  private init(_ event: String) {
    self.event = event
  }

  private init(_ event: String, silence: Duration) {
    self.init(event)
    self.silence = silence.inMissingSeconds
  }

  private init(_ event: String, _ item: Int, _ files: [FilePath]) {
    self.init(event)
    self.item = item
    file = files.indices.contains(item) ? files[item] : nil
  }

  private init(_ event: String, _ start: PlaybackStart, _ files: [FilePath]) {
    self.init(event, start.item, files)
    device = start.device.rawValue
    rate = start.format.sampleRate.hertz
    channelCount = start.format.channelCount
    sampleFormat = start.settings?.sampleFormat.rawValue
    period = start.settings?.period.rawValue
    buffer = start.settings?.buffer.rawValue
    length = start.announcedDuration?.inRecordSeconds
  }

  private init(_ event: String, _ place: PlaybackProgress, _ files: [FilePath]) {
    self.init(event, place.item, files)
    heard = place.heard.inRecordSeconds
    position = place.time.inRecordSeconds
    frame = place.position.rawValue
    length = place.length?.inRecordSeconds
  }

  /// What the help says about it.
  static let schema = """
    With --json each event is an object on a line of its own: "event" (started, progress, looped, \
    advanced, paused, resumed, sought, xrun, starved, limited, shortfall, nonFinite, failed, \
    deviceLost, deviceReturned or finished), "item" (counted from 0) and its "file" (\(FilePath.jsonHelp)), \
    and in seconds "heard" (in all), "position" and "length" (of the file); "frame" is the \
    position in frames of the file. started has "device", and what it settled on: "rate", \
    "channelCount", "sampleFormat" (float32, int32, int24, int24Packed or int16), and in frames \
    its "period" and "buffer"; looped the "count" of repetitions so far; xrun and starved the \
    seconds of "silence", to a millionth; limited the "gain" in dB; shortfall the seconds \
    "announced" (missing if the header has no length) and "decoded"; nonFinite how many "samples" \
    were NaN or infinite and are silence; failed the "error"; \
    deviceReturned the seconds of the "gap"; finished, each time a file ends, the "reason": \
    completed (also after skip), stopped or failed.
    """
}

/// Finds the end of each item in the events of a playback: every item has one, also one that failed or
/// that nothing was played of.
struct ItemFinishes {
  /// Why nothing of an item is played any more.
  enum Reason: String {
    /// The next item began.
    case completed
    /// The playback was stopped, or went on in another item.
    case stopped
    /// It could not be played, or not to its end.
    case failed
  }

  /// The end of an item.
  struct Finish: Equatable {
    let item: Int
    let reason: Reason
    /// What has been heard of all items until then.
    let heard: Duration
  }

  private var hasEnded: [Bool]
  private var current: Int?
  private var heard = Duration.zero

  /// - Parameter itemCount: how many items the playback has.
  init(itemCount: Int) {
    hasEnded = Array(repeating: false, count: itemCount)
  }

  /// What an event ends.
  mutating func take(_ event: PlaybackEvent) -> [Finish] {
    switch event {
    case .started(let start):
      current = start.item
    case .progress(let place), .looped(let place, _), .paused(let place), .resumed(let place):
      heard = place.heard
    case .advanced(let place): return go(to: place, leaving: .completed)
    case .sought(let place) where place.item != current: return go(to: place, leaving: .stopped)
    case .failed(let item, _): return [end(item, .failed)]
    case .finished(let finish):
      heard = finish.heard
      return endAll(finish.reason == .completed ? .completed : .stopped)
    default: break
    }
    return []
  }

  /// Ends what is left: in order, but that what is heard comes first.
  mutating func endAll(_ reason: Reason) -> [Finish] {
    let last = current.map { [end($0, reason)] } ?? []
    let rest = hasEnded.indices.filter { !hasEnded[$0] }
    return last + rest.map { end($0, reason) }
  }

  private mutating func go(to place: PlaybackProgress, leaving reason: Reason) -> [Finish] {
    heard = place.heard
    defer { current = place.item }
    return current.map { [end($0, reason)] } ?? []
  }

  private mutating func end(_ item: Int, _ reason: Reason) -> Finish {
    if hasEnded.indices.contains(item) { hasEnded[item] = true }
    if current == item { current = nil }
    return Finish(item: item, reason: reason, heard: heard)
  }
}
