import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SpeechClient
import SyrinxTestSupport
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EventRecordingTests {
  let folder: TestFolder
  let file: URL

  init() throws {
    folder = try TestFolder()
    file = folder.file("talk.jsonl")
  }

  private static func transcription(
    _ text: String, others: [String] = [], hasEstimatedTimes: Bool = false
  ) -> Transcription {
    Transcription(
      segments: text.split(separator: " ").enumerated().map { index, word in
        TranscriptionSegment(
          substring: String(word), timestamp: .milliseconds(index * 300),
          duration: .milliseconds(250), confidence: 0.5, alternativeSubstrings: others)
      }, hasEstimatedTimes: hasEstimatedTimes)
  }

  private static let events: [SpeechRecognitionEvent] = [
    .speechStarted(at: .milliseconds(10)),
    .result(
      SpeechRecognitionResult(
        utterance: 0, bestTranscription: transcription("go on", hasEstimatedTimes: true),
        isFinal: false, stableSegmentCount: 1)),
    .lagging(by: .seconds(2)), .dropped(.seconds(1) ..< .seconds(3), reason: .engineTooSlow),
    .dropped(.seconds(3) ..< .seconds(4), reason: .gap),
    .dropped(.seconds(4) ..< .seconds(5), reason: .unintelligible),
    .dropped(
      .seconds(5) ..< .seconds(6), reason: .engineFailed(.unavailable(reason: "no server"))),
    .lagging(by: .zero),
    .result(
      SpeechRecognitionResult(
        utterance: 0, bestTranscription: transcription("go on", others: ["no"]),
        alternatives: [transcription("no on"), transcription("go")], isFinal: true,
        speechRecognitionMetadata: SpeechRecognitionMetadata(transcription("go on")))),
    .speechEnded(at: .milliseconds(900)),
  ]

  private func stream<Element: Sendable>(_ elements: [Element], _ error: (any Error)? = nil)
    -> AsyncThrowingStream<Element, any Error>
  {
    AsyncThrowingStream { continuation in
      for element in elements { continuation.yield(element) }
      continuation.finish(throwing: error)
    }
  }

  private func seen<Element>(
    _ stream: AsyncThrowingStream<Element, any Error>
  ) async throws -> [Element] {
    var elements: [Element] = []
    for try await element in stream { elements.append(element) }
    return elements
  }

  private let request = SpeechRequest(url: URL(filePath: "a.wav"))

  @Test func `all events of a client are replayed unchanged`() async throws {
    var client = SpeechClient()
    client.recognition = { _ in stream(Self.events) }
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      #expect(
        try await seen(try client.recording(to: file).recognition(request: request)) == Self.events)
      let events = try await seen(try SpeechClient.replaying(file).recognition(request: request))
      #expect(events == Self.events)
      let results = try await seen(try SpeechClient.replaying(file).startTask(request: request))
      let expected = Self.events.compactMap {
        if case .result(let result) = $0 { result } else { nil }
      }
      #expect(results == expected)
    }
  }

  @Test func `an old recording, which lacks the reasons for dropped audio, can be read`()
    async throws
  {
    try Data(
      """
      {"format":"syrinx-speech","version":1}
      {"task":0,"ns":1,"event":{"kind":"dropped","ns":100,"endNs":200}}
      {"task":0,"ns":3,"finished":true}

      """.utf8
    ).write(to: file)
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let events = try await seen(try SpeechClient.replaying(file).recognition(request: request))
      #expect(
        events == [
          .dropped(.nanoseconds(100) ..< .nanoseconds(200), reason: .engineTooSlow)
        ])
    }
  }

  @Test(arguments: [
    (
      #"{"kind":"dropped","ns":100,"endNs":200,"reason":"overheard"}"#,
      #"unknown reason "overheard""#
    ),
    (#"{"kind":"whispered","ns":100}"#, #"unknown kind "whispered""#),
    (
      #"{"kind":"dropped","ns":1,"endNs":2,"reason":"engineFailed","#
        + #""failed":{"kind":"bored","reason":""}}"#,
      #"unknown kind "bored""#
    ),
  ])
  func `the error for a recording of a newer version contains the unknown name`(
    event: String, sentence: String
  ) throws {
    let lines = [
      #"{"format":"syrinx-speech","version":1}"#, #"{"task":0,"ns":1,"event":\#(event)}"#,
      #"{"task":0,"ns":3,"finished":true}"#,
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    #expect(
      throws: ReplayError.unreadable(
        reason: "\(file.path), line 2, was recorded by a newer version: \(sentence); "
          + "use the version that recorded it")
    ) {
      try SpeechClient.replaying(file)
    }
  }

  @Test func `a recording that contains only results also yields the start and end of speech`()
    async throws
  {
    try Data(
      """
      {"format":"syrinx-speech","version":1}
      {"task":0,"ns":1,"result":{"utterance":0,"final":false,"words":[{"word":"go","startNs":100,"durationNs":50}]}}
      {"task":0,"ns":2,"result":{"utterance":0,"final":true,"words":[{"word":"go","startNs":100,"durationNs":70}]}}
      {"task":0,"ns":3,"finished":true}

      """.utf8
    ).write(to: file)
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let events = try await seen(try SpeechClient.replaying(file).recognition(request: request))
      try #require(events.count == 4)
      #expect(events[0] == .speechStarted(at: .nanoseconds(100)))
      #expect(events[3] == .speechEnded(at: .nanoseconds(170)))
    }
  }

  @Test(arguments: [
    SpeechClientError.invalidGrammar(reason: "line 3"), .invalidRequest(reason: "no such word"),
    .unavailable(reason: "no model"), .noResources(reason: "no thread"),
  ])
  func `an error is replayed as the same error`(error: SpeechClientError) async throws {
    var client = SpeechClient()
    client.recognition = { _ in stream([], error) }
    await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      await #expect(throws: error) {
        try await seen(try client.recording(to: file).recognition(request: request))
      }
      await #expect(throws: error) {
        try await seen(try SpeechClient.replaying(file).recognition(request: request))
      }
    }
  }
}
