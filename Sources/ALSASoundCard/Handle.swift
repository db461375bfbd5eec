import AudioCore
import CALSA
import SoundCard
import Synchronization

/// The owner of an open ALSA PCM.
struct Handle: ~Copyable {
  let pcm: OpaquePointer

  // "Opening is not re-entrant in some plug-ins": the state that this lock guards is the process'
  // own, inside alsa-lib and the plug-ins it loads. Held by threads that only open, never by a
  // card's thread.
  private static let opening = Mutex<Void>(())

  /// Opens a device without waiting for it to be free; blocks where a sound server is slow to
  /// answer.
  ///
  /// The corresponding C function is `snd_pcm_open`.
  init(
    opening id: AudioDevice.ID, for direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    var pcm: OpaquePointer?
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    let code = Self.opening.withLock { _ in
      snd_pcm_open(&pcm, id.rawValue, stream, SND_PCM_NONBLOCK)
    }
    guard code >= 0, let pcm else { throw .opening(id, for: direction, code: code) }
    self.pcm = pcm
  }

  deinit { snd_pcm_close(pcm) }
}
