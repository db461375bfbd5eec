import SpeechEngine

/// The language of an acoustic model, which only the names of its files show: `fr-fr`,
/// `cmudict-en-us.dict`, `cmusphinx-it-5.2`.
enum AcousticModelLanguage {
  /// What else such names say.
  private static let others: Set = [
    "cmudict", "cmusphinx", "cont", "dict", "large", "lm", "model", "pocketsphinx", "ptm", "semi",
    "small", "voxforge",
  ]

  /// The tag by the names of a model's files, `und` where none tells one.
  ///
  /// The first that tells a language counts, and the others may tell its region.
  static func tag(ofFilesNamed paths: [String]) -> String {
    let tags = paths.compactMap(tag(ofFileNamed:))
    guard let first = tags.first else { return LanguageTag.unknown }
    return tags.first { $0.hasPrefix("\(first)-") } ?? first
  }

  /// The tag by the last part of a path, where that says nothing that is no part of such names.
  private static func tag(ofFileNamed path: String) -> String? {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    let stem = [".dict", ".lm.bin"].first(where: name.hasSuffix).map { name.dropLast($0.count) }
    let parts = (stem ?? name[...]).split { "-_.".contains($0) }.filter { part in
      !others.contains(String(part)) && !part.allSatisfy(\.isNumber)
    }
    guard (1...2).contains(parts.count), parts.allSatisfy(isCode), let first = parts.first else {
      return nil
    }
    return parts.count == 1 ? String(first) : "\(first)-\(parts[1].uppercased())"
  }

  private static func isCode(_ text: Substring) -> Bool {
    text.count == 2 && text.allSatisfy { $0.isASCII && $0.isLetter }
  }
}
