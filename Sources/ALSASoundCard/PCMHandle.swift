import AudioCore
import AudioThreads
import CALSA
import SoundCard
import Synchronization

/// The owner of an open ALSA PCM.
struct PCMHandle: ~Copyable {
  let pcm: OpaquePointer

  /// Guards process-wide state in alsa-lib and its plug-ins.
  private static let queue = OpeningQueue(limit: .seconds(1))

  /// Opens a device without waiting for it to become free; blocks while a sound server is slow.
  ///
  /// - Parameter convertsFormats: whether ALSA's `plug` may offer formats that the card lacks.
  init(
    opening id: AudioDevice.ID, for direction: AudioDevice.Direction, convertsFormats: Bool
  ) throws(SoundCardError) {
    var pcm: OpaquePointer?
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    let mode = SND_PCM_NONBLOCK | (convertsFormats ? 0 : SND_PCM_NO_AUTO_FORMAT)
    let code: Int32
    do {
      code = try Self.queue.run { snd_pcm_open(&pcm, id.rawValue, stream, mode) }
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
    guard code >= 0, let pcm else { throw .opening(id, for: direction, code: code) }
    self.pcm = pcm
  }

  deinit { snd_pcm_close(pcm) }
}

/// Serializes opening: "opening is not re-entrant in some plug-ins".
///
/// An opening that hangs delays only the next one, for at most the limit.
final class OpeningQueue: Sendable {
  private let limit: Duration
  // Held for the exchange of a reference by opening threads, never by an audio thread.
  private let last = Mutex<WakeUp?>(nil)

  init(limit: Duration) {
    self.limit = limit
  }

  /// Runs `body` after the previous opening, or after the limit.
  func run<Value>(_ body: () -> Value) throws(WakeUpError) -> Value {
    let ended = try WakeUp()
    let previous = last.withLock { last in
      defer { last = ended }
      return last
    }
    previous?.wait(atMost: limit)
    defer { ended.signal() }
    return body()
  }
}
