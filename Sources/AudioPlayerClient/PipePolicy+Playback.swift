package import AudioCore

extension PipePolicy<PlaybackEvent> {
  /// Keeps one progress and one repetition, the newest, one of each kind of silence, the sum of
  /// all, the lowest gain, and the last loss of the device: a consumer that does not look costs no
  /// memory.
  package static let playback = PipePolicy { queue, event in
    switch event {
    case .progress: queue.append(event, inPlaceOf: \.isProgress)
    case .xrun(let silence):
      queue.append(adding: silence, to: \.deviceSilence, as: PlaybackEvent.xrun)
    case .starved(let silence):
      queue.append(adding: silence, to: \.sourceSilence, as: PlaybackEvent.starved)
    case .limited(let gain):
      let lowest = queue.compactMap(\.limitingGain).reduce(gain, min)
      queue.append(.limited(lowest), inPlaceOf: { $0.limitingGain != nil })
    case .looped: queue.append(event, inPlaceOf: \.isLooped)
    case .deviceLost: queue.append(event, inPlaceOf: { $0 == event })
    case .deviceReturned(let gap):
      queue.append(adding: gap, to: \.gap, as: PlaybackEvent.deviceReturned)
    case .started, .advanced, .paused, .resumed, .sought, .shortfall, .failed, .finished:
      queue.append(event)
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

  fileprivate var deviceSilence: Duration? {
    if case .xrun(let silence) = self { silence } else { nil }
  }

  fileprivate var sourceSilence: Duration? {
    if case .starved(let silence) = self { silence } else { nil }
  }

  fileprivate var gap: Duration? {
    if case .deviceReturned(let gap) = self { gap } else { nil }
  }

  fileprivate var limitingGain: Decibels? {
    if case .limited(let gain) = self { gain } else { nil }
  }
}
