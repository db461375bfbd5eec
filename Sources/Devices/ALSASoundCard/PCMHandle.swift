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

  /// Signaled at the end of the last opening: "opening is not re-entrant in some plug-ins".
  private static let lastOpening = Mutex<WakeUp?>(nil)

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
      code = try Self.lastOpening.runInTurn(waitingAtMost: .seconds(1)) {
        snd_pcm_open(&opened, id.rawValue, stream, mode)
      }
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

extension Mutex<WakeUp?> {
  /// Runs `body` after the previous call has ended, or after the limit.
  ///
  /// A call that hangs delays only the next one. The lock is held to exchange a reference.
  func runInTurn<Output>(
    waitingAtMost limit: Duration, _ body: () -> Output
  ) throws(SystemError) -> Output {
    let ended = try WakeUp()
    let previous = withLock { last in
      defer { last = ended }
      return last
    }
    previous?.wait(atMost: limit)
    defer { ended.signal() }
    return body()
  }
}
