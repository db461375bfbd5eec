import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// The sound card that a recorder uses if it is called outside the scope that created it.
@Suite struct RecorderScopeTests {
  private let folder = RecordingFolder()
  private let card = RecorderScopeTests.card(level: 0.25)
  private let other = RecorderScopeTests.card(level: 0.5)

  private static func card(level: Float) -> VirtualSoundCard {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let audio = AudioSignal { _, _ in level }.buffer(100, format: format)
    return VirtualSoundCard(pace: .untimed, microphone: .buffer(audio))
  }

  /// Returns the different levels in the captured audio.
  private func captured(by recorder: AudioRecorderClient) async throws -> Set<Float> {
    try await recorder.capture(request: CaptureRequest())
      .reduce(into: []) { $0.formUnion($1.buffer.samples) }
  }

  @Test
  func `a recorder made in a scope captures on the scope's card, even after the scope has ended`()
    async throws
  {
    let recorder = withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      AudioRecorderClient.liveValue
    }
    #expect(try await captured(by: recorder) == [0.25])
  }

  @Test func `live(on:) captures, records, and lists devices on its card`() async throws {
    let recorder = AudioRecorderClient.live(on: card.soundCard)
    #expect(try await captured(by: recorder) == [0.25])
    #expect(await recorder.requestRecordPermission())
    #expect(try await recorder.devices() == card.soundCard.devices())
    let url = folder.url("wav")
    let request = RecordingRequest(url: url, encoding: .wavFloat)
    for try await _ in await recorder.recording(request: request) {}
    #expect(Set(try folder.read(url).samples) == [0.25])
    #expect(try await recorder.startRecording(url: folder.url("flac")))
  }

  @Test func `a sound card overridden at the call takes precedence`() async throws {
    let recorder = AudioRecorderClient.live(on: card.soundCard)
    let levels = try await withDependencies {
      $0.soundCard = other.soundCard
    } operation: {
      try await captured(by: recorder)
    }
    #expect(levels == [0.5])
    #expect(try await captured(by: recorder) == [0.25])
  }

  @Test func `a sound card overridden at the call takes precedence over an open device`()
    async throws
  {
    let endless = VirtualSoundCard(pace: .untimed)
    let recorder = AudioRecorderClient.live(on: endless.soundCard)
    var capture = await recorder.capture(request: CaptureRequest()).makeAsyncIterator()
    #expect(try await capture.next() != nil)
    let levels = try await withDependencies {
      $0.soundCard = other.soundCard
    } operation: {
      try await captured(by: recorder)
    }
    #expect(levels == [0.5])
  }

  @Test func `a recorder called in an inner scope captures on the inner scope's card`()
    async throws
  {
    let levels = try await withRecorder(on: card) { recorder in
      try await withDependencies {
        $0.soundCard = other.soundCard
      } operation: {
        try await captured(by: recorder)
      }
    }
    #expect(levels == [0.5])
  }
}
