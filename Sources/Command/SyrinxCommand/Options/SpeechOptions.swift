import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import SpeechClient
import SpeechEngine

/// The options for the expected words and the end of an utterance.
struct SpeechOptions: ParsableArguments {
  @Option(
    help: .value("file", "JSGF grammar that every utterance must match, in a file or a pipe."))
  var grammar: FilePath?

  @Option(
    name: [.customShort("l"), .customLong("locale"), .customLong("language")],
    help: .value(
      "tag",
      """
      Spoken language, such as en-US; the model must support it. auto finds the language of each \
      utterance.
      """),
    completion: .shellCommand(
      // Completes the option with the languages of the installed models.
      #"""
      syrinx engines --json 2>/dev/null |
      grep -o '"language":"[^"]*"' | cut -d '"' -f 4 | sort -u
      """#))
  var locale: String?

  @Flag(
    name: .customLong("translate"),
    help: "Translate into English; without --locale, the language is detected.")
  var translates = false

  /// The language from `--locale` or the settings; a translation detects it by default.
  var language: String? {
    @Dependency(\.settings) var settings
    let language = locale ?? (translates ? SpokenLanguage.detected : settings.locale)
    let isDetected = language?.lowercased() == SpokenLanguage.detected
    return isDetected ? SpokenLanguage.detected : language
  }

  @Option(
    parsing: .unconditional,
    help: .value("time", "Silence that ends an utterance (default: 0.6)."),
    transform: TimeValue.seconds)
  var endSilence: Double?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      "Maximum length of an utterance, 1 to 3600 (default: 20); the next one begins there."),
    transform: TimeValue.seconds)
  var longestUtterance: Double?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      """
      Silence that the recognizer gets after the last sound of an utterance, 0 to 10 (default: the \
      silence that ended it).
      """), transform: TimeValue.seconds)
  var tailPadding: Double?

  @Option(
    name: .customLong("key-phrase"), parsing: .singleValue,
    help: .value(
      "text[:threshold]",
      """
      Phrase to spot, ignoring everything else (repeatable). The threshold is above 0 and at most \
      1: lower values find more phrases, with more false positives (1e-5 for short phrases, 1e-30 \
      for long ones).
      """), transform: KeyPhrase.init(argument:))
  var keyPhrases: [KeyPhrase] = []

  @Option(
    name: .customLong("context"), parsing: .singleValue,
    help: .value(
      "phrase",
      """
      Phrase that is likely to be said (repeatable). Among alternatives of similar likelihood, one \
      with such a phrase is preferred, and the results have its spelling.
      """))
  var contextualPhrases: [String] = []

  @Option(
    help: .value(
      "file", "File with more such phrases, one on each line; lines that begin with # are ignored."
    ))
  var contextFile: FilePath?

  @Option(
    parsing: .unconditional,
    help: .value(
      "count", "With --json, number of alternatives for each utterance, 0 to 100 (default: 0)."))
  var alternatives: Int?

  @Option(
    name: .customLong("engine-option"), parsing: .singleValue,
    help: .value(
      "name=value",
      """
      Setting of the engine, by its own name (repeatable). For pocketsphinx: lw, wip, pip, beam, \
      pbeam, wbeam, maxhmmpf, maxwpf, ds, topn, fwdflat, bestpath.
      """), transform: engineSetting)
  var engineSettings: [(name: String, value: String)] = []

  func validate() throws {
    try require(
      grammar == nil || keyPhrases.isEmpty,
      "--grammar and --key-phrase exclude each other; use one of them.")
    try check("--alternatives", alternatives, in: 0...100, "a number")
    try check("--end-silence", endSilence, in: 0.01...3600, "seconds")
    try check("--longest-utterance", longestUtterance, in: 1...3600, "seconds")
    try check("--tail-padding", tailPadding, in: 0...10, "seconds")
  }

  /// Throws if the transcript's format cannot contain what these options request.
  func checkTranscript(_ transcript: TranscriptOptions) throws {
    try require(alternatives == nil || transcript.includesJSON, "--alternatives requires --json.")
    try transcript.checkCueLimits()
  }

  /// The engine that these options select, by default the engine of `\.speechEngine`.
  var chosenEngine: SpeechEngine {
    @Dependency(\.speechEngine) var engine
    var options = SpeechSessionOptions(language: language)
    options.keyPhrases = keyPhrases
    options.translates = translates
    options.hasGrammar = grammar != nil
    options.alternativeCount = alternatives ?? 0
    for setting in engineSettings { options.engineOptions[setting.name] = setting.value }
    return engine.choose(options) ?? engine
  }

  /// The language of the transcripts, as a BCP 47 tag: English for a translation, otherwise the
  /// requested one, or that of the model; nil if it is unknown.
  var transcriptLanguage: String? {
    guard !translates else { return "en" }
    let engine = chosenEngine
    // Querying the availability of a remote engine would wait for its server.
    return language ?? (engine.isRemote ? nil : engine.availability().model?.language)
  }

  /// Whether the options request dictation without any engine options.
  var isPlainDictation: Bool { grammar == nil && keyPhrases.isEmpty && engineSettings.isEmpty }

  /// The maximum sizes in bytes.
  ///
  /// No real file is that large, but a pipe may never end.
  private static let (longestGrammar, longestContext) = (16_777_216, 1_048_576)
  /// The maximum number of phrases, because each takes memory in every session and time in every
  /// decode.
  private static let mostPhrases = 2_000

  /// Returns a function that applies the options to any number of requests.
  ///
  /// This method reads the phrases of `--context-file`, and a grammar from a pipe, because a pipe
  /// can be read only once.
  ///
  /// - Throws: `CommandFailure` if the context file or the pipe contains no text, `SystemError`.
  func preparation() async throws -> @Sendable (SpeechRequest) -> SpeechRequest {
    let pipe = grammar.flatMap { $0.isPipe ? $0 : nil }
    let text = try await pipe?.readText(atMost: Self.longestGrammar)
    let context = try await contextFile?.readText(atMost: Self.longestContext)
    let phrases = context?.entries ?? []
    if let contextFile, phrases.count > Self.mostPhrases {
      throw CommandFailure(
        """
        \(contextFile): it has \(phrases.count) phrases, and at most \(Self.mostPhrases) \
        are used. Keep those that are likely to be said.
        """)
    }
    return { [self] request in
      var request = applied(to: request)
      if let text { request.grammar = .text(text) }
      request.contextualPhrases += phrases
      return request
    }
  }

  /// Returns the text of the grammar; nil if there is none.
  ///
  /// - Parameter prepare: the function from `preparation`, which has already read a grammar from a
  ///   pipe.
  /// - Throws: `CommandFailure` if the grammar cannot be read, `SystemError`.
  func grammarText(preparing prepare: (SpeechRequest) -> SpeechRequest) async throws -> String? {
    guard let grammar else { return nil }
    if case .text(let text) = prepare(SpeechRequest(url: grammar.url)).grammar { return text }
    return try await grammar.readText(atMost: Self.longestGrammar)
  }

  /// Returns the request with the options applied.
  func applied(to request: SpeechRequest) -> SpeechRequest {
    var request = request
    request.grammar = grammar.map { .file($0.url) }
    request.locale = language
    request.translates = translates
    request.keyPhrases = keyPhrases
    request.contextualPhrases = contextualPhrases
    request.alternativeCount = alternatives ?? 0
    for setting in engineSettings { request.engineOptions[setting.name] = setting.value }
    if let endSilence {
      request.endpointPolicy.silence = .seconds(endSilence)
      request.endpointPolicy.joinsUtterances = false
    }
    if let longestUtterance { request.endpointPolicy.maximumLength = .seconds(longestUtterance) }
    if let tailPadding { request.endpointPolicy.tailPadding = .seconds(tailPadding) }
    return request
  }
}

extension SpeechClient {
  /// Loads the model or contacts the server before the first request.
  ///
  /// If the options request more than dictation, this method only checks that the model exists,
  /// because the request then loads its own decoder.
  ///
  /// - Throws: `SpeechClientError.unavailable` if no model works.
  func makeReady(for options: SpeechOptions) async throws(SpeechClientError) {
    var status = options.isPlainDictation ? .notDetermined : authorizationStatus()
    if status == .notDetermined { status = await requestAuthorization() }
    switch status {
    case .authorized, .notDetermined: return
    case .denied(let reason), .restricted(let reason):
      let remedy = Self.remedy(for: options)
      throw .unavailable(reason: [reason, remedy].compactMap(\.self).joined(separator: "; "))
    }
  }

  /// Advice on installing the engine for the options or reaching its server; nil if that would not
  /// help.
  private static func remedy(for options: SpeechOptions) -> String? {
    @Dependency(\.engineMakers) var engines
    let engine = options.chosenEngine
    if !engine.isRemote, let language = options.language,
      case .unavailable(.languageMissing) = engine.availability()
    {
      return engines.advice(onLanguage: language)
    }
    let remedy = EngineName(rawValue: engine.name)?.remedy
    // Querying the availability of a remote engine would wait for its server again.
    if engine.isRemote { return remedy }
    guard remedy != nil, case .unavailable(let error) = engine.availability() else { return nil }
    switch error {
    case .modelNotInstalled, .modelDamaged, .libraryMissing: return remedy
    default: return nil
    }
  }
}
