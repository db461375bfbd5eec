package import AudioCore

extension PipePolicy<PlaybackEvent> {
  /// Keeps one progress and one repetition, the newest, one of each kind of silence, the sum of all,
  /// the lowest gain, and the last loss of the device: a consumer that does not look costs no memory.
  package static let playback = PipePolicy { queue, event in
    switch event {
    case .progress:
      queue.removeAll(where: \.isProgress)
      queue.append(event)
    case .xrun(let silence):
      let earlier = queue.compactMap(\.deviceSilence).reduce(.zero, +)
      queue.removeAll { $0.deviceSilence != nil }
      queue.append(.xrun(earlier + silence))
    case .starved(let silence):
      let earlier = queue.compactMap(\.sourceSilence).reduce(.zero, +)
      queue.removeAll { $0.sourceSilence != nil }
      queue.append(.starved(earlier + silence))
    case .limited(let gain):
      let lowest = queue.compactMap(\.limitingGain).reduce(gain, min)
      queue.removeAll { $0.limitingGain != nil }
      queue.append(.limited(lowest))
    case .looped:
      queue.removeAll(where: \.isLooped)
      queue.append(event)
    case .deviceLost:
      queue.removeAll { $0 == .deviceLost }
      queue.append(event)
    case .deviceReturned(let gap):
      let earlier = queue.compactMap(\.gap).reduce(.zero, +)
      queue.removeAll { $0.gap != nil }
      queue.append(.deviceReturned(gap: earlier + gap))
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
