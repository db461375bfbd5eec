public import ClientDependencies
public import SoundCard

extension SoundCard: DependencyKey {
  /// The sound cards and sound servers that ALSA's configuration knows; opening runs on a thread of
  /// its own.
  public static let liveValue: SoundCard = {
    let card = ALSASoundCard()
    return SoundCard(
      devices: { try await card.devices() },
      openPlayback: { try await card.openPlayback($0) },
      openCapture: { try await card.openCapture($0) },
      deviceChanges: { card.changes.stream() })
  }()
}
