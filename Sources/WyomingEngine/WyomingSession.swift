import AudioCore
import AudioThreads
import SpeechEngine
import Wyoming

/// A session on a server: each utterance is a separate transcription.
final class WyomingSession: SpeechEngineSession {
  private let links: LinkPool
  /// The requested model; nil for the first one with the language.
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
    do throws(WakeUpError) { interruption = try WakeUp() } catch {
      throw .failed(reason: error.description)
    }
    phrases = options.contextualPhrases
  }

  var interrupt: @Sendable () -> Void { { [interruption] in interruption.signal() } }

  func prepare() throws(SpeechEngineError) {
    let link = try takeLink()
    choice = try ModelChoice(link.describe(), model: model, language: language)
    links.giveBack(link)
  }

  private func takeLink() throws(SpeechEngineError) -> ServerLink {
    if interruption.isSignaled(within: 0) { throw .interrupted }
    return try links.take(until: interruption)
  }

  func beginUtterance() throws(SpeechEngineError) {
    if choice == nil { try prepare() }
    let link = try takeLink()
    (progress, voice) = (TranscriptProgress(), VoicedSpan())
    self.link = link
    try send(WyomingEvent("transcribe", transcribeData))
    try send(WyomingEvent("audio-start", WyomingAudioFormat.speech.data))
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    voice.add(samples)
    let payload = sixteenBitPayload(samples)
    try send(WyomingEvent("audio-chunk", WyomingAudioFormat.speech.data, payload: payload))
  }

  var hypothesis: SpeechHypothesis {
    for event in link?.arrived ?? [] { progress.take(event) }
    var hypothesis = SpeechHypothesis(
      words: SpeechHypothesis.Word.spread(progress.words, over: voice.frames))
    hypothesis.hasEstimatedTimes = true
    return hypothesis
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    try send(WyomingEvent("audio-stop"))
    guard let link else { throw .failed(reason: "no utterance has begun") }
    let budget = TimeBudget(links.options.answerTimeout)
    while !progress.isOver { progress.take(try link.receive(within: budget)) }
    try checkFailure()
    self.link = nil
    links.giveBack(link)
    return hypothesis
  }

  /// Sends an event, unless the server has already returned the text of the utterance.
  private func send(_ event: WyomingEvent) throws(SpeechEngineError) {
    for event in link?.arrived ?? [] { progress.take(event) }
    try checkFailure()
    guard let link, !progress.isOver else { return }
    do {
      try link.send(event, within: TimeBudget(links.options.answerTimeout))
    } catch {
      // The server's last messages explain more than the end of the connection.
      for event in link.lastWords { progress.take(event) }
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
  /// The requested model; throws for options that the protocol cannot express.
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
  /// The text: the chunks so far, or the whole text.
  private(set) var text = ""
  /// Whether the whole text has arrived.
  private(set) var isComplete = false
  /// The error that the server reported.
  private(set) var failure: String?

  mutating func take(_ event: WyomingEvent) {
    guard !isOver else { return }
    switch event.type {
    case "transcript-start": text = ""
    case "transcript-chunk": text += event.data["text"]?.string ?? ""
    case "transcript":
      guard let whole = event.data["text"]?.string else {
        failure = "the server sent a transcript without a text"
        return
      }
      text = whole
      isComplete = true
    case "error":
      failure = "the server says: \(event.data["text"]?.string ?? "error")"
    default: break
    }
  }

  /// Whether no more text will come.
  var isOver: Bool { isComplete || failure != nil }

  var words: [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
}
