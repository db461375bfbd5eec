import AudioCore
import ClientDependencies
import Dispatch
import SpeechClient
import SpeechEngine
import Testing
import Wyoming

@testable import SpeechServer

/// Conversations that end by a timeout, a cancellation, or a disconnected client.
extension ConversationTests {
  @Test func `a client that sends nothing until the time limit gets an error and is disconnected`()
    async
  {
    let clock = TestClock()
    let client = client(CountingSpeech().client, clock: clock)
    client.send([WyomingEvent("ping")])
    #expect(await client.first("pong") != nil)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(29))
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    #expect(await client.first("error")?.data["code"] == "idle")
    await client.conversation.value
  }

  @Test func `bytes without audio do not keep a connection open`() async {
    let clock = TestClock()
    let client = client(CountingSpeech().client, clock: clock)
    for _ in 0..<15 {
      client.send([WyomingEvent("ping")])
      #expect(await client.first("pong") != nil)
      client.bytes.yield([UInt8(ascii: " ")])
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(2))
    }
    #expect(await client.first("error")?.data["code"] == "idle")
    await client.conversation.value
  }

  @Test func `a slow recognizer does not make a client idle`() async {
    let clock = TestClock()
    let (endings, ending) = AsyncStream.makeStream(of: Void.self)
    let (releases, release) = AsyncStream.makeStream(of: Void.self)
    let client = client(
      .scripted { _, buffers in
        for try await _ in buffers {}
        ending.yield()
        _ = await releases.first { _ in true }
        return nil
      }, clock: clock)
    client.send(utterance(tenths: 1))
    // The response to this ping comes after the transcript.
    client.send([WyomingEvent("ping")])
    _ = await endings.first { _ in true }
    await clock.advance(by: .seconds(75))
    release.finish()
    #expect(await client.first("pong") != nil)
    client.bytes.finish()
    #expect(await client.all().isEmpty)
  }

  @Test func `the server stops work for a disconnected client`() async {
    let speech = CountingSpeech()
    let (closings, closing) = AsyncStream.makeStream(of: Never.self)
    let client = client(
      .scripted { _, buffers in
        for try await _ in buffers {}
        closing.finish()
        await untilCancelled()
        speech.tally.abandoned.continuation.yield()
        return nil
      }, closed: { for await _ in closings {} })
    client.send(utterance(tenths: 1))
    await client.conversation.value
    _ = await speech.tally.abandoned.stream.first { _ in true }
  }

  @Test func `a client that reads nothing is disconnected`() async {
    let clock = TestClock()
    let (taken, take) = AsyncStream.makeStream(of: Void.self)
    let client = client(CountingSpeech().client, clock: clock) {
      take.yield()
      // This call ends only if it is canceled, like a write to a full socket.
      await untilCancelled()
      throw CancellationError()
    }
    client.send([WyomingEvent("ping")])
    _ = await taken.first { _ in true }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(30))
    // The second write is the server's error event, which has its own time limit of five seconds.
    _ = await taken.first { _ in true }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(5))
    await client.conversation.value
    #expect(await client.all().isEmpty)
  }

  @Test func `a client that gets an error is disconnected after five seconds`() async {
    let clock = TestClock()
    let (leaves, left) = AsyncStream.makeStream(of: Void.self)
    let client = client(
      CountingSpeech().client, clock: clock,
      leaving: {
        left.yield()
        await untilCancelled()
      })
    client.bytes.yield(Array("garbage\n".utf8))
    #expect(await client.first("error")?.data["code"] == "malformed")
    _ = await leaves.first { _ in true }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(5))
    await client.conversation.value
  }

  @Test func `a canceled server does not wait for an engine that lists its models`() async {
    let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
    let answer = DispatchSemaphore(value: 0)
    defer { answer.signal() }
    let slow = SpeechEngine(
      name: "slow",
      availability: {
        asked.yield()
        answer.wait()
        return .ready(SpeechModel(language: "en-US", location: "here"))
      }, makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })
    let client = client(CountingSpeech().client, engine: slow)
    client.send([WyomingEvent("describe")])
    _ = await isAsked.first { _ in true }
    client.conversation.cancel()
    await client.conversation.value
    #expect(await client.all().isEmpty)
  }

  @Test func `canceling a server ends a conversation in the middle of an utterance`() async {
    let speech = CountingSpeech()
    let client = client(speech.client)
    client.send(utterance(tenths: 3).dropLast())
    _ = await speech.tally.begun.stream.first { _ in true }
    client.conversation.cancel()
    let events = await client.all()
    #expect(events == [])
    _ = await speech.tally.abandoned.stream.first { _ in true }
  }

  @Test func `a canceled add returns even if the recognition accepts no audio`() async {
    var deaf = SpeechClient()
    deaf.recognition = { _ in AsyncThrowingStream { _ in } }
    let clock = TestClock()
    let transcription = withDependencies {
      $0.continuousClock = clock
    } operation: {
      LiveRecognition(of: 1, PeerWatch(limit: nil, clock: clock), SpeechServerOptions()) {
        [deaf] request in
        await deaf.recognition(request: request)
      } process: { events in
        for try await _ in events {}
      } whenFailed: { _ in
      }
    }
    let sender = Task {
      for _ in 0...4 {
        await transcription.add(AudioBuffer(silence: 160, format: .speech))
      }
    }
    sender.cancel()
    await sender.value
  }
}
