import AudioPlayerClient

extension PlaybackSession {
  /// Does what it is told, and returns when that is in force.
  func control(_ command: PlaybackCommand) async throws {
    switch command {
    case .pause(let fade): try await wish { ($0.isPaused, $0.fade) = (true, fade) }
    case .resume(let fade): try await wish { ($0.isPaused, $0.fade) = (false, fade) }
    case .setVolume(let volume, let ramp):
      try await wish { ($0.gain, $0.ramp) = (clampedGain(volume), ramp) }
    case .seek(let time, let item): try await ask(.seek(time, item: item))
    case .skip: try await ask(.skip)
    case .enqueue(let items): try await ask(.enqueue(items))
    case .stop(let fade):
      stop(fade: fade)
      _ = await outcome()
    }
  }

  private func wish(_ change: (inout TransportWishes) -> Void) async throws {
    let serial = board.update(change)
    wake()
    try await waiters.settled(serial)
  }

  private func ask(_ deed: FeederRequest.Deed) async throws {
    if let serial = try await mailbox.ask(deed) { try await waiters.settled(serial) }
  }
}
