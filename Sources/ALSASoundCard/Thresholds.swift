import AudioCore
import CALSA
import Glibc
import SoundCard

/// ALSA's software parameters: when a device wakes its thread, starts, and stops.
struct Thresholds {
  let pcm: OpaquePointer
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration

  /// The frames written before a playback starts automatically; a capture starts on demand.
  private var start: Int {
    let (period, buffer) = (configuration.period.rawValue, configuration.buffer.rawValue)
    return direction == .playback ? min(2 * period, buffer) : 1
  }

  func set() throws(SoundCardError) {
    guard let parameters = SoftwareParameters() else {
      throw .operating(configuration.device, "snd_pcm_sw_params_malloc", code: -ENOMEM)
    }
    let software = parameters.pointer
    let buffer = snd_pcm_uframes_t(configuration.buffer.rawValue)
    let period = snd_pcm_uframes_t(configuration.period.rawValue)
    try check(snd_pcm_sw_params_current(pcm, software))
    try check(snd_pcm_sw_params_set_avail_min(pcm, software, period))
    try check(snd_pcm_sw_params_set_start_threshold(pcm, software, snd_pcm_uframes_t(start)))
    try check(snd_pcm_sw_params_set_stop_threshold(pcm, software, buffer))
    // Some plug-ins refuse these; we do not depend on their timestamps.
    snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
    snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    try check(snd_pcm_sw_params(pcm, software))
  }

  private func check(_ code: Int32) throws(SoundCardError) {
    guard code >= 0 else {
      throw .operating(configuration.device, "snd_pcm_sw_params", code: code)
    }
  }
}
