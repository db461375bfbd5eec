import AudioCore
import AudioThreads
import SpeechEngine
import Wyoming

/// A session on a server: each utterance is a separate transcription.
final class WyomingSession: SpeechEngineSession {
  private let links: LinkPool
  /// The requested model; nil for the first model with the language.
  private let model: String?
  private let language: String?
  private let phrases: [String]
  /// Stays signaled once the session is interrupted.
  private let interruption: WakeUp

  /// The server's model; nil until the session is prepared.
  private var choice: ModelChoice?
  private var link: ServerLink?
  private var progress = TranscriptProgress()
  private var voice = VoicedSpan()

  init(links: LinkPool, options: SpeechSessionOptions) throws(SpeechEngineError) {
    model = try options.checkedModel() ?? links.options.model
    language = options.language
    self.links = links
    do throws(SystemError) { interruption = try WakeUp() } catch {
      throw .failed(reason: error.description)
    }
    phrases = options.contextualPhrases
  }

  var interrupt: @Sendable () -> Void { { [interruption] in interruption.signal() } }

  var traits: SpeechSessionTraits {
    var traits = SpeechSessionTraits()
    traits.survivesFailure = true
    return traits
  }

  func prepare() throws(SpeechEngineError) {
    let link = try acquireLink()
    choice = try ModelChoice(link.describe(), model: model, language: language)
    links.giveBack(link)
  }

  private func acquireLink() throws(SpeechEngineError) -> ServerLink {
    if interruption.isSignaled(within: 0) { throw .interrupted }
    return try links.acquire(until: interruption)
  }

  func beginUtterance() throws(SpeechEngineError) {
    if choice == nil { try prepare() }
    let link = try acquireLink()
    (progress, voice) = (TranscriptProgress(), VoicedSpan())
    self.link = link
    link.beginUtterance()
    try send(WyomingEvent("transcribe", transcribeData))
    try send(WyomingEvent("audio-start", WyomingAudioFormat.speech.data))
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    voice.add(samples)
    let payload = sixteenBitPayload(samples)
    try send(WyomingEvent("audio-chunk", WyomingAudioFormat.speech.data, payload: payload))
  }

  var hypothesis: SpeechHypothesis {
    for event in link?.arrived ?? [] { progress.process(event) }
    var hypothesis = SpeechHypothesis(
      words: SpeechHypothesis.Word.spread(progress.words, over: voice.frames))
    hypothesis.hasEstimatedTimes = true
    return hypothesis
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    try processArrived()
    if let link, link.isReused, progress.isComplete { return try finish(afterEarlyTextOn: link) }
    try send(WyomingEvent("audio-stop"))
    guard let link else { throw .failed(reason: "no utterance has begun") }
    // Processes the events that were read while the end of the audio was being sent.
    for event in link.popWaiting() { progress.process(event) }
    let hasEarlyText = progress.isOver
    if !hasEarlyText {
      try link.receive(within: TimeBudget(links.options.answerTimeout)) { event in
        progress.process(event)
        return progress.isOver
      }
    }
    try checkFailure()
    self.link = nil
    // If the text came early, the connection is not reused, because the response to `audio-stop`
    // would count as the text of the next utterance.
    if !hasEarlyText { links.giveBack(link) }
    return hypothesis
  }

  /// Ends an utterance whose text came before its end, on a connection with earlier utterances.
  ///
  /// The text may belong to an earlier utterance, because a server may send a text late or twice.
  /// Servers respond in order, so the description is requested before and after the end of the
  /// audio: a text between the two descriptions belongs to this utterance. If there is none, the
  /// early text belongs to this utterance. The connection is not reused.
  private func finish(
    afterEarlyTextOn link: ServerLink
  ) throws(SpeechEngineError) -> SpeechHypothesis {
    let (early, budget) = (progress, TimeBudget(links.options.answerTimeout))
    self.link = nil
    progress = TranscriptProgress()
    do {
      try link.send(WyomingEvent("describe"), within: budget)
      try link.receive(within: budget) { ["info", "error"].contains($0.type) }
      try link.send(WyomingEvent("audio-stop"), within: budget)
      try link.send(WyomingEvent("describe"), within: budget)
      try link.receive(within: budget) { event in
        progress.process(event)
        return progress.isOver || event.type == "info"
      }
    } catch {
      // Other errors are ignored, because a server may close the connection after its text.
      if error == .interrupted { throw error }
    }
    try checkFailure()
    if !progress.isComplete { progress = early }
    return hypothesis
  }

  private func processArrived() throws(SpeechEngineError) {
    for event in link?.arrived ?? [] { progress.process(event) }
    try checkFailure()
  }

  /// Sends an event, unless the server has already returned the text of the utterance.
  ///
  /// On a connection with earlier utterances, the event is sent anyway, because the text may belong
  /// to an earlier utterance.
  private func send(_ event: WyomingEvent) throws(SpeechEngineError) {
    try processArrived()
    guard let link, !progress.isOver || link.isReused && !link.hasFailed else { return }
    do {
      try link.send(event, within: TimeBudget(links.options.answerTimeout))
    } catch {
      // The server's last messages may contain the reason that it closed the connection.
      for event in link.lastWords { progress.process(event) }
      try checkFailure()
      guard progress.isComplete else { throw error }
    }
  }

  private func checkFailure() throws(SpeechEngineError) {
    guard let failure = progress.failure else { return }
    link = nil
    throw .failed(reason: failure)
  }

  private var transcribeData: [String: JSONValue] {
    var data: [String: JSONValue] = [:]
    if let model = choice?.model { data["name"] = .string(model) }
    if let language = choice?.language { data["language"] = .string(language) }
    if !phrases.isEmpty { data["transcript_terms"] = .array(phrases.map(JSONValue.string)) }
    return data
  }
}

extension SpeechSessionOptions {
  /// Returns the requested model; throws for options that the protocol cannot express.
  fileprivate func checkedModel() throws(SpeechEngineError) -> String? {
    if grammar != nil { throw .unsupported("grammars", engine: "wyoming") }
    if !keyPhrases.isEmpty { throw .unsupported("key phrases", engine: "wyoming") }
    if alternativeCount > 0 { throw .unsupported("alternatives", engine: "wyoming") }
    if let name = engineOptions.keys.filter({ $0 != "model" }).min() {
      throw .optionInvalid(name: name, reason: "the engine wyoming has only the option model")
    }
    return engineOptions["model"]
  }
}

/// The server's transcript of one utterance so far.
struct TranscriptProgress {
  /// The text so far: the received chunks, or the whole text once it has arrived.
  private(set) var text = ""
  /// Whether the whole text has arrived.
  private(set) var isComplete = false
  /// The maximum size of an utterance's text, in bytes.
  private static let longest = 1 << 20

  /// The error that the server reported.
  private(set) var failure: String?

  mutating func process(_ event: WyomingEvent) {
    guard !isOver else { return }
    switch event.type {
    case "transcript-start": text = ""
    case "transcript-chunk":
      text += event.data["text"]?.string ?? ""
      if text.utf8.count > Self.longest {
        failure = "the server sent more than \(Self.longest) bytes of text"
      }
    case "transcript":
      guard let whole = event.data["text"]?.string else {
        failure = "the server sent a transcript without a text"
        return
      }
      text = whole
      isComplete = true
    case "error":
      failure = (event.data["text"]?.string ?? "error").saidByServer
    default: break
    }
  }

  /// Whether the text is complete, or the server has reported an error.
  var isOver: Bool { isComplete || failure != nil }

  var words: [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
}

/// The model and language of a server that a session uses.
struct ModelChoice: Equatable {
  /// The model's name in the request; nil for the server's default.
  let model: String?
  /// The language in the server's spelling; nil for the server's default.
  let language: String?
  /// The model's language; nil if the server does not name it.
  let tag: String?

  /// - Throws: `languageMissing` and `optionInvalid` if the server lacks the language or the model;
  ///   `failed` if the server has no recognition program.
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
      let available = languages.joined(separator: ", ").inMessage
      throw .languageMissing(wanted: language, available: available)
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
      let names = models.map(\.name).joined(separator: ", ").inMessage
      throw .optionInvalid(name: "model", reason: "the server has \(names), and not \(name)")
    }
    return named
  }

  /// Returns the tag in `languages` that equals `wanted`, or else a tag of the same primary
  /// language if one of the two tags has no region: `en` for `en-US` and vice versa.
  private static func spelling(of wanted: String, among languages: [String]) -> String? {
    languages.first { subtags($0) == subtags(wanted) }
      ?? languages.first { subtags($0).first == subtags(wanted).first && isGeneral($0, wanted) }
  }

  /// Whether one of the two tags has no region: `en` matches `en-US`, but `en-GB` does not.
  private static func isGeneral(_ tags: String...) -> Bool {
    tags.contains { subtags($0).count == 1 }
  }

  private static func subtags(_ tag: String) -> [String] {
    tag.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
  }
}
