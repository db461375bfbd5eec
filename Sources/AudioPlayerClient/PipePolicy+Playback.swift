package import AudioCore

extension PipePolicy<PlaybackEvent> {
  /// Keeps one progress, the newest, and one of each kind of silence, the sum of all: a consumer
  /// that does not look costs no memory.
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
    case .started, .finished:
      queue.append(event)
    }
  }
}

extension PlaybackEvent {
  fileprivate var isProgress: Bool {
    if case .progress = self { true } else { false }
  }

  fileprivate var deviceSilence: Duration? {
    if case .xrun(let silence) = self { silence } else { nil }
  }

  fileprivate var sourceSilence: Duration? {
    if case .starved(let silence) = self { silence } else { nil }
  }
}
