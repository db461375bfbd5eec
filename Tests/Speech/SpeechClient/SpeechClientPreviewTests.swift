import ClientDependencies
import Foundation
import SpeechClient
import Testing

@Suite struct SpeechClientPreviewTests {
  private static let request = SpeechRequest(url: URL(filePath: "any.wav"))

  @Test func `the preview recognizes a sentence word by word and ends with one final result`()
    async throws
  {
    let results = try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let stream = await SpeechClient.previewValue.startTask(request: Self.request)
      var results: [SpeechRecognitionResult] = []
      for try await result in stream { results.append(result) }
      return results
    }
    #expect(
      results.map(\.bestTranscription.formattedString) == [
        "go", "go forward", "go forward ten", "go forward ten meters", "go forward ten meters",
      ])
    #expect(results.map(\.isFinal) == [false, false, false, false, true])
    #expect(results.last?.bestTranscription.segments.last?.timestamp == .milliseconds(900))
  }

  @Test func `each word of the preview arrives at its time on the clock`() async throws {
    let clock = TestClock()
    let stream = await withDependencies {
      $0.continuousClock = clock
    } operation: {
      await SpeechClient.previewValue.startTask(request: Self.request)
    }
    let first = Task {
      var results = stream.makeAsyncIterator()
      return try await results.next()?.bestTranscription.formattedString
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(300))
    #expect(try await first.value == "go")
  }

  @Test func `a canceled consumer of the preview gets the end of the stream`() async throws {
    let stream = await withDependencies {
      $0.continuousClock = TestClock()
    } operation: {
      await SpeechClient.previewValue.startTask(request: Self.request)
    }
    let consumer = Task {
      var count = 0
      for try await _ in stream { count += 1 }
      return count
    }
    consumer.cancel()
    #expect(try await consumer.value == 0)
  }

  @Test func `finishing ends a preview with the words recognized so far`() async throws {
    let clock = TestClock()
    let client = withDependencies {
      $0.continuousClock = clock
    } operation: {
      SpeechClient.previewValue
    }
    let stream = await withDependencies {
      $0.continuousClock = clock
    } operation: {
      await client.startTask(request: Self.request)
    }
    var results = stream.makeAsyncIterator()
    let advance = Task {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(300))
    }
    #expect(try await results.next()?.bestTranscription.formattedString == "go")
    await advance.value
    await client.finishTask()
    let final = try await results.next()
    #expect(final?.isFinal == true)
    #expect(final?.bestTranscription.formattedString == "go")
    #expect(try await results.next() == nil)
  }
}
