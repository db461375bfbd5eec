package import AudioCore
import Synchronization

/// A model on disk that an engine can load.
package protocol InstalledModel {
  /// The model's language, as a BCP 47 tag; `und` if it is unknown.
  var language: String { get }

  /// The path of the model's folder.
  var location: String { get }

  /// Checks the files without loading them.
  ///
  /// - Throws: `.modelDamaged`, `.modelUnreadable`.
  func validate() throws(SpeechEngineError)
}

extension SpeechModel {
  /// Creates the description of a model on disk.
  package init(_ model: some InstalledModel) {
    self.init(language: model.language, location: model.location)
  }
}

/// The reason that a file of a model is invalid.
package struct ModelDamage: Error, Equatable {
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

extension SpeechEngineError {
  /// Checks a file of a model.
  ///
  /// - Throws: `.modelDamaged` with the file and the reason.
  package static func checking<Value>(
    _ path: String, _ check: () throws(ModelDamage) -> Value
  ) throws(SpeechEngineError) -> Value {
    do throws(ModelDamage) { return try check() } catch {
      throw .modelDamaged(path: path, reason: error.reason)
    }
  }
}

extension Sequence where Element: InstalledModel {
  /// Returns the valid models, in order.
  ///
  /// - Throws: the first model's error if none is valid, `missing` if there are no models.
  package func valid(orThrow missing: SpeechEngineError) throws(SpeechEngineError) -> [Element] {
    var valid: [Element] = []
    var firstError: SpeechEngineError?
    for model in self {
      do throws(SpeechEngineError) {
        try model.validate()
        valid.append(model)
      } catch {
        firstError = firstError ?? error
      }
    }
    guard valid.isEmpty else { return valid }
    throw firstError ?? missing
  }

  /// Returns the first model for a language; nil accepts any language.
  ///
  /// - Throws: `.languageMissing`.
  package func first(for language: String?) throws(SpeechEngineError) -> Element {
    for model in self where LanguageTag.understands(language, available: model.language) {
      return model
    }
    throw .languageMissing(
      wanted: language ?? "", available: map(\.language).joined(separator: ", "))
  }
}

/// Keeps the last used model, because loading a model takes seconds.
package final class ModelCache<Model: Sendable>: Sendable {
  // The lock is held while a model loads, because waiting threads need the same model, and each
  // session has its own thread.
  private let kept = Mutex<Model?>(nil)

  package init() {}

  /// The kept model; nil if no model was loaded.
  package var model: Model? { kept.withLock { $0 } }

  /// Returns the kept model if `isWanted` accepts it; otherwise loads a model on this thread and
  /// keeps it.
  package func model(
    where isWanted: (Model) -> Bool, load: () throws(SpeechEngineError) -> Model
  ) throws(SpeechEngineError) -> Model {
    try kept.withLock { kept throws(SpeechEngineError) in
      if let kept, isWanted(kept) { return kept }
      // Frees an unused model before the next model is loaded.
      kept = nil
      let model = try load()
      kept = model
      return model
    }
  }
}

/// The language of a model, as a BCP 47 tag.
package enum LanguageTag {
  /// An unknown language.
  package static let unknown = "und"

  /// The language of a multilingual model.
  package static let multiple = "mul"

  /// The codes of ISO 639-1.
  package static let codes = Set(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da \
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz \
    ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln \
    lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi \
    pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti \
    tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split(separator: " ").map(String.init))

  /// Whether a model for the language `available` supports `wanted`; nil means any language.
  ///
  /// A model for `en-US` supports `en`, and vice versa; a model of unknown language supports
  /// any language, and so does a model of several languages, whose engine checks the language. Case
  /// is ignored, and `_` is equivalent to `-`.
  package static func understands(_ wanted: String?, available: String) -> Bool {
    guard let wanted else { return true }
    let (one, other) = (subtags(wanted), subtags(available))
    // A tag that consists only of separators names no language.
    guard !one.isEmpty else { return false }
    return [unknown, multiple].contains(available) || one.starts(with: other)
      || other.starts(with: one)
  }

  /// Tags of languages that have two, and the tag that models use.
  private static let synonyms = ["fil": "tl", "in": "id", "iw": "he", "jw": "jv", "nb": "no"]

  /// Returns the language of a tag such as `es-MX`, in lowercase; nil for a tag without letters.
  package static func primary(of tag: String) -> String? { subtags(tag).first }

  private static func subtags(_ tag: String) -> [String] {
    var parts = tag.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
    if let first = parts.first, let known = synonyms[first] { parts[0] = known }
    return parts
  }
}
