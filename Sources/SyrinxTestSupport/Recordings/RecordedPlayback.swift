import AudioCore
import AudioPlayerClient

/// An event of a playback; only the values of its kind are set.
struct RecordedPlayback: Codable {
  enum Kind: String, RecordedName {
    case started, progress, xrun, starved, looped, advanced, paused, resumed, sought, shortfall
    case title, nonFinite, failed, limited, deviceLost, deviceReturned, finished
  }

  var kind: Kind
  /// A length of silence or of decoded audio, or the duration played so far.
  var ns: Int64?
  /// The index of an item.
  var item: Int?
  /// The playhead: `position` as a frame of the source, and `timeNs` as a time.
  var position: Int?
  var timeNs: Int64?
  /// The announced duration of a source.
  var lengthNs: Int64?
  /// A number of repetitions or of silenced samples.
  var count: Int?
  var title: String?
  var device: String?
  var rate: Int?
  var channels: Int?
  /// The gain of the limiter, in decibels.
  var gain: Double?
  var error: AudioPlayerError?
  /// Whether `stop` ended the playback.
  var stopped: Bool?
}

extension RecordedPlayback {
  init(_ event: PlaybackEvent) {
    switch event {
    case .started(let start):
      self.init(
        kind: .started, item: start.item, lengthNs: start.announcedDuration?.inNanoseconds,
        device: start.device.rawValue, rate: start.format.sampleRate.hertz,
        channels: start.format.channelCount)
    case .progress(let progress): self.init(.progress, progress)
    case .xrun(let silence): self.init(kind: .xrun, ns: silence.inNanoseconds)
    case .starved(let silence): self.init(kind: .starved, ns: silence.inNanoseconds)
    case .looped(let progress, let count): self.init(.looped, progress, count: count)
    case .advanced(let progress): self.init(.advanced, progress)
    case .paused(let progress): self.init(.paused, progress)
    case .resumed(let progress): self.init(.resumed, progress)
    case .sought(let progress): self.init(.sought, progress)
    case .shortfall(let item, let announced, let decoded):
      self.init(
        kind: .shortfall, ns: decoded.inNanoseconds, item: item,
        lengthNs: announced?.inNanoseconds)
    case .title(let item, let title): self.init(kind: .title, item: item, title: title)
    case .nonFinite(let count): self.init(kind: .nonFinite, count: count)
    case .failed(let item, let error): self.init(kind: .failed, item: item, error: error)
    case .limited(let gain): self.init(kind: .limited, gain: gain.value)
    case .deviceLost: self.init(kind: .deviceLost)
    case .deviceReturned(let gap): self.init(kind: .deviceReturned, ns: gap.inNanoseconds)
    case .finished(let finish):
      self.init(
        kind: .finished, ns: finish.played.inNanoseconds,
        stopped: finish.reason == .stopped ? true : nil)
    }
  }

  private init(_ kind: Kind, _ progress: PlaybackProgress, count: Int? = nil) {
    self.init(
      kind: kind, ns: progress.played.inNanoseconds, item: progress.item,
      position: progress.position.rawValue, timeNs: progress.time.inNanoseconds,
      lengthNs: progress.length?.inNanoseconds, count: count)
  }

  /// The event, with defaults for missing values.
  var value: PlaybackEvent {
    let (duration, item) = (Duration.nanoseconds(ns ?? 0), item ?? 0)
    return switch kind {
    case .started: .started(start)
    case .progress: .progress(progress)
    case .xrun: .xrun(duration)
    case .starved: .starved(duration)
    case .looped: .looped(progress, count: count ?? 1)
    case .advanced: .advanced(progress)
    case .paused: .paused(progress)
    case .resumed: .resumed(progress)
    case .sought: .sought(progress)
    case .shortfall: .shortfall(item: item, announced: length, decoded: duration)
    case .title: .title(item: item, title ?? "")
    case .nonFinite: .nonFinite(sampleCount: count ?? 1)
    case .failed: .failed(item: item, error ?? .system(reason: "unknown"))
    case .limited: .limited(Decibels(gain ?? 0))
    case .deviceLost: .deviceLost
    case .deviceReturned: .deviceReturned(gap: duration)
    case .finished:
      .finished(PlaybackFinish(reason: stopped == true ? .stopped : .completed, played: duration))
    }
  }

  private var length: Duration? { lengthNs.map { .nanoseconds($0) } }

  private var start: PlaybackStart {
    let format = AudioFormat(
      sampleRate: SampleRate(hertz: max(1, rate ?? 48_000)), channelCount: max(1, channels ?? 2))
    return PlaybackStart(
      device: AudioDevice.ID(rawValue: device ?? "recorded"), format: format,
      announcedDuration: length, item: item ?? 0)
  }

  private var progress: PlaybackProgress {
    PlaybackProgress(
      played: .nanoseconds(ns ?? 0), item: item ?? 0, position: FrameCount(position ?? 0),
      time: .nanoseconds(timeNs ?? 0), length: length)
  }
}
