import AudioCore
import Synchronization

/// Returns a gain clamped to 0…1, or to another maximum; NaN becomes silence.
func clampedGain(_ gain: Float, atMost maximum: Float = 1) -> Float {
  gain.isNaN ? 0 : min(max(gain, 0), maximum)
}

/// The volume and the ducking of a bus, or of all buses: two gains, each with a ramp.
///
/// Audio threads read a gain and its ramp together, without waiting.
final class BusVolume: Sendable {
  /// A gain of 0…1 and a ramp of zero to 49 days; other values are clamped.
  typealias Setting = (gain: Float, ramp: Duration)

  private let volume = Atomic(BusVolume.word((1, .zero)))
  private let duckedVolume = Atomic(BusVolume.word((1, .zero)))

  /// The volume that was set last, and its ramp.
  var setting: Setting {
    get { Self.setting(volume.load(ordering: .relaxed)) }
    set { volume.store(Self.word(newValue), ordering: .relaxed) }
  }

  /// The gain by which other sounds lower the bus.
  var ducking: Setting { Self.setting(duckedVolume.load(ordering: .relaxed)) }

  /// Lowers the bus; does nothing if `gain` is set already, even with another ramp.
  func duck(to gain: Float, _ ramp: Duration) {
    let word = Self.word((gain, ramp))
    guard Self.setting(word).gain != ducking.gain else { return }
    duckedVolume.store(word, ordering: .relaxed)
  }

  /// Returns a word with the bits of the gain and the milliseconds of the ramp, so that both are
  /// read together.
  private static func word(_ setting: Setting) -> UInt64 {
    let time = UInt32(clamping: setting.ramp.wholeMilliseconds)
    return UInt64(time) << 32 | UInt64(clampedGain(setting.gain).bitPattern)
  }

  private static func setting(_ word: UInt64) -> Setting {
    (Float(bitPattern: UInt32(truncatingIfNeeded: word)), .milliseconds(Int64(word >> 32)))
  }
}

/// The current volume and ducking gains of a bus, each with its own ramp.
struct BusGain: Equatable {
  var volume: SmoothedGain
  var ducking: SmoothedGain

  /// Creates the gains that a bus reaches after its ramps.
  init(_ bus: BusVolume) {
    (volume, ducking) = (SmoothedGain(bus.setting.gain), SmoothedGain(bus.ducking.gain))
  }

  /// Whether both gains have reached their targets.
  var isSteady: Bool { volume.isSteady && ducking.isSteady }

  /// Advances by `frames`, and then begins to move to the newest settings of the bus.
  mutating func move(by frames: Int, to bus: BusVolume, at rate: SampleRate) {
    volume.skip(frames)
    ducking.skip(frames)
    volume.follow(bus.setting, at: rate)
    ducking.follow(bus.ducking, at: rate)
  }
}

/// A gain that moves to its target in equal steps, one per frame, so that volume changes do not
/// click.
struct SmoothedGain: Equatable {
  private(set) var current: Float
  private(set) var target: Float
  private var step: Float = 0
  /// The length of the last ramp in frames; `framesLeft` is how many of them are left.
  private var length = 0
  private(set) var framesLeft = 0

  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// Whether the gain has reached the target.
  var isSteady: Bool { framesLeft == 0 }

  /// Begins a ramp that reaches `gain` in `frames` frames; does nothing if `gain` is reached
  /// already, or if the last call had the same arguments.
  mutating func move(to gain: Float, in frames: Int) {
    guard gain != target || (!isSteady && frames != length) else { return }
    (target, length) = (gain, frames)
    framesLeft = max(1, frames)
    step = (gain - current) / Float(framesLeft)
  }

  /// Begins to move to a setting, unless the gain is already moving there.
  mutating func follow(_ setting: BusVolume.Setting, at rate: SampleRate) {
    move(to: setting.gain, in: FrameCount(setting.ramp, at: rate).rawValue)
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
