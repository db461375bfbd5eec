package import AudioCore

extension PipePolicy<PlaybackEvent> {
  /// Bounds memory for slow consumers: keeps the newest progress and repetition, the sum of each
  /// kind of silence, the lowest gain, the last loss, and the newest 64 events of every other kind.
  package static let playback = PipePolicy { queue, event in
    switch event {
    case .progress: queue.append(event, inPlaceOf: \.isProgress)
    case .xrun(let silence):
      queue.append(adding: silence, to: \.deviceSilence, as: PlaybackEvent.xrun)
    case .starved(let silence):
      queue.append(adding: silence, to: \.sourceSilence, as: PlaybackEvent.starved)
    case .nonFinite(let count):
      queue.append(adding: count, to: \.nonFiniteCount, as: PlaybackEvent.nonFinite)
    case .limited(let gain):
      let lowest = queue.compactMap(\.limitingGain).reduce(gain, min)
      queue.append(.limited(lowest), inPlaceOf: { $0.limitingGain != nil })
    case .looped: queue.append(event, inPlaceOf: \.isLooped)
    case .deviceLost: queue.append(event, inPlaceOf: { $0 == event })
    case .deviceReturned(let gap):
      queue.append(adding: gap, to: \.gap, as: PlaybackEvent.deviceReturned)
    case .advanced: queue.append(event, toNewest: 64) { $0.isAdvanced }
    case .paused: queue.append(event, toNewest: 64) { $0.isPaused }
    case .resumed: queue.append(event, toNewest: 64) { $0.isResumed }
    case .sought: queue.append(event, toNewest: 64) { $0.isSought }
    case .shortfall: queue.append(event, toNewest: 64) { $0.isShortfall }
    case .failed: queue.append(event, toNewest: 64) { $0.isFailure }
    case .started, .finished: queue.append(event)
    }
  }
}

extension PlaybackEvent {
  fileprivate var isProgress: Bool {
    if case .progress = self { true } else { false }
  }

  fileprivate var isLooped: Bool {
    if case .looped = self { true } else { false }
  }

  fileprivate var isAdvanced: Bool {
    if case .advanced = self { true } else { false }
  }

  fileprivate var isPaused: Bool {
    if case .paused = self { true } else { false }
  }

  fileprivate var isResumed: Bool {
    if case .resumed = self { true } else { false }
  }

  fileprivate var isSought: Bool {
    if case .sought = self { true } else { false }
  }

  fileprivate var isShortfall: Bool {
    if case .shortfall = self { true } else { false }
  }

  fileprivate var isFailure: Bool {
    if case .failed = self { true } else { false }
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
