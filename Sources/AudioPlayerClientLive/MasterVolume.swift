import Synchronization

/// The gain of everything that a player plays; the card's threads read it without waiting.
final class MasterVolume: Sendable {
  private let bits = Atomic<UInt32>(Float(1).bitPattern)

  /// The gain, 0…1; what is set is brought into that range.
  var gain: Float {
    get { Float(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(clampedGain(newValue).bitPattern, ordering: .relaxed) }
  }
}

/// A gain within 0…1; what is no number is silence.
func clampedGain(_ gain: Float) -> Float {
  gain.isNaN ? 0 : min(max(gain, 0), 1)
}
