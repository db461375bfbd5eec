import AudioCore
import SpeechClient
import Wyoming

/// Turns a client's events into actions, for one connection.
struct ConversationMachine {
  enum Action: Equatable {
    case answer(WyomingEvent)
    /// Send the server's models.
    case describe
    /// Begin to recognize audio with these options.
    case begin(TranscriptionRequest)
    case add(AudioBuffer)
    /// Finish the recognition, and send the transcript before any other event.
    case finish
  }

  private var request = TranscriptionRequest()
  private var decoder: AudioDecoder?

  /// Returns the actions for an event.
  ///
  /// - Throws: a fault that ends the connection.
  mutating func process(_ event: WyomingEvent) throws(ServerFault) -> [Action] {
    switch event.type {
    case "describe": return [.describe]
    case "ping":
      // Only a string is sent back, because other values may take long to encode.
      let text = event.data["text"]?.string
      return [.answer(WyomingEvent("pong", text.map { ["text": .string($0)] } ?? [:]))]
    case "transcribe":
      try checkBetweenTranscriptions(event)
      request = TranscriptionRequest(event.data)
      return []
    case "audio-start":
      try checkBetweenTranscriptions(event)
      return begin(with: try Self.format(event))
    case "audio-chunk": return try add(event)
    case "audio-stop": return finish()
    // The protocol requires ignoring unknown events of newer peers.
    default: return []
    }
  }

  private func checkBetweenTranscriptions(_ event: WyomingEvent) throws(ServerFault) {
    guard decoder == nil else { throw .unexpected("\(event.type) before audio-stop") }
  }

  private mutating func begin(with format: WyomingAudioFormat) -> [Action] {
    decoder = AudioDecoder(format: format)
    defer { request = TranscriptionRequest() }
    return [.begin(request)]
  }

  /// Adds an audio chunk; without `audio-start`, audio begins with its first chunk.
  private mutating func add(_ event: WyomingEvent) throws(ServerFault) -> [Action] {
    let format = try Self.format(event)
    let beginning = decoder == nil ? begin(with: format) : []
    guard decoder?.format == format else {
      throw .unexpected("audio in a different format than at its beginning")
    }
    let buffer = try Self.checked { () throws(AudioFormatError) in
      try decoder?.add(event.payload)
    }
    guard let buffer, !buffer.isEmpty else { return beginning }
    return beginning + [.add(buffer)]
  }

  /// Ends the audio; without audio, the transcript is empty.
  private mutating func finish() -> [Action] {
    let beginning: [Action] = decoder == nil ? [.begin(request)] : []
    (decoder, request) = (nil, TranscriptionRequest())
    return beginning + [.finish]
  }

  private static func format(_ event: WyomingEvent) throws(ServerFault) -> WyomingAudioFormat {
    try checked { () throws(AudioFormatError) in try WyomingAudioFormat(event.data) }
  }

  /// Returns the result of `body`, and converts its error to a fault.
  private static func checked<Result>(
    _ body: () throws(AudioFormatError) -> Result
  ) throws(ServerFault) -> Result {
    do throws(AudioFormatError) { return try body() } catch { throw .audioFormat(error) }
  }
}

/// The options that a client sends before its audio.
struct TranscriptionRequest: Equatable {
  var language: String?
  /// Phrases that are likely to be spoken.
  var phrases: [String] = []

  init() {}

  init(_ data: [String: JSONValue]) {
    language = data["language"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    phrases = ["transcript_names", "transcript_terms"].flatMap { field in
      data[field]?.array?.compactMap(\.string) ?? []
    }
  }
}

extension ServerFault {
  static func malformed(_ error: FrameError) -> ServerFault {
    ServerFault(code: "malformed", text: "\(error)")
  }

  static func audioFormat(_ error: AudioFormatError) -> ServerFault {
    ServerFault(code: "audio-format", text: "\(error)")
  }

  var event: WyomingEvent {
    WyomingEvent("error", ["text": .string(text), "code": .string(code)])
  }
}
