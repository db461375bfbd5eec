import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import Testing

@Suite struct SpeechClientTests {
  @Test func `unimplemented endpoints report an issue, and then deny, throw, or return nothing`()
    async
  {
    @Dependency(\.speechClient) var client
    withExpectedIssue {
      #expect(
        client.authorizationStatus()
          == .denied(reason: "Unimplemented: 'SpeechClient.authorizationStatus'"))
    }
    await withExpectedIssue {
      let status = await client.requestAuthorization()
      #expect(status == .denied(reason: "Unimplemented: 'SpeechClient.requestAuthorization'"))
    }
    await withExpectedIssue {
      let results = await client.startTask(request: SpeechRequest(url: URL(filePath: "a.wav")))
      await #expect(throws: Unimplemented("SpeechClient.startTask")) {
        for try await _ in results {}
      }
    }
    await withExpectedIssue {
      let events = await client.recognition(request: SpeechRequest(url: URL(filePath: "a.wav")))
      await #expect(throws: Unimplemented("SpeechClient.recognition")) {
        for try await _ in events {}
      }
    }
    await withExpectedIssue { await client.finishTask() }
    await withExpectedIssue {
      let locales = await client.supportedLocales()
      #expect(locales.isEmpty)
    }
    await withExpectedIssue {
      let engines = await client.engines()
      #expect(engines.isEmpty)
    }
  }

  @Test func `a preview reports English and a single engine, which is in use`() async {
    let client = SpeechClient.previewValue
    #expect(await client.supportedLocales() == ["en-US"])
    let engines = await client.engines()
    #expect(engines.map(\.isInUse) == [true])
    #expect(engines.flatMap(\.models).map(\.language) == ["en-US"])
  }

  @Test func `an endpoint can be called by its argument label`() async throws {
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: []), isFinal: true)
    var client = SpeechClient()
    client.startTask = { _ in
      AsyncThrowingStream { continuation in
        continuation.yield(result)
        continuation.finish()
      }
    }
    let request = SpeechRequest(url: URL(filePath: "a.wav"))
    for stream in [await client.startTask(request), await client.startTask(request: request)] {
      var results: [SpeechRecognitionResult] = []
      for try await result in stream { results.append(result) }
      #expect(results == [result])
    }
  }

  @Test func `an unimplemented endpoint that a detached task calls fails the test`() async {
    await withKnownIssue {
      @Dependency(\.speechClient) var client
      await Task.detached { [client] in await client.finishTask() }.value
    } matching: {
      $0.comments.first?.rawValue == "Unimplemented: 'SpeechClient.finishTask'"
    }
  }
}
