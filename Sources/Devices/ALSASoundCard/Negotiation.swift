import AudioCore
import CALSA
import Glibc
import SoundCard

/// Configures an open device to match a request as closely as the device allows.
struct Negotiation: ~Copyable {
  private let pcm: OpaquePointer
  private let device: AudioDevice.ID
  private let request: PCMRequest
  private let direction: AudioDevice.Direction
  /// The hardware parameters, which this value owns and frees.
  private let hardware: OpaquePointer

  init(
    _ pcm: OpaquePointer, _ device: AudioDevice.ID, _ request: PCMRequest,
    for direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    var parameters: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&parameters) == 0, let parameters else {
      throw .operating(device, "snd_pcm_hw_params_malloc", code: -ENOMEM)
    }
    (self.pcm, self.device, self.request) = (pcm, device, request)
    (self.direction, hardware) = (direction, parameters)
  }

  deinit { snd_pcm_hw_params_free(hardware) }

  /// Sets the hardware and software parameters and returns the resulting configuration.
  func settle() throws(SoundCardError) -> PCMConfiguration {
    try check(snd_pcm_hw_params_any(pcm, hardware), "configuration at all")
    // The plug-in's converter is disabled, because it falls back to linear interpolation; our
    // engines resample with soxr.
    snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0)
    try check(
      snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED),
      "interleaved access")
    // `plug` offers every rate in every format. Choosing a native format first would also determine
    // the rate, so with `plug` the format is chosen last.
    let isPlug = snd_pcm_type(pcm) == SND_PCM_TYPE_PLUG
    let early = isPlug ? nil : try setSampleFormat()
    var channels = UInt32(clamping: request.format.channelCount)
    try check(
      snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), "number of channels")
    var rate = UInt32(clamping: wantedRate.hertz)
    try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), "sample rate")
    let sampleFormat = if let early { early } else { try setSampleFormat() }
    let format = AudioFormat(
      sampleRate: SampleRate(hertz: max(1, Int(rate))), channelCount: max(1, Int(channels)))
    let sizes = try setSizes(at: format.sampleRate)
    let configuration = PCMConfiguration(
      device: device, format: format, sampleFormat: sampleFormat, period: sizes.period,
      buffer: sizes.buffer,
      channelLayout: ChannelLayout.settled(
        pcm, channelCount: format.channelCount, for: direction),
      patience: isCard ? PCMConfiguration.cardPatience : PCMConfiguration.serverPatience)
    try setThresholds(configuration)
    return configuration
  }

  /// The rate to request.
  ///
  /// An external I/O plug-in belongs to a sound server, which accepts any rate.
  private var wantedRate: SampleRate {
    let isServer = snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG
    return isServer && request.prefersNativeRate ? 48_000 : request.format.sampleRate
  }

  /// Whether a sound card is behind the device, directly or through plug-ins that only convert.
  private var isCard: Bool {
    var information: OpaquePointer?
    guard snd_pcm_info_malloc(&information) == 0 else { return true }
    defer { snd_pcm_info_free(information) }
    return snd_pcm_info(pcm, information) < 0 || snd_pcm_info_get_card(information) >= 0
  }

  /// Sets the best sample format that both the device and this module support.
  private func setSampleFormat() throws(SoundCardError) -> PCMSampleFormat {
    for format in PCMSampleFormat.allCases
    where snd_pcm_hw_params_test_format(pcm, hardware, format.inALSA) == 0 {
      try check(snd_pcm_hw_params_set_format(pcm, hardware, format.inALSA), "sample format")
      return format
    }
    throw .unsupported(device, reason: "it supports neither float nor 32-, 24-, or 16-bit samples")
  }

  private func setSizes(
    at rate: SampleRate
  ) throws(SoundCardError) -> (period: FrameCount, buffer: FrameCount) {
    let period = max(1, FrameCount(request.buffering.period, at: rate).rawValue)
    let buffer = period * max(2, request.buffering.periodCount)
    var code: Int32 = 0
    // Some drivers require the period size to be set first, others the buffer size.
    for isPeriodFirst in [true, false] {
      // A failed attempt changes its parameters, so each attempt gets a copy.
      let attempt = try Negotiation(pcm, device, request, for: direction)
      snd_pcm_hw_params_copy(attempt.hardware, hardware)
      code = attempt.setSizes(period, buffer, isPeriodFirst: isPeriodFirst)
      if code >= 0 { code = snd_pcm_hw_params(pcm, attempt.hardware) }
      if code >= 0 { return attempt.sizes }
    }
    throw .negotiating(device, "period and buffer of this length", code: code, for: direction)
  }

  private func setSizes(_ period: Int, _ buffer: Int, isPeriodFirst: Bool) -> Int32 {
    // A closure cannot capture `self`, which is noncopyable.
    let (pcm, hardware) = (pcm, hardware)
    var period = snd_pcm_uframes_t(period)
    var buffer = snd_pcm_uframes_t(buffer)
    let setPeriod = { snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil) }
    let setBuffer = { snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer) }
    let code = isPeriodFirst ? setPeriod() : setBuffer()
    guard code >= 0 else { return code }
    return isPeriodFirst ? setBuffer() : setPeriod()
  }

  private var sizes: (period: FrameCount, buffer: FrameCount) {
    var period: snd_pcm_uframes_t = 1
    var buffer: snd_pcm_uframes_t = 2
    snd_pcm_hw_params_get_period_size(hardware, &period, nil)
    snd_pcm_hw_params_get_buffer_size(hardware, &buffer)
    return (FrameCount(Int(clamping: max(1, period))), FrameCount(Int(clamping: max(1, buffer))))
  }

  private func check(_ code: Int32, _ what: String) throws(SoundCardError) {
    guard code >= 0 else { throw .negotiating(device, what, code: code, for: direction) }
  }

  /// Sets ALSA's software parameters: when a device wakes its thread, starts, and stops.
  private func setThresholds(_ configuration: PCMConfiguration) throws(SoundCardError) {
    var parameters: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&parameters) == 0, let software = parameters else {
      throw .operating(device, "snd_pcm_sw_params_malloc", code: -ENOMEM)
    }
    defer { snd_pcm_sw_params_free(software) }
    let buffer = snd_pcm_uframes_t(configuration.buffer.rawValue)
    let period = snd_pcm_uframes_t(configuration.period.rawValue)
    // The frames to write before a playback device starts by itself; a capture device starts only
    // on demand.
    let start = direction == .playback ? min(2 * period, buffer) : 1
    try checkThresholds(snd_pcm_sw_params_current(pcm, software))
    try checkThresholds(snd_pcm_sw_params_set_avail_min(pcm, software, period))
    try checkThresholds(snd_pcm_sw_params_set_start_threshold(pcm, software, start))
    try checkThresholds(snd_pcm_sw_params_set_stop_threshold(pcm, software, buffer))
    // The result is ignored, because some plug-ins refuse timestamps and we do not need them.
    snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
    snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    try checkThresholds(snd_pcm_sw_params(pcm, software))
  }

  private func checkThresholds(_ code: Int32) throws(SoundCardError) {
    guard code >= 0 else { throw .operating(device, "snd_pcm_sw_params", code: code) }
  }
}

extension PCMSampleFormat {
  /// ALSA's constant for the format, in native byte order.
  fileprivate var inALSA: snd_pcm_format_t {
    switch self {
    case .float32: SND_PCM_FORMAT_FLOAT
    case .int32: SND_PCM_FORMAT_S32
    case .int24: SND_PCM_FORMAT_S24
    case .int24Packed: Self.packedInALSA
    case .int16: SND_PCM_FORMAT_S16
    }
  }

  /// ALSA has no native-endian constant for this format.
  private static var packedInALSA: snd_pcm_format_t {
    #if _endian(little)
    SND_PCM_FORMAT_S24_3LE
    #else
    SND_PCM_FORMAT_S24_3BE
    #endif
  }
}
