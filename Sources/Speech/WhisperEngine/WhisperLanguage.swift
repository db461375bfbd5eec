import AudioCore
import SpeechEngine

/// The languages of multilingual models.
enum WhisperLanguage {
  /// The tags in the order of the models' language tokens; only newer models have the last one.
  static let tags = """
    en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th \
    ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr \
    pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt \
    haw ln ha ba jv su yue
    """.split(separator: " ").map(String.init)

  /// Whether a request names a language; otherwise, the model detects it.
  static func isNamed(_ language: String?) -> Bool {
    language.map { $0.lowercased() != SpokenLanguage.detected } ?? false
  }

  /// Returns the index in `tags` of a BCP 47 tag such as `es-MX`; nil for an unknown language.
  static func code(for language: String) -> Int? {
    LanguageTag.primary(of: language).flatMap { tags.firstIndex(of: $0) }
  }

  /// Checks that some model supports the language that a request names, if it names one.
  ///
  /// - Throws: `.languageMissing`.
  static func check(_ language: String?) throws(SpeechEngineError) {
    guard let language, isNamed(language), code(for: language) == nil else { return }
    throw missing(language)
  }

  /// Returns the error for a language that no model supports.
  static func missing(_ wanted: String) -> SpeechEngineError {
    .languageMissing(
      wanted: wanted, available: "en, es, fr, de, or \(tags.count - 5) others")
  }
}
