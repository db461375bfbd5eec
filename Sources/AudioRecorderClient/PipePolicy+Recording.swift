package import AudioCore

extension PipePolicy<RecordingEvent> {
  /// Keeps one report of levels, the newest, and one xrun, the sum of all: a consumer that does not
  /// look costs no memory.
  package static let recording = PipePolicy { queue, event in
    switch event {
    case .levels:
      queue.removeAll(where: \.isLevels)
      queue.append(event)
    case .xrun(let lost):
      let earlier = queue.compactMap(\.lost).reduce(.zero, +)
      queue.removeAll { $0.lost != nil }
      queue.append(.xrun(earlier + lost))
    case .started, .finished:
      queue.append(event)
    }
  }
}

extension RecordingEvent {
  fileprivate var isLevels: Bool {
    if case .levels = self { true } else { false }
  }

  fileprivate var lost: Duration? {
    if case .xrun(let lost) = self { lost } else { nil }
  }
}
