import AudioCore
import AudioRecorderClient
import ClientDependencies
import SpeechClient
import SpeechClientLive
import SpeechEngine
import SyrinxTestSupport
import Testing

/// The engine and the microphone of a client that is called in a scope other than the scope that
/// created it.
@Suite struct SpeechScopeTests {
  private let engine = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")]).engine
  private let other = ScriptedSpeechEngine(utterances: [ScriptedUtterance("stop")]).engine

  private func words(
    _ client: SpeechClient, _ request: SpeechRequest? = nil
  ) async throws -> [String] {
    let buffers = AsyncThrowingStream<AudioBuffer, any Error> { stream in
      for buffer in audio(utterances: 1) { stream.yield(buffer) }
      stream.finish()
    }
    let request = request ?? SpeechRequest(buffers: buffers)
    return try await client.startTask(request: request).all().finals
  }

  @Test func `live(on:) recognizes with its engine, wherever it is called`() async throws {
    let client = SpeechClient.live(on: engine)
    #expect(try await words(client) == ["go"])
    #expect(client.authorizationStatus() == .authorized)
    #expect(await client.requestAuthorization() == .authorized)
    #expect(await client.engines().filter(\.isInUse).map(\.name) == [engine.name])
    #expect(await client.supportedLocales() == engine.models().map(\.language))
  }

  @Test func `an engine that is overridden at the call takes precedence`() async throws {
    let client = SpeechClient.live(on: engine)
    let inner = try await withDependencies {
      $0.speechEngine = other
    } operation: {
      try await words(client)
    }
    #expect(inner == ["stop"])
    #expect(try await words(client) == ["go"])
  }

  @Test func `an outer client that is called in an inner scope uses the inner engine`() async throws
  {
    try await withDependencies {
      $0.speechEngine = engine
    } operation: {
      let outer = SpeechClient.liveValue
      let inner = try await withDependencies {
        $0.speechEngine = other
      } operation: {
        try await words(outer)
      }
      #expect(inner == ["stop"])
    }
  }

  @Test func `a client uses the microphone of the scope that it was made in`() async throws {
    let client = withDependencies {
      $0.speechEngine = engine
      $0.audioRecorder.capture = { _ in
        AsyncThrowingStream { stream in
          for buffer in audio(utterances: 1) {
            stream.yield(CapturedAudio(buffer: buffer, time: .zero))
          }
          stream.finish()
        }
      }
    } operation: {
      SpeechClient.liveValue
    }
    #expect(try await words(client, SpeechRequest(microphone: .speech)) == ["go"])
  }
}
