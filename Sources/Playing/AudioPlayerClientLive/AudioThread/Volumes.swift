import AudioCore
import Synchronization

/// A gain clamped to 0…1, or to another maximum; NaN becomes silence.
func clampedGain(_ gain: Float, atMost maximum: Float = 1) -> Float {
  gain.isNaN ? 0 : min(max(gain, 0), maximum)
}

/// The gain of a bus, or of all buses, and the time to reach it; audio threads read both without
/// waiting.
final class BusVolume: Sendable {
  // The gain's bits and the milliseconds share a word, so that both are read as they were set.
  private let word = Atomic(UInt64(Float(1).bitPattern))

  /// The last setting: a gain of 0…1 and a time of zero to 49 days; values outside are clamped.
  var setting: (gain: Float, ramp: Duration) {
    get {
      let word = word.load(ordering: .relaxed)
      let gain = Float(bitPattern: UInt32(truncatingIfNeeded: word))
      return (gain, .milliseconds(Int64(word >> 32)))
    }
    set {
      let time = UInt32(clamping: newValue.ramp.wholeMilliseconds)
      let bits = UInt64(time) << 32 | UInt64(clampedGain(newValue.gain).bitPattern)
      word.store(bits, ordering: .relaxed)
    }
  }
}

/// The current gain of each bus on one device, block by block; used only on the audio thread.
///
/// Its memory is allocated once. A bus has an entry from the first block in which one of its voices
/// sounds until a block in which none does and its gain is steady. A bus without an entry is at its
/// target.
final class BusGains {
  private struct Entry {
    /// Releasing it frees no memory, because the player keeps its buses longer.
    let bus: BusVolume
    /// The setting that the gain moves to.
    var setting: (gain: Float, ramp: Duration)
    var gain: SmoothedGain
    var isInUse: Bool
  }

  /// Twice the number of voices: the buses of the voices, and as many buses whose gain still moves.
  private static let limit = 2 * VoiceTable.limit

  private let entries: UnsafeMutableBufferPointer<Entry>
  private let rate: SampleRate
  private(set) var count = 0

  init(rate: SampleRate) {
    self.rate = rate
    entries = .allocate(capacity: Self.limit)
  }

  deinit {
    removeAll()
    entries.deallocate()
  }

  /// Begins the block after a block of `frames`; gains begin to move to new settings.
  func begin(after frames: Int) {
    var index = count
    while index > 0 {
      index -= 1
      entries[index].gain.skip(frames)
      guard entries[index].isInUse || !entries[index].gain.isSteady else {
        remove(at: index)
        continue
      }
      entries[index].isInUse = false
      let setting = entries[index].bus.setting
      guard setting != entries[index].setting else { continue }
      entries[index].setting = setting
      entries[index].gain.move(to: setting.gain, in: FrameCount(setting.ramp, at: rate).rawValue)
    }
  }

  /// The gain of a bus for the frames of this block.
  func gain(of bus: BusVolume) -> SmoothedGain {
    for index in 0..<count where entries[index].bus === bus {
      entries[index].isInUse = true
      return entries[index].gain
    }
    let setting = bus.setting
    let gain = SmoothedGain(setting.gain)
    if count < Self.limit {
      (entries.baseAddress.unsafelyUnwrapped + count).initialize(
        to: Entry(bus: bus, setting: setting, gain: gain, isInUse: true))
      count += 1
    }
    return gain
  }

  /// Puts every bus at its target, because nothing sounds.
  func removeAll() {
    (entries.baseAddress.unsafelyUnwrapped).deinitialize(count: count)
    count = 0
  }

  private func remove(at index: Int) {
    count -= 1
    entries.swapAt(index, count)
    (entries.baseAddress.unsafelyUnwrapped + count).deinitialize(count: 1)
  }
}

/// A gain that moves to its target in even steps, one per frame, so that no change of volume clicks.
struct SmoothedGain: Equatable {
  private(set) var current: Float
  private(set) var target: Float
  private var step: Float = 0
  /// The frames until it reaches the target.
  private(set) var framesLeft = 0

  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// Whether the gain has reached the target.
  var isSteady: Bool { framesLeft == 0 }

  /// Begins to move to a gain, to be reached in `frames`; nothing changes if it is there already.
  mutating func move(to gain: Float, in frames: Int) {
    guard gain != target || !isSteady else { return }
    target = gain
    framesLeft = max(1, frames)
    step = (gain - current) / Float(framesLeft)
  }

  /// Shortens the remaining ramp to `frames` if it is longer.
  mutating func arrive(within frames: Int) {
    guard frames < framesLeft else { return }
    framesLeft = max(1, frames)
    step = (target - current) / Float(framesLeft)
  }

  /// Returns the gain of the next frame.
  mutating func next() -> Float {
    guard framesLeft > 0 else { return current }
    framesLeft -= 1
    current = framesLeft == 0 ? target : current + step
    return current
  }

  /// Advances by `frames`.
  mutating func skip(_ frames: Int) {
    for _ in 0..<min(frames, framesLeft) { _ = next() }
  }
}
