import AudioCore

extension AudioLevel {
  /// The level for people: a bar that begins at −60 dBFS, and the peak in figures.
  var meterText: String {
    let length = 20
    let full = peak.dBFS.isFinite ? Int(((peak.dBFS + 60) / 60 * Double(length)).rounded()) : 0
    let shown = min(max(full, 0), length)
    let bar = String(repeating: "#", count: shown) + String(repeating: " ", count: length - shown)
    return "[\(bar)] \(peak)"
  }
}
