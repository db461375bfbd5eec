import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard
import Synchronization

/// The owner of an open ALSA PCM, with its negotiated configuration.
struct PCMHandle: ~Copyable {
  let pcm: OpaquePointer
  let configuration: PCMConfiguration

  /// Protects process-wide state of alsa-lib and its plug-ins.
  private static let queue = OpeningQueue(limit: .seconds(1))

  /// Opens a device and negotiates, preferring a native sample format of the card: ALSA's `plug`
  /// truncates to 16 bits without dither.
  ///
  /// It does not wait for the device to become free, but blocks while a sound server is slow.
  static func open(
    _ direction: AudioDevice.Direction, _ request: PCMRequest
  ) throws(SoundCardError) -> PCMHandle {
    do throws(SoundCardError) {
      return try PCMHandle(direction, request, convertsFormats: false)
    } catch .unsupported {
      // The first PCM is closed by now; a card can be opened only once.
      return try PCMHandle(direction, request, convertsFormats: true)
    }
  }

  /// - Parameter convertsFormats: whether ALSA's `plug` may offer formats that the card lacks.
  private init(
    _ direction: AudioDevice.Direction, _ request: PCMRequest, convertsFormats: Bool
  ) throws(SoundCardError) {
    let id = request.device ?? .alsaDefault
    var opened: OpaquePointer?
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    let mode = SND_PCM_NONBLOCK | (convertsFormats ? 0 : SND_PCM_NO_AUTO_FORMAT)
    let code: Int32
    do {
      code = try Self.queue.run { snd_pcm_open(&opened, id.rawValue, stream, mode) }
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
    guard code >= 0, let pcm = opened else { throw .opening(id, for: direction, code: code) }
    do throws(SoundCardError) {
      let negotiation = try Negotiation(pcm, id, request, for: direction)
      (self.pcm, configuration) = (pcm, try negotiation.settle())
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
  }

  deinit { snd_pcm_close(pcm) }
}

/// Serializes opening: "opening is not re-entrant in some plug-ins".
///
/// An opening that hangs delays only the next opening, and at most by the limit.
final class OpeningQueue: Sendable {
  private let limit: Duration
  // The lock is held by opening threads to exchange a reference, never by an audio thread.
  private let last = Mutex<WakeUp?>(nil)

  init(limit: Duration) {
    self.limit = limit
  }

  /// Runs `body` after the previous opening, or after the limit.
  func run<Value>(_ body: () -> Value) throws(SystemError) -> Value {
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
