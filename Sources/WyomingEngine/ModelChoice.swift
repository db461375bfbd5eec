import SpeechEngine
import Wyoming

/// The model and language of a server that a session uses.
struct ModelChoice: Equatable {
  /// The model's name in the request; nil to let the server choose.
  let model: String?
  /// The language in the server's spelling; nil to let the server choose.
  let language: String?
  /// The model's language; nil if the server does not name it.
  let tag: String?

  /// - Throws: `languageMissing` and `optionInvalid` if the server lacks the language or the model;
  ///   `failed` if it recognizes nothing.
  init(_ info: WyomingInfo, model: String?, language: String?) throws(SpeechEngineError) {
    guard info.recognizes else {
      throw .failed(reason: "the server has no program that recognizes speech")
    }
    let models = try Self.models(info.models, named: model)
    let languages = models.flatMap(\.languages)
    self.model = model
    guard let language, !languages.isEmpty else {
      self.language = language
      tag = languages.first
      return
    }
    guard let spelling = Self.spelling(of: language, among: languages) else {
      throw .languageMissing(wanted: language, available: languages.joined(separator: ", "))
    }
    self.language = spelling
    tag = spelling
  }

  private static func models(
    _ models: [WyomingInfo.Model], named name: String?
  ) throws(SpeechEngineError) -> [WyomingInfo.Model] {
    guard let name else { return models }
    let named = models.filter { $0.name == name }
    guard !named.isEmpty else {
      let names = models.map(\.name).joined(separator: ", ")
      throw .optionInvalid(name: "model", reason: "the server has \(names), and not \(name)")
    }
    return named
  }

  /// The same tag, or else a tag of the same primary language: `en` for `en-US` and vice versa.
  private static func spelling(of wanted: String, among languages: [String]) -> String? {
    languages.first { subtags($0) == subtags(wanted) }
      ?? languages.first { subtags($0).first == subtags(wanted).first && isGeneral($0, wanted) }
  }

  /// Whether one of two tags has no region: `en-GB` does not match `en-US`.
  private static func isGeneral(_ tags: String...) -> Bool {
    tags.contains { subtags($0).count == 1 }
  }

  private static func subtags(_ tag: String) -> [String] {
    tag.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
  }
}
