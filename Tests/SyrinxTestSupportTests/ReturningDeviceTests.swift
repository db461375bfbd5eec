import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SyrinxTestSupport
import Testing

/// Devices that are unplugged for two seconds, in the time of a test.
@Suite(.timeLimit(.minutes(5))) struct ReturningDeviceTests {
  private let clock = TestClock()

  private func withCard<Result>(
    _ operation: (VirtualSoundCard) async throws -> Result
  ) async throws -> Result {
    let card = VirtualSoundCard(
      .init(
        pace: .lockstep(clock), microphone: .signal(.sine(440)),
        faults: [.unplugged(at: 144_000, for: .seconds(2))], sampleRate: 48_000))
    return try await withDependencies {
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
      $0.continuousClock = clock
      $0.soundCard = card.soundCard
    } operation: {
      try await operation(card)
    }
  }

  @Test(arguments: 0..<20)
  func `a recording that waits for its device has the same gap and length in every run`(
    run: Int
  ) async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    try await withCard { _ in
      @Dependency(\.audioRecorder) var recorder
      let recording = Task { [recorder] in
        var gaps: [Duration] = []
        var finish: RecordingFinish?
        let request = RecordingRequest(url: url, onDeviceLoss: .wait(atMost: .seconds(60)))
        for try await event in await recorder.recording(request: request) {
          if case .deviceReturned(let gap) = event { gaps.append(gap) }
          if case .finished(let end) = event { finish = end }
        }
        return (gaps, finish)
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(8))
      await recorder.stopRecording()
      let (gaps, finish) = try await recording.value
      #expect(gaps == [.seconds(2)])
      #expect(finish?.recorded == .seconds(8))
    }
  }

  @Test(arguments: 0..<20)
  func `a sound that waits for its device ends at the same time in every run`(
    run: Int
  ) async throws {
    try await withCard { card in
      @Dependency(\.audioPlayer) var player
      let sound = AudioSignal.sine(440).buffer(
        .seconds(5), format: AudioFormat(sampleRate: 48_000, channelCount: 1))
      let playing = Task { [player] in
        var gaps: [Duration] = []
        let request = PlaybackRequest(
          source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(60)))
        for try await event in await player.playback(request: request) {
          if case .deviceReturned(let gap) = event { gaps.append(gap) }
        }
        return gaps
      }
      await clock.advance(until: playing)
      #expect(try await playing.value == [.seconds(2)])
      #expect(clock.now.offset == .seconds(7))
      #expect(card.played.map { $0.frameCount } == [144_000, 96_000])
    }
  }
}
