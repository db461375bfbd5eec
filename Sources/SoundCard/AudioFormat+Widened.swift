package import AudioCore

extension AudioFormat {
  /// The format in which to open a device for whoever else may come: at least two channels and
  /// 44.1 kHz, at a multiple of this one's rate where there is one.
  package var widened: AudioFormat {
    let rate = sampleRate.hertz
    let wider: SampleRate =
      if rate >= 44_100 { sampleRate } else if 44_100 % rate == 0 { 44_100 } else { 48_000 }
    return AudioFormat(sampleRate: wider, channelCount: max(2, channelCount))
  }
}
