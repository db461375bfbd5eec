public import AudioCore

/// An event of a playback; events arrive in order.
///
/// A slow consumer gets at most the newest 64 events of a kind; `started` and `finished` are never
/// dropped. Cases are added over time: a `switch` needs a `default`.
public enum PlaybackEvent: Hashable, Sendable {
  /// The device is open, and the first frames have been passed to it.
  case started(PlaybackStart)
  /// The playhead moved; at most 20 times a second, and once before `finished` if anything was
  /// played.
  ///
  /// A slow consumer gets only the newest of these events.
  case progress(PlaybackProgress)
  /// The device played silence or discarded written audio of this length, in an underrun, a
  /// suspend, or another failure from which it recovered.
  ///
  /// The length is zero if the device cannot report it. A slow consumer gets one event with the
  /// sum.
  case xrun(Duration)
  /// Silence of this length was inserted because the source was late.
  ///
  /// A slow consumer gets one event with the sum.
  case starved(Duration)
  /// Another repetition of the item begins, the `count`th after the first.
  ///
  /// A slow consumer gets only the newest of these events.
  case looped(PlaybackProgress, count: Int)
  /// The next item begins.
  ///
  /// If the next item is the same item in the next round, the event is reported at most 20 times a
  /// second.
  case advanced(PlaybackProgress)
  /// A pause has taken effect; `resume` continues at this position.
  case paused(PlaybackProgress)
  /// The playback continues after a pause.
  case resumed(PlaybackProgress)
  /// A seek has taken effect, or will when the paused playback resumes; playback continues at this
  /// position.
  case sought(PlaybackProgress)
  /// A file, preloaded or not, was shorter than its header announced; its frames have been played.
  ///
  /// `announced` is nil if the file is truncated but its header gives no length.
  case shortfall(item: Int, announced: Duration?, decoded: Duration)
  /// A live stream on the web announced this title for the audio that follows.
  ///
  /// The title may be longer than a line, and its control characters are escaped. The event's
  /// timing is accurate to within seconds.
  case title(item: Int, String)
  /// `sampleCount` samples of the current item were NaN or infinite; they are played as silence.
  ///
  /// Samples of a preloaded sound are silenced during loading, and are reported each time the sound
  /// is played. A slow consumer gets one event with the sum.
  case nonFinite(sampleCount: Int)
  /// An item cannot be played to its end; the next item follows.
  ///
  /// The stream throws the first of these errors after the last item.
  case failed(item: Int, AudioPlayerError)
  /// The sum of all sounds exceeded full scale and was limited by this gain, below 0 dB.
  ///
  /// The gain is the lowest of the last second, reported at most once a second and once before
  /// `finished`. A slow consumer gets one event with the lowest gain.
  case limited(Decibels)
  /// The device is lost, and the playback waits for it as requested.
  case deviceLost
  /// The device returned after `gap`, and the playback continues.
  ///
  /// A slow consumer gets one event with the sum.
  case deviceReturned(gap: Duration)
  /// The last event: the playback is silent.
  ///
  /// A stream that throws does not yield this event.
  case finished(PlaybackFinish)
}

/// The start of a playback.
public struct PlaybackStart: Hashable, Sendable {
  /// The playback device.
  public var device: AudioDevice.ID

  /// The device's rate and channels, to which the source is converted.
  public var format: AudioFormat

  /// The announced duration of one repetition of the first playable item, or nil if unknown.
  public var announcedDuration: Duration?

  /// The device's configuration, or nil in a preview.
  public var settings: PCMConfiguration?

  /// The index of the first playable item, from 0.
  public var item: Int

  /// Creates a description of a playback's start.
  public init(
    device: AudioDevice.ID, format: AudioFormat, announcedDuration: Duration? = nil,
    settings: PCMConfiguration? = nil, item: Int = 0
  ) {
    self.device = device
    self.format = format
    self.announcedDuration = announcedDuration
    self.settings = settings
    self.item = item
  }
}

/// The progress of a playback.
public struct PlaybackProgress: Hashable, Sendable {
  /// The duration played over all items and repetitions; it never decreases.
  ///
  /// It is the number of written frames minus the frames still in the device.
  public var played: Duration

  /// The index of the current item, from 0.
  public var item: Int

  /// The playhead, as a frame of the item's source at the source's rate; counted from the beginning
  /// of the source, whatever the item's range.
  public var position: FrameCount

  /// The playhead as a time.
  public var time: Duration

  /// The announced duration of the item's source, or nil if unknown.
  public var length: Duration?

  /// The time at which the playhead was at this position, on the clock of `AudioBuffer.hostTime`.
  ///
  /// At this time, the audio leaves the loudspeaker, if the device reports its delay correctly. Nil
  /// before the device has audio, and in previews and replays.
  public var hostTime: ContinuousClock.Instant?

  /// Creates a description of a playback's progress.
  public init(
    played: Duration, item: Int = 0, position: FrameCount = 0, time: Duration = .zero,
    length: Duration? = nil, hostTime: ContinuousClock.Instant? = nil
  ) {
    self.played = played
    self.item = item
    self.position = position
    self.time = time
    self.length = length
    self.hostTime = hostTime
  }

  /// Compares the positions, not the host's times.
  public static func == (progress: PlaybackProgress, other: PlaybackProgress) -> Bool {
    (progress.played, progress.item, progress.position, progress.time, progress.length)
      == (other.played, other.item, other.position, other.time, other.length)
  }

  /// Hashes the positions.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(played)
    hasher.combine(item)
    hasher.combine(position)
  }
}

/// The end of a playback.
public struct PlaybackFinish: Hashable, Sendable {
  /// The reason for the end.
  public enum Reason: String, Hashable, Sendable {
    /// The source was played to its end.
    case completed
    /// `stop` was called.
    case stopped
  }

  /// The reason for the end.
  public var reason: Reason

  /// The duration played over all items and repetitions.
  public var played: Duration

  /// Creates a description of a playback's end.
  public init(reason: Reason, played: Duration) {
    self.reason = reason
    self.played = played
  }
}

extension PipePolicy<PlaybackEvent> {
  /// Bounds memory for slow consumers: keeps the newest progress and repetition, the sum of each
  /// kind of silence, the lowest gain, the last loss, and the newest 64 events of every other kind.
  package static let playback = PipePolicy { queue, event in
    switch event {
    case .progress, .looped, .deviceLost: queue.append(event, inPlaceOf: event.isOfKind)
    case .xrun(let silence):
      queue.append(adding: silence, to: \.deviceSilence, as: PlaybackEvent.xrun)
    case .starved(let silence):
      queue.append(adding: silence, to: \.sourceSilence, as: PlaybackEvent.starved)
    case .nonFinite(let count):
      queue.append(adding: count, to: \.nonFiniteCount, as: PlaybackEvent.nonFinite)
    case .limited(let gain):
      let lowest = queue.compactMap(\.limitingGain).reduce(gain, min)
      queue.append(.limited(lowest), inPlaceOf: { $0.limitingGain != nil })
    case .deviceReturned(let gap):
      queue.append(adding: gap, to: \.gap, as: PlaybackEvent.deviceReturned)
    case .advanced, .paused, .resumed, .sought, .shortfall, .title, .failed:
      queue.append(event, toNewest: 64, where: event.isOfKind)
    case .started, .finished: queue.append(event)
    }
  }
}

extension PlaybackEvent {
  /// Whether both events are the same case; false for events that are summed or never dropped.
  fileprivate func isOfKind(_ other: PlaybackEvent) -> Bool {
    switch (self, other) {
    case (.progress, .progress), (.looped, .looped), (.deviceLost, .deviceLost),
      (.advanced, .advanced), (.paused, .paused), (.resumed, .resumed), (.sought, .sought),
      (.shortfall, .shortfall), (.title, .title), (.failed, .failed):
      true
    default: false
    }
  }

  fileprivate var deviceSilence: Duration? {
    if case .xrun(let silence) = self { silence } else { nil }
  }

  fileprivate var sourceSilence: Duration? {
    if case .starved(let silence) = self { silence } else { nil }
  }

  fileprivate var gap: Duration? {
    if case .deviceReturned(let gap) = self { gap } else { nil }
  }

  fileprivate var nonFiniteCount: Int? {
    if case .nonFinite(let count) = self { count } else { nil }
  }

  fileprivate var limitingGain: Decibels? {
    if case .limited(let gain) = self { gain } else { nil }
  }
}
