package import AudioCore

extension SoundCard {
  /// The devices that can be opened in a direction, the default first; none without a sound card.
  ///
  /// Throws `SoundCardError`.
  package func devices(for direction: AudioDevice.Direction) async throws -> [AudioDevice] {
    do {
      return try await devices().filter { $0.directions.contains(direction) }
    } catch SoundCardError.noSoundCard {
      return []
    }
  }
}
