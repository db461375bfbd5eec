package import AudioCore

extension PipePolicy<RecordingEvent> {
  /// Keeps one report of levels, the newest, one xrun, the sum of all, the last loss of the device,
  /// and a bounded number of the rare events: a consumer that does not look costs no memory.
  package static let recording = PipePolicy { queue, event in
    switch event {
    case .levels: queue.append(event, inPlaceOf: \.isLevels)
    case .xrun(let lost): queue.append(adding: lost, to: \.lost, as: RecordingEvent.xrun)
    case .nonFinite(let count):
      queue.append(adding: count, to: \.nonFiniteCount, as: RecordingEvent.nonFinite)
    case .deviceLost: queue.append(event, inPlaceOf: { $0 == event })
    case .deviceReturned(let gap):
      queue.append(adding: gap, to: \.gap, as: RecordingEvent.deviceReturned)
    default:
      if queue.count >= mostEvents { queue.remove(at: 1) }
      queue.append(event)
    }
  }

  /// Beyond that the oldest go, but for the start.
  package static let mostEvents = 1_000
}

extension RecordingEvent {
  fileprivate var isLevels: Bool {
    if case .levels = self { true } else { false }
  }

  fileprivate var gap: Duration? {
    if case .deviceReturned(let gap) = self { gap } else { nil }
  }

  fileprivate var nonFiniteCount: Int? {
    if case .nonFinite(let count) = self { count } else { nil }
  }

  fileprivate var lost: Duration? {
    if case .xrun(let lost) = self { lost } else { nil }
  }
}
