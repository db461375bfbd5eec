package import AudioCore
import Loudness
package import SoundFile

extension AudioMetadata {
  /// The gain of the tags of ReplayGain or R 128, which brings a track or its album to -18 LUFS; nil without
  /// such tags.
  package func replayGain(ofAlbum: Bool) -> Decibels? {
    ReplayGain.gain(of: tags, ofAlbum: ofAlbum)
  }
}

/// The tags with the gain that players apply.
enum ReplayGain {
  private static let trackGain = AudioTag("REPLAYGAIN_TRACK_GAIN")
  private static let trackPeak = AudioTag("REPLAYGAIN_TRACK_PEAK")
  private static let albumGain = AudioTag("REPLAYGAIN_ALBUM_GAIN")
  private static let albumPeak = AudioTag("REPLAYGAIN_ALBUM_PEAK")
  private static let opusTrack = AudioTag("R128_TRACK_GAIN")
  private static let opusAlbum = AudioTag("R128_ALBUM_GAIN")
  private static let range = AudioTag("REPLAYGAIN_ALBUM_RANGE")
  private static let reference = AudioTag("REPLAYGAIN_REFERENCE_LOUDNESS")

  static let album: Set = [albumGain, albumPeak, opusAlbum, range]
  static let peaks: Set = [trackPeak, albumPeak]
  static let all = album.union([trackGain, trackPeak, opusTrack])

  /// Whether a tag describes the old level and is not recomputed.
  static func isOfOldLevel(_ tag: AudioTag) -> Bool {
    tag.name.hasPrefix("MP3GAIN_") || tag.name == "REPLAYGAIN_TRACK_RANGE"
  }

  /// The loudness that players reach with ReplayGain 2.0, and with Opus.
  private static let (target, opusTarget) = (-18.0, -23.0)

  static func set(_ tags: inout [AudioTag: [String]], loudness: LoudnessLevel, peak: Double) {
    tags[reference] = nil
    if tags[opusTrack] != nil { tags[opusTrack] = [fixed(opusTarget - loudness.lufs)] }
    guard tags[trackGain] != nil || tags[trackPeak] != nil else { return }
    tags[trackGain] = [decibels(target - loudness.lufs)]
    tags[trackPeak] = [decimal(peak, digits: 6)]
  }

  /// The gain that players apply to a track or its album; nil without a number.
  ///
  /// An album without a gain has that of the track. A known peak limits the gain to full scale.
  fileprivate static func gain(of tags: [AudioTag: [String]], ofAlbum: Bool) -> Decibels? {
    let scopes =
      [(albumGain, opusAlbum, albumPeak)].filter { _ in ofAlbum }
      + [(trackGain, opusTrack, trackPeak)]
    for (gain, opusGain, peak) in scopes {
      let fromOpus = number(tags[opusGain]).map { $0 / 256 + target - opusTarget }
      guard let gain = number(tags[gain]) ?? fromOpus else { continue }
      let peak = number(tags[peak]).map { Decibels(amplitude: $0).value } ?? -.infinity
      return Decibels(min(gain, peak.isFinite ? -peak : .infinity))
    }
    return nil
  }

  /// Corrects the tags for a change of the level, and returns the tags that contain no number.
  static func change(_ tags: inout [AudioTag: [String]], by gain: Decibels) -> Set<AudioTag> {
    for tag in [trackGain, albumGain] {
      guard let old = number(tags[tag]) else { continue }
      tags[tag] = [decibels(old - gain.value)]
    }
    for tag in [trackPeak, albumPeak] {
      guard let old = number(tags[tag]) else { continue }
      tags[tag] = [decimal(old * gain.amplitude, digits: 6)]
    }
    for tag in [opusTrack, opusAlbum] {
      guard let old = number(tags[tag]) else { continue }
      tags[tag] = [fixed(old / 256 - gain.value)]
    }
    let changed: Set = [trackGain, albumGain, trackPeak, albumPeak, opusTrack, opusAlbum]
    return changed.filter { tags[$0] != nil && number(tags[$0]) == nil }
  }

  /// Replaces the gains with those of Opus, because Opus players ignore ReplayGain.
  static func moveToOpus(_ tags: inout [AudioTag: [String]]) {
    for (own, other) in [(opusTrack, trackGain), (opusAlbum, albumGain)] {
      guard let gain = number(tags[other]) else { continue }
      if tags[own] == nil { tags[own] = [fixed(gain + opusTarget - target)] }
      tags[other] = nil
    }
  }

  /// The number before a unit, with a decimal point or comma; nil if the text has any other form.
  private static func number(_ values: [String]?) -> Double? {
    var text = (values?.first ?? "").lowercased()[...]
    if text.hasSuffix("db") { text = text.dropLast(2) }
    let plain = String(text.filter { $0 != " " }.map { $0 == "," ? "." : $0 })
    return Double(plain).flatMap { abs($0) < 100_000 ? $0 : nil }
  }

  private static func decibels(_ value: Double) -> String { decimal(value, digits: 2) + " dB" }

  /// The gain as Opus stores it: a number of 256ths of a dB.
  private static func fixed(_ value: Double) -> String {
    "\(Int16(clamping: Int(clamping: (value * 256).rounded())))"
  }

  private static func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let whole = Int(clamping: (abs(value) * Double(scale)).rounded())
    let (integer, fraction) = whole.quotientAndRemainder(dividingBy: scale)
    let text = "\(fraction)"
    let zeros = String(repeating: "0", count: max(0, digits - text.count))
    return (value < 0 && whole > 0 ? "-" : "") + "\(integer).\(zeros)\(text)"
  }
}
