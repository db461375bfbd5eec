import AudioCore
import Wyoming

/// What a client's events lead to, one connection long.
struct ConversationMachine {
  /// What is to be done now.
  enum Action: Equatable {
    case answer(WyomingEvent)
    /// Say what the server can recognize.
    case describe
    /// Audio begins.
    case begin(TranscriptionRequest)
    case hear(AudioBuffer)
    /// The audio has ended: the transcript is due before anything else is.
    case finish
  }

  private var request = TranscriptionRequest()
  private var decoder: AudioDecoder?

  /// - Throws: a fault that ends the connection.
  mutating func take(_ event: WyomingEvent) throws(ServerFault) -> [Action] {
    switch event.type {
    case "describe": return [.describe]
    case "ping": return [.answer(WyomingEvent("pong", event.data.filter { $0.key == "text" }))]
    case "transcribe":
      try checkBetweenTranscriptions(event)
      request = TranscriptionRequest(event.data)
      return []
    case "audio-start":
      try checkBetweenTranscriptions(event)
      return begin(with: try Self.format(event))
    case "audio-chunk": return try hear(event)
    case "audio-stop": return finish()
    // Peers that are newer than this know more events; the protocol has them ignored.
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

  /// Audio without a beginning begins with its first chunk.
  private mutating func hear(_ event: WyomingEvent) throws(ServerFault) -> [Action] {
    let format = try Self.format(event)
    let beginning = decoder == nil ? begin(with: format) : []
    guard decoder?.format == format else {
      throw .unexpected("audio of another format than it began with")
    }
    guard let buffer = decoder?.add(event.payload), !buffer.isEmpty else { return beginning }
    return beginning + [.hear(buffer)]
  }

  /// No audio at all has a transcript as well: an empty one.
  private mutating func finish() -> [Action] {
    let beginning: [Action] = decoder == nil ? [.begin(request)] : []
    (decoder, request) = (nil, TranscriptionRequest())
    return beginning + [.finish]
  }

  private static func format(_ event: WyomingEvent) throws(ServerFault) -> WyomingAudioFormat {
    do throws(AudioFormatError) {
      return try WyomingAudioFormat(event.data)
    } catch {
      throw .audioFormat(error)
    }
  }
}

/// What a client says of the audio that it is about to send.
struct TranscriptionRequest: Equatable {
  var language: String?
  /// What is likely to be said.
  var phrases: [String] = []

  init() {}

  init(_ data: [String: JSONValue]) {
    language = data["language"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    phrases = ["transcript_names", "transcript_terms"].flatMap { field in
      data[field]?.array?.compactMap(\.string) ?? []
    }
  }
}
