package import AudioCore
import Loudness
package import SoundFile

extension AudioTag {
  fileprivate static let trackGain = AudioTag("REPLAYGAIN_TRACK_GAIN")
  fileprivate static let trackPeak = AudioTag("REPLAYGAIN_TRACK_PEAK")
  fileprivate static let albumGain = AudioTag("REPLAYGAIN_ALBUM_GAIN")
  fileprivate static let albumPeak = AudioTag("REPLAYGAIN_ALBUM_PEAK")
  fileprivate static let opusTrack = AudioTag("R128_TRACK_GAIN")
  fileprivate static let opusAlbum = AudioTag("R128_ALBUM_GAIN")
  private static let albumRange = AudioTag("REPLAYGAIN_ALBUM_RANGE")
  fileprivate static let reference = AudioTag("REPLAYGAIN_REFERENCE_LOUDNESS")

  static let albumReplayGain: Set = [albumGain, albumPeak, opusAlbum, albumRange]
  static let replayGainPeaks: Set = [trackPeak, albumPeak]
  /// The tags with the gain that players apply.
  static let replayGain = albumReplayGain.union([trackGain, trackPeak, opusTrack])

  /// Whether a change of the level makes the tag wrong, because the tag is not recomputed.
  var isOfOldLevel: Bool {
    name.hasPrefix("MP3GAIN_") || name == "REPLAYGAIN_TRACK_RANGE"
  }
}

extension AudioMetadata {
  /// Returns the gain in the tags of ReplayGain or R 128; nil if there are no such tags.
  ///
  /// The gain brings a track or its album to -18 LUFS. Without an album gain, the track gain is
  /// returned. If the peak is known, the gain is limited, so that the peak stays at or below full
  /// scale.
  package func replayGain(ofAlbum: Bool) -> Decibels? {
    let scopes: [(gain: AudioTag, opusGain: AudioTag, peak: AudioTag)] =
      (ofAlbum ? [(.albumGain, .opusAlbum, .albumPeak)] : [])
      + [(.trackGain, .opusTrack, .trackPeak)]
    for scope in scopes {
      let fromOpus = number(tags[scope.opusGain]).map { $0 / 256 + target - opusTarget }
      guard let gain = number(tags[scope.gain]) ?? fromOpus else { continue }
      let peak = number(tags[scope.peak]).map { Decibels(amplitude: $0).value } ?? -.infinity
      return Decibels(min(gain, peak.isFinite ? -peak : .infinity))
    }
    return nil
  }
}

extension [AudioTag: [String]] {
  mutating func setReplayGain(loudness: LoudnessLevel, peak: Double) {
    self[.reference] = nil
    if self[.opusTrack] != nil { self[.opusTrack] = [fixed(opusTarget - loudness.lufs)] }
    guard self[.trackGain] != nil || self[.trackPeak] != nil else { return }
    self[.trackGain] = [decibels(target - loudness.lufs)]
    self[.trackPeak] = [decimal(peak, digits: 6)]
  }

  /// Adjusts the gain tags to a change of the level; returns the tags that contain no number.
  mutating func changeReplayGain(by gain: Decibels) -> Set<AudioTag> {
    let gains: [AudioTag] = [.trackGain, .albumGain]
    let peaks: [AudioTag] = [.trackPeak, .albumPeak]
    let opusGains: [AudioTag] = [.opusTrack, .opusAlbum]
    for tag in gains {
      guard let old = number(self[tag]) else { continue }
      self[tag] = [decibels(old - gain.value)]
    }
    for tag in peaks {
      guard let old = number(self[tag]) else { continue }
      self[tag] = [decimal(old * gain.amplitude, digits: 6)]
    }
    for tag in opusGains {
      guard let old = number(self[tag]) else { continue }
      self[tag] = [fixed(old / 256 - gain.value)]
    }
    return Set(gains + peaks + opusGains).filter { self[$0] != nil && number(self[$0]) == nil }
  }

  /// Replaces the gains of ReplayGain with those of Opus, because Opus players ignore ReplayGain.
  mutating func moveReplayGainToOpus() {
    for (own, other) in [(AudioTag.opusTrack, AudioTag.trackGain), (.opusAlbum, .albumGain)] {
      guard let gain = number(self[other]) else { continue }
      if self[own] == nil { self[own] = [fixed(gain + opusTarget - target)] }
      self[other] = nil
    }
  }
}

/// The loudness that players reach with ReplayGain 2.0, and with Opus.
private let (target, opusTarget) = (-18.0, -23.0)

/// Returns the number of a tag, with a decimal point or comma, and with or without `dB`; nil if the
/// text has any other form.
private func number(_ values: [String]?) -> Double? {
  var text = (values?.first ?? "").lowercased()[...]
  if text.hasSuffix("db") { text = text.dropLast(2) }
  let plain = String(text.filter { $0 != " " }.map { $0 == "," ? "." : $0 })
  return Double(plain).flatMap { abs($0) < 100_000 ? $0 : nil }
}

private func decibels(_ value: Double) -> String { decimal(value, digits: 2) + " dB" }

/// Returns the gain as Opus stores it, in 256ths of a decibel.
private func fixed(_ value: Double) -> String {
  "\(Int16(clamping: Int(clamping: (value * 256).rounded())))"
}

private func decimal(_ value: Double, digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let whole = Int(clamping: (abs(value) * Double(scale)).rounded())
  let (integer, fraction) = whole.quotientAndRemainder(dividingBy: scale)
  let text = "\(fraction)"
  let zeros = String(repeating: "0", count: max(0, digits - text.count))
  return (value < 0 && whole > 0 ? "-" : "") + "\(integer).\(zeros)\(text)"
}
