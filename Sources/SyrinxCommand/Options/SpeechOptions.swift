import ArgumentParser
import FilePaths
import SpeechClient

/// What may be said, and when an utterance ends: the options of the commands that recognise speech.
struct SpeechOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Take each utterance for a sentence of this JSGF grammar, in a file or a pipe.",
      valueName: "file"))
  var grammar: FilePath?

  @Option(
    help: ArgumentHelp(
      "The language that is spoken, as en-US; another one than the model's is an error.",
      valueName: "tag"))
  var locale: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How much silence ends an utterance (0.6).", valueName: "seconds"))
  var endSilence: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long an utterance is at most, 1 to 3600 (20); the next begins there.",
      valueName: "seconds"))
  var longestUtterance: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How much silence after the last sound of an utterance the recogniser hears, 0 to 10 (as much as \
      ended it).
      """, valueName: "seconds"))
  var tailPadding: Double?

  @Option(
    name: .customLong("key-phrase"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      Listen for this phrase and for nothing else; give it again for more phrases. A threshold above 0 \
      and at most 1 says how sure the engine must be: the smaller, the more is found, and the more of \
      it wrongly (1e-5 for short phrases, 1e-30 for long ones).
      """, valueName: "text[:threshold]"))
  var keyPhrases: [KeyPhraseOption] = []

  @Option(
    name: .customLong("context"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      A phrase that is likely to be said; give it again for more. Of readings about as likely, one with \
      such a phrase is taken.
      """, valueName: "phrase"))
  var contextualPhrases: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --json, so many other readings of each utterance, 0 to 100.", valueName: "count"))
  var alternatives: Int?

  @Option(
    name: .customLong("engine-option"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      A setting of the engine, by its own name; give it again for more. With pocketsphinx: lw, wip, pip, \
      beam, pbeam, wbeam, maxhmmpf, maxwpf, ds, topn, fwdflat, bestpath.
      """, valueName: "name=value"))
  var engineSettings: [EngineSettingOption] = []

  func validate() throws {
    guard grammar == nil || keyPhrases.isEmpty else {
      throw ValidationError("--grammar and --key-phrase exclude each other; give one of them.")
    }
    if let alternatives, !(0...100).contains(alternatives) {
      throw ValidationError("--alternatives is 0 to 100, not \(alternatives).")
    }
    if let endSilence, !(0.01...3600).contains(endSilence) {
      throw ValidationError("--end-silence is 0.01 to 3600 seconds, not \(endSilence).")
    }
    if let longestUtterance, !(1...3600).contains(longestUtterance) {
      throw ValidationError("--longest-utterance is 1 to 3600 seconds, not \(longestUtterance).")
    }
    if let tailPadding, !(0...10).contains(tailPadding) {
      throw ValidationError("--tail-padding is 0 to 10 seconds, not \(tailPadding).")
    }
  }

  /// Refuses what the transcript could not show.
  func check(for transcript: TranscriptOptions) throws {
    guard alternatives == nil || transcript.json else {
      throw ValidationError("--alternatives shows in --json alone; give that as well.")
    }
  }

  /// Whether an engine takes dictation with the settings that it has without a request.
  var areOfDictation: Bool { grammar == nil && keyPhrases.isEmpty && engineSettings.isEmpty }

  /// No grammar that anybody wrote is longer, in bytes; a pipe may have no end.
  private static let longestGrammar = 16_777_216

  /// What makes requests into those that the options ask for, however many there are: a grammar in
  /// a pipe is read before the first of them, and waited for.
  ///
  /// - Throws: `CommandFailure` where the pipe gives no text, `ThreadError`.
  func preparation() async throws -> @Sendable (SpeechRequest) -> SpeechRequest {
    let pipe = grammar.map(TextFile.init).flatMap { $0.isPipe ? $0 : nil }
    let text = try await pipe?.text(atMost: Self.longestGrammar)
    return { [self] request in
      var request = applied(to: request)
      if let text { request.grammar = .text(text) }
      return request
    }
  }

  /// The request with what the options ask for.
  func applied(to request: SpeechRequest) -> SpeechRequest {
    var request = request
    request.grammar = grammar.map { .file($0.url) }
    request.locale = locale
    request.keyPhrases = keyPhrases.map(\.phrase)
    request.contextualPhrases = contextualPhrases
    request.alternativeCount = alternatives ?? 0
    for setting in engineSettings { request.engineOptions[setting.name] = setting.value }
    if let endSilence { request.endpointPolicy.silence = .seconds(endSilence) }
    if let longestUtterance { request.endpointPolicy.longest = .seconds(longestUtterance) }
    if let tailPadding { request.endpointPolicy.tailPadding = .seconds(tailPadding) }
    return request
  }
}

extension SpeechClient {
  /// Loads the model or asks the engine's server, or, where the options ask for more than
  /// dictation, looks whether the model is there.
  ///
  /// What is loaded without a request takes dictation, and a request for something else would load
  /// its own in place of it.
  ///
  /// - Throws: `SpeechClientError.unavailable` where there is no model that works.
  func makeReady(for options: SpeechOptions) async throws(SpeechClientError) {
    var status = options.areOfDictation ? .notDetermined : authorizationStatus()
    if status == .notDetermined { status = await requestAuthorization() }
    switch status {
    case .authorized, .notDetermined: return
    case .denied(let reason), .restricted(let reason): throw .unavailable(reason: reason)
    }
  }
}
