/// The language of a model, which nothing but its name tells: `vosk-model-small-en-us-0.15`.
enum ModelLanguage {
  /// A language that is not known, in BCP 47.
  static let unknown = "und"

  /// What Vosk names by the country and BCP 47 by the language.
  private static let corrections = ["cn": "zh", "ua": "uk", "kz": "kk", "vn": "vi", "jp": "ja"]

  /// The tag by the last part of a path; `und` where it tells none.
  static func tag(ofModelNamed path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard name.hasPrefix("vosk-model-") else { return unknown }
    let parts = name.split(separator: "-").dropFirst(2).drop { $0 == "small" || $0 == "big" }
    guard let first = parts.first, isCode(first, 2...3), first != "spk" else { return unknown }
    let language = corrections[String(first)] ?? String(first)
    guard let second = parts.dropFirst().first, isCode(second, 2...2) else { return language }
    return "\(language)-\(second.uppercased())"
  }

  /// Whether a model for `available` understands `wanted`.
  ///
  /// `en` is understood by `en-US` and `en-US` by `en`; a model that does not tell its language is
  /// taken at its user's word. Upper and lower case are alike, and so are `_` and `-`.
  static func understands(_ wanted: String?, available: String) -> Bool {
    guard let wanted else { return true }
    let (one, other) = (subtags(wanted), subtags(available))
    // What has no letters names no language.
    guard !one.isEmpty else { return false }
    return available == unknown || one.starts(with: other) || other.starts(with: one)
  }

  private static func subtags(_ tag: String) -> [Substring] {
    tag.lowercased().split { $0 == "-" || $0 == "_" }
  }

  private static func isCode(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.count) && text.allSatisfy { $0.isASCII && $0.isLowercase }
  }
}
