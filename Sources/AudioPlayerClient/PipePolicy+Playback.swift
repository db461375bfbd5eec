package import AudioCore

extension PipePolicy<PlaybackEvent> {
  /// Keeps one progress, the newest, and one xrun, the sum of all: a consumer that does not look
  /// costs no memory.
  package static let playback = PipePolicy { queue, event in
    switch event {
    case .progress:
      queue.removeAll(where: \.isProgress)
      queue.append(event)
    case .xrun(let silence):
      let earlier = queue.compactMap(\.silence).reduce(.zero, +)
      queue.removeAll { $0.silence != nil }
      queue.append(.xrun(earlier + silence))
    case .started, .finished:
      queue.append(event)
    }
  }
}

extension PlaybackEvent {
  fileprivate var isProgress: Bool {
    if case .progress = self { true } else { false }
  }

  fileprivate var silence: Duration? {
    if case .xrun(let silence) = self { silence } else { nil }
  }
}
