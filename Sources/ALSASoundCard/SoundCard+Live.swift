public import ClientDependencies
public import SoundCard

extension SoundCard: DependencyKey {
  /// The sound cards and sound servers in ALSA's configuration; opening runs on its own thread.
  public static let liveValue: SoundCard = {
    let card = ALSASoundCard()
    return SoundCard(
      devices: { try await card.devices() },
      openPlayback: { try await card.openPlayback($0) },
      openCapture: { try await card.openCapture($0) },
      deviceChanges: { card.changes.stream() })
  }()
}
