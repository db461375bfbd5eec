import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard
import Synchronization

extension ALSADevice {
  /// Signaled when the most recently requested opening ends.
  ///
  /// The next opening waits for this signal, because some plug-ins have process-wide state and
  /// cannot be opened on two threads at once.
  private static let lastOpening = Mutex<WakeUp?>(nil)

  /// Opens a PCM, which the caller closes, and negotiates its configuration.
  ///
  /// It first tries the card's own sample formats, because ALSA's `plug` truncates to 16 bits
  /// without dither.
  ///
  /// It fails at once if the device is busy, but blocks while a sound server is slow.
  static func open(
    _ direction: AudioDevice.Direction, _ request: PCMRequest
  ) throws(SoundCardError) -> (pcm: OpaquePointer, configuration: PCMConfiguration) {
    do throws(SoundCardError) {
      return try open(direction, request, convertsFormats: false)
    } catch .unsupported {
      // The failed attempt has closed its PCM, so the card can be opened again.
      return try open(direction, request, convertsFormats: true)
    }
  }

  /// Opens a PCM with a native format of the card, or with any format of ALSA's `plug` if
  /// `convertsFormats` is true.
  private static func open(
    _ direction: AudioDevice.Direction, _ request: PCMRequest, convertsFormats: Bool
  ) throws(SoundCardError) -> (pcm: OpaquePointer, configuration: PCMConfiguration) {
    let id = request.device ?? .alsaDefault
    var opened: OpaquePointer?
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    let mode = SND_PCM_NONBLOCK | (convertsFormats ? 0 : SND_PCM_NO_AUTO_FORMAT)
    let code: Int32
    do {
      code = try lastOpening.runInTurn(waitingAtMost: .seconds(1)) {
        snd_pcm_open(&opened, id.rawValue, stream, mode)
      }
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
    guard code >= 0, let pcm = opened else { throw .opening(id, for: direction, code: code) }
    do throws(SoundCardError) {
      return (pcm, try Negotiation(pcm, id, request, for: direction).settle())
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
  }
}

extension Mutex<WakeUp?> {
  /// Runs `body` after the `body` of the previous call has returned, or after `limit`.
  ///
  /// A call that hangs delays only the next call. The lock is held only to exchange a reference.
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
