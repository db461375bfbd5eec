import SpeechEngine

/// The language of a Vosk model, which only its name shows: `vosk-model-small-en-us-0.15`.
enum VoskModelLanguage {
  /// What Vosk names by the country and BCP 47 by the language.
  private static let corrections = ["cn": "zh", "ua": "uk", "kz": "kk", "vn": "vi", "jp": "ja"]

  /// The tag by the last part of a path; `und` where it tells none.
  static func tag(ofModelNamed path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard name.hasPrefix("vosk-model-") else { return LanguageTag.unknown }
    let parts = name.split(separator: "-").dropFirst(2).drop { $0 == "small" || $0 == "big" }
    guard let first = parts.first, isCode(first, 2...3), first != "spk" else {
      return LanguageTag.unknown
    }
    let language = corrections[String(first)] ?? String(first)
    guard let second = parts.dropFirst().first, isCode(second, 2...2) else { return language }
    return "\(language)-\(second.uppercased())"
  }

  private static func isCode(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.count) && text.allSatisfy { $0.isASCII && $0.isLowercase }
  }
}
