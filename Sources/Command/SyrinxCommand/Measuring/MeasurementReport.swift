import AudioCore
import FilePaths
import Loudness

/// The figures of a file or a stream as text for people.
struct MeasurementReport {
  let name: String
  let result: AudioMeasurement

  /// The lines, the first of which names the audio.
  var lines: [String] {
    let rows = [
      loudness, peak, row("rms", result.level.rms.levelText), clipping, offset, silence, floor,
    ]
    return ["\(name) (\(result.format), \(result.duration.clockText))"] + rows + channels
  }

  private func row(_ name: String, _ text: String) -> String {
    "  " + (name + " ").padded(to: 12) + text
  }

  private var loudness: String {
    guard result.maximumMomentary > .silence else {
      return row("loudness", "none: silence, or shorter than 0.4 s")
    }
    var text =
      "\(result.integrated), range \(result.range.tenths) LU, momentary up to "
      + "\(result.maximumMomentary)"
    if result.maximumShortTerm > .silence {
      text += ", short-term up to \(result.maximumShortTerm)"
    }
    return row("loudness", text)
  }

  private var peak: String {
    row("peak", "\(result.level.peak.levelText), true peak \(result.truePeak.truePeakText)")
  }

  private var clipping: String {
    let runs = result.channels.reduce(0) { $0 + $1.clippedRunCount }
    let count = result.clippedSampleCount
    guard count > 0 else { return row("clipped", "none") }
    return row("clipped", "\(count.counted("sample")), \(runs.counted("run"))")
  }

  private var offset: String {
    row("offset", result.channels.map { $0.offset.offsetText }.joined(separator: " "))
  }

  private var silence: String {
    let rate = result.format.sampleRate
    return row(
      "silence",
      "\(result.silenceAtStart.duration(at: rate).secondsText) at the start, "
        + "\(result.silenceAtEnd.duration(at: rate).secondsText) at the end")
  }

  private var floor: String {
    var text = result.noiseFloor.levelText
    if result.nonFiniteSampleCount > 0 {
      text += "; \(result.nonFiniteSampleCount) samples are NaN or infinite, measured as silence"
    }
    return row("noise floor", text)
  }

  /// A line for each of several channels.
  private var channels: [String] {
    guard result.channels.count > 1 else { return [] }
    let names = result.format.layout.positions.map(\.abbreviation)
    return zip(names, result.channels).enumerated().map { index, named in
      let (name, channel) = named
      let clipped = channel.clippedSampleCount > 0 ? ", \(channel.clippedSampleCount) clipped" : ""
      return row(
        name == "?" ? "channel \(index + 1)" : name,
        "peak \(channel.level.peak.levelText), true peak \(channel.truePeak.truePeakText), "
          + "rms \(channel.level.rms.levelText)\(clipped)")
    }
  }
}

extension Double {
  /// To five digits after the point; below a billion never in powers of ten.
  fileprivate var offsetText: String {
    // What is larger is too large for this form of an integer.
    guard abs(self) < 1e9 else { return "\(self)" }
    let number = Int(clamping: abs(self) * 100_000)
    let sign = self < 0 && number > 0 ? "-" : ""
    return "\(sign)\(number / 100_000).\((number % 100_000).digits(5))"
  }
}

/// The output of `syrinx measure --json`; levels in dBFS, loudness in LUFS, both missing for
/// silence, and lengths in seconds.
extension JSONRecord {
  /// The documentation of the JSON in the help.
  static let measurementSchema = """
    With --json, each file is one object: "file" (or "device"), "rate", "channelCount", "length" in \
    seconds, "frames"; "peak", "rms", and "noiseFloor" in dBFS, "truePeak" in dBTP, "integrated", \
    "maximumMomentary", and "maximumShortTerm" in LUFS (missing for silence); "range" in LU; \
    "clipped" samples, "nonFinite" samples, "silenceAtStart" and "silenceAtEnd" in seconds; and \
    "channels", each with "channel" (FL, FR, and so on), "peak", "truePeak", "rms", "offset", "clipped", and \
    "clippedRuns". With --device, objects with the "event" loudness come first, one for each second: \
    "position" in seconds, "momentary", "shortTerm", "integrated", "peak", and "rms"; the last \
    object has the "event" finished. A file that failed is an object with "file" and "error".
    """

  init(_ result: AudioMeasurement) {
    let rate = result.format.sampleRate
    self = [
      "rate": rate.hertz, "channelCount": result.format.channelCount,
      "length": result.duration.inRecordSeconds, "frames": result.frameCount.rawValue,
      "peak": result.level.peak.finite, "truePeak": result.truePeak.finite,
      "rms": result.level.rms.finite, "integrated": result.integrated.lufs.finite,
      "range": result.range.finite ?? 0,
      "maximumMomentary": result.maximumMomentary.lufs.finite,
      "maximumShortTerm": result.maximumShortTerm.lufs.finite,
      "clipped": result.clippedSampleCount, "nonFinite": result.nonFiniteSampleCount,
      "silenceAtStart": result.silenceAtStart.duration(at: rate).inRecordSeconds,
      "silenceAtEnd": result.silenceAtEnd.duration(at: rate).inRecordSeconds,
      "noiseFloor": result.noiseFloor.finite,
    ]
    let channels = zip(result.format.layout.positions, result.channels)
    self["channels"] = channels.map { position, channel -> JSONRecord in
      [
        "channel": position.abbreviation, "peak": channel.level.peak.finite,
        "truePeak": channel.truePeak.finite, "rms": channel.level.rms.finite,
        "offset": channel.offset.isFinite ? channel.offset.rounded(toParts: 1e6) : nil,
        "clipped": channel.clippedSampleCount, "clippedRuns": channel.clippedRunCount,
      ]
    }
  }

  /// A moment of a device in the output of `syrinx measure --json --device`.
  init(_ reading: LoudnessReading) {
    self = [
      "event": "loudness", "position": reading.total.duration.inRecordSeconds,
      "momentary": reading.momentary.lufs.finite, "shortTerm": reading.shortTerm.lufs.finite,
      "integrated": reading.total.integrated.lufs.finite,
      "peak": reading.levels.level.peak.finite, "rms": reading.levels.level.rms.finite,
    ]
  }
}
