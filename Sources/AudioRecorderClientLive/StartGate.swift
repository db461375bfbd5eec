import AudioCore
import AudioRecorderClient

/// Waits for the beginning of a recording and keeps what was heard before it.
struct StartGate {
  /// The beginning of a recording.
  struct Beginning: Equatable {
    /// The frames before the moment at which it begins.
    var preRoll: FrameCount
    var buffers: [AudioBuffer]
  }

  private let preRoll: FrameCount
  private var trigger: SoundTrigger?
  private var held = HeldBuffers()
  private var position: FrameCount = 0

  /// - Parameter trigger: what it waits for; nil for a command.
  init(preRoll: FrameCount, trigger: SoundTrigger?) {
    (self.preRoll, self.trigger) = (preRoll, trigger)
  }

  var heldFrames: FrameCount { held.frameCount }

  /// Takes what is heard; the beginning as soon as there is one.
  mutating func take(_ buffer: AudioBuffer) -> Beginning? {
    held.append(buffer)
    position += buffer.frameCount
    if let onset = trigger?.hears(buffer) { return begin(at: onset) }
    forget(before: (trigger?.candidate ?? position) - preRoll)
    return nil
  }

  /// The beginning now, by command.
  mutating func begin() -> Beginning { begin(at: position) }

  private mutating func begin(at onset: FrameCount) -> Beginning {
    forget(before: onset - preRoll)
    let first = position - held.frameCount
    return Beginning(preRoll: onset - first, buffers: held.takeAll())
  }

  private mutating func forget(before frame: FrameCount) {
    _ = held.take(frame - (position - held.frameCount))
  }
}
