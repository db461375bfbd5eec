import AudioCore
import FoundationEssentials
import SpeechClient
import Wyoming

/// A realtime session: turns a client's events and the recognizer's events into actions.
///
/// With turn detection, each utterance of the detector is an item, and so ends in exactly one
/// `completed` or `failed`. Noise without words ends in `completed` with an empty text. Without turn
/// detection, the audio between two commits is an item, with the text of all its utterances.
///
/// A recognition begins with the first audio, and ends at a commit or with a change of the settings.
struct RealtimeSession {
  enum Action: Equatable {
    case send(JSONValue)
    /// Begin the recognition with this number and these settings.
    case begin(Int, RealtimeConfiguration)
    case add(AudioBuffer)
    /// Finish the recognition, and call `end` before the next event of the client.
    case finish
    /// Abandon the recognition; its later events are ignored.
    case abandon
  }

  /// An item of the conversation, whose recognition has begun.
  private struct Item {
    let id: String
    let start: Duration
    /// Whether the client has an event with the item's id.
    var isAnnounced = false
    var isCommitted = false
    /// The id of the previous item; null if there is none.
    var previous = JSONValue.null
    /// The text of the utterances with final results, and their words.
    var texts: [String] = []
    var words: [TranscriptionSegment] = []
    var sent = SentWords()
    var loss: RealtimeError?
  }

  private let id: String
  private var eventCount = 0
  private var itemCount = 0
  private var previousItem = JSONValue.null
  private(set) var configuration: RealtimeConfiguration
  private var item: Item?

  /// The number of the current or last recognition.
  private var recognition = 0
  /// Decodes the audio of the current recognition; nil between recognitions.
  private var decoder: AudioDecoder?
  /// Whether the client itself commits the audio of the current recognition.
  private var isManual = false
  /// The beginning and end of the current recognition's audio, in the audio of the session.
  private var (origin, end) = (Duration.zero, Duration.zero)
  /// The end of the last item.
  private var committedEnd = Duration.zero
  /// Whether the end of the recognition commits the audio after the last item.
  private var commitsAtEnd = false

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - id: the unique part of the ids of this session, its items, and its events.
  ///   - configuration: the settings until the client changes them.
  init(id: String, configuration: RealtimeConfiguration) {
    (self.id, self.configuration) = (id, configuration)
  }

  /// Returns the first event for the client.
  mutating func start() -> Action {
    event("session.created", ["session": sessionValue])
  }

  /// Returns the event `error`, for an error outside the client's events.
  mutating func failure(_ error: RealtimeError, eventID: String? = nil) -> Action {
    event(
      "error", ["error": error.value.merging(["event_id": eventID.map { .string($0) } ?? .null])])
  }

  /// Returns the actions for a client that loses its place: the recognition ends as after a commit.
  mutating func interrupt(_ fault: ServerFault) -> [Action] {
    guard decoder != nil else { return [] }
    return (item == nil ? [] : [failure(RealtimeError(fault))]) + [.finish]
  }

  // MARK: The client's events

  /// Returns the actions for an event of the client.
  mutating func process(_ text: some Collection<UInt8>) -> [Action] {
    let value = JSONValue(parsing: text)
    do throws(RealtimeError) {
      guard let event = value, event.object != nil else {
        throw RealtimeError(nil, "the event must be a JSON object", code: "invalid_json")
      }
      return try perform(event)
    } catch {
      return [failure(error, eventID: value?["event_id"]?.string)]
    }
  }

  private mutating func perform(_ event: JSONValue) throws(RealtimeError) -> [Action] {
    switch event["type"]?.string {
    case "session.update":
      return try change(to: configuration.changed(by: event["session"] ?? .null))
    case "input_audio_buffer.append": return try append(event["audio"]?.string)
    case "input_audio_buffer.commit": return try commit()
    case "input_audio_buffer.clear": return clear()
    case nil: throw RealtimeError("type", "it must be the name of an event")
    case let type?:
      throw RealtimeError(
        "type",
        """
        \(quoted(type)) is not an event of a transcription session; send \
        session.update, input_audio_buffer.append, input_audio_buffer.commit, or \
        input_audio_buffer.clear
        """)
    }
  }

  /// Changes the settings; a recognition with turn detection ends, so that the next one has them.
  private mutating func change(
    to new: RealtimeConfiguration
  ) throws(RealtimeError) -> [Action] {
    guard decoder == nil || new.audio.input.format == configuration.audio.input.format else {
      throw RealtimeError(
        "session.audio.input.format",
        "it cannot change while the buffer has audio; commit or clear the audio first")
    }
    let hasChanged = new != configuration
    configuration = new
    let updated = event("session.updated", ["session": sessionValue])
    return decoder != nil && !isManual && hasChanged ? [updated, .finish] : [updated]
  }

  private mutating func append(_ audio: String?) throws(RealtimeError) -> [Action] {
    guard let bytes = audio.flatMap({ Data(base64Encoded: $0) }) else {
      throw RealtimeError("audio", "it must be a base64 text, with its padding")
    }
    let samples = try configuration.linear(bytes)
    guard !samples.isEmpty else { return [] }
    var actions: [Action] = []
    if decoder == nil {
      decoder = AudioDecoder(
        format: WyomingAudioFormat(rate: configuration.rate, width: 2, channels: 1))
      recognition += 1
      (isManual, origin, commitsAtEnd) = (configuration.isManual, end, false)
      if isManual { item = makeItem(at: end) }
      actions = [.begin(recognition, configuration)]
    }
    // Only 32-bit samples cause an error.
    guard let buffer = try? decoder?.add(samples) else { return actions }
    end += buffer.duration
    return actions + [.add(buffer)]
  }

  private mutating func commit() throws(RealtimeError) -> [Action] {
    guard decoder != nil, end > committedEnd else {
      throw RealtimeError(
        nil, "the buffer has no audio to commit; append audio first",
        code: "input_audio_buffer_commit_empty")
    }
    commitsAtEnd = true
    return (isManual ? commitItem() : []) + [.finish]
  }

  private mutating func clear() -> [Action] {
    var actions: [Action] = decoder == nil ? [] : [.abandon]
    if let item, item.isAnnounced {
      let error = RealtimeError(nil, "the client cleared the audio", code: "cleared")
      actions.append(transcription("failed", of: item, ["error": error.value]))
    }
    (item, decoder, committedEnd) = (nil, nil, end)
    return actions + [event("input_audio_buffer.cleared")]
  }

  // MARK: The recognizer's events

  /// Returns the actions for an event of the recognition with this number.
  mutating func process(_ event: SpeechRecognitionEvent, of number: Int) -> [Action] {
    guard decoder != nil, number == recognition else { return [] }
    switch event {
    case .speechStarted(let time): return isManual ? [] : complete(at: time) + begin(at: time)
    case .result(let result): return process(result)
    case .speechEnded(let time): return isManual ? [] : complete(at: time)
    case .dropped(_, let reason):
      guard let loss = RealtimeError(reason) else { return [] }
      if item == nil, reason != .unintelligible { return [failure(loss)] }
      if item?.loss == nil || reason != .unintelligible { item?.loss = loss }
      return []
    default: return []
    }
  }

  /// Ends the recognition with this number; `failure` is the reason that it failed.
  mutating func end(_ number: Int, throwing failure: (any Error)? = nil) -> [Action] {
    guard decoder != nil, number == recognition else { return [] }
    defer { (item, decoder, committedEnd) = (nil, nil, end) }
    if commitsAtEnd, item == nil { item = makeItem(at: committedEnd) }
    if let error = failure.map({ RealtimeError(ServerFault.recognition($0)) }) {
      guard item?.isAnnounced == true || commitsAtEnd else { return [self.failure(error)] }
      item?.loss = error
    }
    return complete(at: end - origin)
  }

  private mutating func process(_ result: SpeechRecognitionResult) -> [Action] {
    var actions: [Action] = []
    let segments = result.bestTranscription.segments
    if item == nil { actions = begin(at: segments.first?.timestamp ?? .zero) }
    if let words = item?.sent.add(result), let item {
      self.item?.isAnnounced = true
      actions.append(transcription("delta", of: item, ["delta": .string(words)]))
    }
    if configuration.reportsPartials, let item {
      let stable = item.texts + [result.stablePrefix.formattedString]
      actions.append(
        event(
          "syrinx.partial",
          [
            "item_id": .string(item.id),
            "stable": .string(stable.filter { !$0.isEmpty }.joinedAsWritten),
            "volatile": .string(result.volatileTail.formattedString),
          ]))
      self.item?.isAnnounced = true
    }
    if result.isFinal {
      item?.texts.append(result.bestTranscription.formattedString)
      item?.words += segments
    }
    return actions
  }

  // MARK: Items

  private mutating func makeItem(at start: Duration) -> Item {
    itemCount += 1
    return Item(id: "item_\(id)_\(itemCount)", start: start)
  }

  /// Begins an item of the detector.
  private mutating func begin(at time: Duration) -> [Action] {
    var new = makeItem(at: origin + time)
    new.isAnnounced = true
    item = new
    return [
      event(
        "input_audio_buffer.speech_started",
        ["audio_start_ms": .integer(new.start.wholeMilliseconds), "item_id": .string(new.id)])
    ]
  }

  /// Returns the events that commit the item's audio.
  private mutating func commitItem() -> [Action] {
    guard var current = item, !current.isCommitted else { return [] }
    (current.isCommitted, current.isAnnounced, current.previous) = (true, true, previousItem)
    (item, previousItem) = (current, .string(current.id))
    return [
      event(
        "input_audio_buffer.committed",
        ["item_id": .string(current.id), "previous_item_id": current.previous]),
      event("conversation.item.added", fields(of: current, "in_progress")),
    ]
  }

  /// Ends the item, if there is one, with its transcript or the reason that it has none.
  ///
  /// Noise without words is no failure, unless words of it were sent.
  private mutating func complete(at time: Duration) -> [Action] {
    guard let begun = item else { return [] }
    let end = origin + time
    var actions: [Action] = []
    if !isManual, begun.isAnnounced {
      actions = [
        event(
          "input_audio_buffer.speech_stopped",
          ["audio_end_ms": .integer(end.wholeMilliseconds), "item_id": .string(begun.id)])
      ]
    }
    actions += commitItem()
    guard let current = item.take() else { return actions }
    (committedEnd, commitsAtEnd) = (max(committedEnd, end), false)
    let isNoise = current.loss?.code == RealtimeError.unintelligible
    if let loss = current.loss, current.texts.isEmpty, !isNoise || !current.sent.isEmpty {
      return actions + [
        transcription("failed", of: current, ["error": loss.value]),
        event("conversation.item.done", fields(of: current, "incomplete")),
      ]
    }
    // The other utterances of the item have their words.
    if let loss = current.loss, !isNoise { actions.append(failure(loss)) }
    let text = current.texts.filter { !$0.isEmpty }.joinedAsWritten
    return actions + [
      completion(of: current, text, end: end),
      event(
        "conversation.item.done", fields(of: current, "completed", transcript: .string(text))),
    ]
  }

  private mutating func completion(of item: Item, _ text: String, end: Duration) -> Action {
    var fields: [String: JSONValue] = [
      "transcript": .string(text),
      "usage": ["type": "duration", "seconds": .seconds(end - item.start)],
    ]
    if configuration.reportsWords {
      fields["syrinx"] = [
        "words": .array(item.words.map { .word($0, since: origin) }), "start": .seconds(item.start),
        "end": .seconds(end),
      ]
    }
    if configuration.reportsProbabilities {
      fields["logprobs"] = .array(
        item.words.filter { $0.logProbability != nil }.map(JSONValue.logprob))
    }
    return transcription("completed", of: item, fields)
  }

  private func fields(
    of item: Item, _ status: JSONValue, transcript: JSONValue = .null
  ) -> [String: JSONValue] {
    [
      "item": [
        "id": .string(item.id), "object": "realtime.item", "type": "message", "role": "user",
        "status": status, "content": [["type": "input_audio", "transcript": transcript]],
      ], "previous_item_id": item.previous,
    ]
  }

  private mutating func transcription(
    _ name: String, of item: Item, _ fields: [String: JSONValue]
  ) -> Action {
    let place: [String: JSONValue] = ["item_id": .string(item.id), "content_index": 0]
    return event(
      "conversation.item.input_audio_transcription.\(name)", place.merging(fields) { $1 })
  }

  // MARK: Events

  private mutating func event(_ type: String, _ fields: [String: JSONValue] = [:]) -> Action {
    eventCount += 1
    let common: [String: JSONValue] = [
      "type": .string(type), "event_id": .string("event_\(id)_\(eventCount)"),
    ]
    return .send(.object(common.merging(fields) { $1 }))
  }

  private var sessionValue: JSONValue {
    let names: JSONValue = [
      "id": .string("sess_\(id)"), "object": "realtime.transcription_session",
    ]
    return configuration.value.merging(names)
  }
}

/// An error of a realtime session, which stays open.
struct RealtimeError: Error, Equatable {
  static let unintelligible = SpeechRecognitionEvent.DropReason.unintelligible.name

  let code: String
  /// The path of the wrong field; nil if no field is wrong.
  let param: String?
  let message: String
  var type = "invalid_request_error"

  init(_ param: String?, _ message: String, code: String = "invalid_value") {
    self.code = code
    self.param = param
    self.message = param.map { "\($0): \(message)" } ?? message
  }

  /// Creates the error of a JSON value of the wrong shape.
  init(decoding error: any Error, in root: String) {
    var path: [any CodingKey] = []
    var problem = "\(error)"
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      (path, problem) = (context.codingPath + [key], "it is missing")
    case DecodingError.valueNotFound(_, let context):
      (path, problem) = (context.codingPath, "it must not be null")
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      (path, problem) = (context.codingPath, context.debugDescription)
    default: break
    }
    // The decoder has replaced the underscores in the names of fields.
    let names = path.map { key in
      key.intValue.map { "\($0)" }
        ?? key.stringValue.reduce(into: "") {
          $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)"
        }
    }
    self.init(([root] + names).joined(separator: "."), problem)
  }

  /// Creates the error of speech that was not recognized; nil if nothing spoken is missing.
  init?(_ reason: SpeechRecognitionEvent.DropReason) {
    switch reason {
    case .engineTooSlow: self.init(ServerFault(code: reason.name, text: "the engine is too slow"))
    case .engineFailed(let error): self.init(ServerFault(code: reason.name, text: "\(error)"))
    case .unintelligible: self.init(ServerFault(code: reason.name, text: "there are no words"))
    default: return nil
    }
  }

  /// Creates the error for a fault of the connection or of a recognition.
  init(_ fault: ServerFault) {
    self.init(nil, fault.text, code: fault.code)
    type = "server_error"
  }

  var value: JSONValue {
    [
      "type": .string(type), "code": .string(code), "message": .string(message),
      "param": param.map { .string($0) } ?? .null,
    ]
  }
}
