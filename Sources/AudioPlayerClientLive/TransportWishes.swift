import AudioCore
import Synchronization

/// What is wished of a voice: whether it sounds, how loud, and which of its samples.
struct TransportWishes: Equatable {
  var isPaused = false
  var isStopping = false
  /// How often all that the voice held was to be thrown away.
  var epoch = 0
  /// How long it takes to fall silent, or to sound again.
  var fade = TransportWishes.shortestFade
  var gain: Float
  /// How long it takes to reach the gain.
  var ramp = Duration.zero

  /// What takes the click out of a stop.
  static let shortestFade = Duration.milliseconds(10)
}

/// The wishes as they are passed on: whoever controls a voice and its feeder write them, the card's
/// thread reads them without waiting.
final class WishBoard: Sendable {
  /// Wishes and their serial number.
  struct Reading: Equatable {
    var wishes: TransportWishes
    var serial: Int
  }

  // Held for a few instructions by those who write.
  private let written: Mutex<TransportWishes>
  /// Twice the serial number of what the fields hold; odd while they are written.
  private let version = Atomic<Int>(0)
  private let flags = Atomic<UInt8>(0)
  private let epoch = Atomic<Int>(0)
  private let fade = Atomic<Int64>(0)
  private let gain = Atomic<UInt32>(0)
  private let ramp = Atomic<Int64>(0)

  init(gain: Float) {
    let wishes = TransportWishes(gain: clampedGain(gain))
    written = Mutex(wishes)
    publish(wishes)
  }

  /// Changes the wishes and returns their serial number; later ones are higher.
  @discardableResult
  func update(_ change: (inout TransportWishes) -> Void) -> Int {
    written.withLock { wishes in
      change(&wishes)
      let serial = version.load(ordering: .relaxed) / 2 + 1
      version.store(serial * 2 - 1, ordering: .relaxed)
      atomicMemoryFence(ordering: .releasing)
      publish(wishes)
      version.store(serial * 2, ordering: .releasing)
      return serial
    }
  }

  /// What is wished now; not for the card's thread.
  var current: Reading {
    written.withLock { Reading(wishes: $0, serial: version.load(ordering: .relaxed) / 2) }
  }

  /// What is wished now; nil where that is known, or being written at this moment.
  func read(after serial: Int) -> Reading? {
    let before = version.load(ordering: .acquiring)
    guard before.isMultiple(of: 2), before / 2 != serial else { return nil }
    let wishes = fields
    atomicMemoryFence(ordering: .acquiring)
    guard version.load(ordering: .relaxed) == before else { return nil }
    return Reading(wishes: wishes, serial: before / 2)
  }

  private func publish(_ wishes: TransportWishes) {
    flags.store((wishes.isPaused ? 1 : 0) | (wishes.isStopping ? 2 : 0), ordering: .relaxed)
    epoch.store(wishes.epoch, ordering: .relaxed)
    fade.store(wishes.fade.inNanoseconds, ordering: .relaxed)
    gain.store(wishes.gain.bitPattern, ordering: .relaxed)
    ramp.store(wishes.ramp.inNanoseconds, ordering: .relaxed)
  }

  private var fields: TransportWishes {
    let flags = flags.load(ordering: .relaxed)
    return TransportWishes(
      isPaused: flags & 1 != 0, isStopping: flags & 2 != 0,
      epoch: epoch.load(ordering: .relaxed),
      fade: .nanoseconds(fade.load(ordering: .relaxed)),
      gain: Float(bitPattern: gain.load(ordering: .relaxed)),
      ramp: .nanoseconds(ramp.load(ordering: .relaxed)))
  }
}
