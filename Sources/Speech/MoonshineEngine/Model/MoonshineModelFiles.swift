import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine

/// The files that make up a model.
struct MoonshineModelFiles: InstalledModel, Equatable, Sendable {
  /// A file of a model, by its name in the published model.
  enum Part: String, CaseIterable {
    case encoder = "encoder_model.ort"
    case decoder = "decoder_model_merged.ort"
    case tokenizer = "tokenizer.bin"

    /// The prepared decoder that multiplies in blocks.
    static let blocks = "decoder.blocks.ort"

    /// The possible names of the prepared file: the current name, then the names in earlier
    /// versions; empty for the tokenizer, which is not prepared.
    var prepared: [String] {
      switch self {
      case .encoder: ["encoder.prepared.ort"]
      case .decoder: [Self.blocks, "decoder.8bit.ort"]
      case .tokenizer: []
      }
    }
  }

  let directory: FilePath

  var location: String { directory.text }

  /// The model's language, from the end of its folder's name: `moonshine-base-en`, `tiny-ja`.
  var language: String {
    let last = directory.name.text.split(separator: "-").last.map { $0.lowercased() } ?? ""
    return LanguageTag.codes.contains(last) ? last : LanguageTag.unknown
  }

  /// Whether the folder contains any of the files.
  var isThere: Bool {
    Part.allCases.contains { directory.appending(FilePath($0.rawValue)).status != nil }
  }

  /// Checks that the files exist, with the sizes and dates that were recorded at their
  /// installation.
  ///
  /// - Throws: `.modelDamaged`, `.modelUnreadable`.
  func validate() throws(SpeechEngineError) {
    for part in Part.allCases { _ = try path(of: part) }
  }

  /// Returns the path of a file after checking the file.
  func path(of part: Part) throws(SpeechEngineError) -> FilePath {
    try SpeechEngineError.during { () throws(ONNXError) in
      try InstalledFolder(directory).file(part.rawValue)
    }
  }

  /// Loads a part of the model, from its prepared file if there is one.
  func session(
    _ part: Part, in library: ONNXLibrary, threadCount: Int = 1
  ) throws(ONNXError) -> ONNXSession {
    let folder = try InstalledFolder(directory)
    var options = ONNXSessionOptions()
    options.threadCount = threadCount
    // A library before version 1.23 may reject the decoder with blocks, or run it slowly.
    let usable = part.prepared.filter { library.multipliesBlocks || $0 != Part.blocks }
    if let prepared = usable.first(where: folder.has) {
      options.mapsWeights = true
      // Prepacking copies the weights, so only the decoder is prepacked: its 8-bit weights are
      // small, unlike the encoder's float weights.
      options.prepacksWeights = part == .decoder
      options.optimization = .none
      return try ONNXSession(model: folder.file(prepared), in: library, options: options)
    }
    return try ONNXSession(model: folder.file(part.rawValue), in: library, options: options)
  }
}

/// The folders that may contain models.
struct MoonshineModelLocation: Sendable {
  static let variable = "SYRINX_MOONSHINE_MODEL"
  static let remedy = "install ONNX Runtime and the Moonshine model"

  private let chosen: FilePath?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map(FilePath.init)
    self.environment = environment
  }

  /// Returns the complete models, the default first.
  ///
  /// - Throws: `.modelNotInstalled` if there is none; `.modelDamaged` or `.modelUnreadable` if none
  ///   is complete.
  func models() throws(SpeechEngineError) -> [MoonshineModelFiles] {
    try folders.map(MoonshineModelFiles.init).filter(\.isThere).valid(
      orThrow: only.map { SpeechEngineError.noModel(inNamed: $0) }
        ?? .modelNotInstalled(searched: searched, remedy: Self.remedy))
  }

  /// Returns the first model for a language.
  ///
  /// - Throws: the same errors as `models`, and `.languageMissing`.
  func model(for language: String?) throws(SpeechEngineError) -> MoonshineModelFiles {
    try models().first(for: language)
  }

  /// Returns the reason that no model can be used for the language; nil if a model can be used.
  func problem(with language: String?) -> SpeechEngineError? {
    do throws(SpeechEngineError) {
      _ = try model(for: language)
      return nil
    } catch {
      return error
    }
  }

  /// The folder that the caller or the environment names, as the only folder to search; nil if none
  /// is named.
  private var only: FilePath? { chosen ?? environment.nonEmpty(Self.variable).map { FilePath($0) } }

  private var folders: [FilePath] {
    only.map { [$0] } ?? InstalledFolder.installed(named: "moonshine-", environment: environment)
  }

  private var searched: [String] {
    let root = InstalledFolder.root(environment: environment)
    return [root.map { "\($0.text)/moonshine-*" } ?? "~/.local/share/syrinx/moonshine-*"]
  }
}
