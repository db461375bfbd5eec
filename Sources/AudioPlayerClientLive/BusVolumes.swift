import AudioCore
import AudioPlayerClient
import Synchronization

/// The buses of a player by name; a bus is made when it is named first, and stays.
final class BusVolumes: Sendable {
  // Held for a few instructions by the control side; the card's threads see the buses alone.
  private let buses = Mutex<[PlaybackBus: BusVolume]>([:])

  subscript(bus: PlaybackBus) -> BusVolume {
    buses.withLock { buses in
      if let known = buses[bus] { return known }
      let new = BusVolume()
      buses[bus] = new
      return new
    }
  }
}

/// The gain of a bus and the time to get there; the card's threads read both without waiting.
final class BusVolume: Sendable {
  struct Setting: Equatable {
    var gain: Float
    var ramp: Duration
  }

  // One word, so that a gain is never read with the time of another: its bits and milliseconds.
  private let word = Atomic<UInt64>(BusVolume.word(Setting(gain: 1, ramp: .zero)))

  /// What was set last: a gain of 0…1, and a time of zero to 49 days.
  var setting: Setting {
    get {
      let word = word.load(ordering: .relaxed)
      return Setting(
        gain: Float(bitPattern: UInt32(truncatingIfNeeded: word)),
        ramp: .milliseconds(Int64(word >> 32)))
    }
    set { word.store(Self.word(newValue), ordering: .relaxed) }
  }

  private static func word(_ setting: Setting) -> UInt64 {
    let milliseconds = setting.ramp.inSeconds * 1_000
    let time = UInt64(min(max(milliseconds.rounded(), 0), Double(UInt32.max)))
    return time << 32 | UInt64(clampedGain(setting.gain).bitPattern)
  }
}
