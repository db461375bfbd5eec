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

/// Devices that are unplugged for two seconds, timed by a test clock.
@Suite(.timeLimit(.minutes(30))) struct ReturningDeviceTests {
  private func withCard<Outcome: Sendable>(
    _ operation: (VirtualSoundCard, TestClock<Duration>) async throws -> Outcome
  ) async throws -> Outcome {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)),
      faults: [.unplugged(at: 144_000, for: .seconds(2))], sampleRate: 48_000)
    return try await withDependencies {
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
      $0.continuousClock = clock
      $0.soundCard = card.soundCard
    } operation: {
      try await operation(card, clock)
    }
  }

  @Test func `a recording that waits for its device has the same gap and length in every run`()
    async throws
  {
    var outcomes: Set<[Duration]> = []
    for _ in 0..<ClosedLoopTests.runCount { outcomes.insert(try await record()) }
    // Each outcome is the length of the recording and its only gap.
    #expect(outcomes == [[.seconds(8), .milliseconds(2_020)]])
  }

  private func record() async throws -> [Duration] {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    return try await withCard { _, clock in
      @Dependency(\.audioRecorder) var recorder
      let recording = Task { [recorder] in
        var gaps: [Duration] = []
        var length = Duration.zero
        let request = RecordingRequest(url: url, onDeviceLoss: .wait(atMost: .seconds(60)))
        for try await event in await recorder.recording(request: request) {
          if case .deviceReturned(let gap) = event { gaps.append(gap) }
          if case .finished(let finish) = event { length = finish.recorded }
        }
        return [length] + gaps
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(8))
      await recorder.stopRecording()
      return try await recording.value
    }
  }

  @Test func `a sound that waits for its device ends at the same time in every run`()
    async throws
  {
    var outcomes: Set<[Duration]> = []
    for _ in 0..<ClosedLoopTests.runCount { outcomes.insert(try await play()) }
    // Each outcome is the time at which the playback ended, and its only gap.
    #expect(outcomes == [[.milliseconds(7_025), .seconds(2)]])
  }

  /// Returns the time at which the playback ended, followed by its gaps.
  private func play() async throws -> [Duration] {
    try await withCard { _, clock in
      @Dependency(\.audioPlayer) var player
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      let sound = AudioSignal.sine(440).buffer(.seconds(5), format: format)
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
      let gaps = try await playing.value
      return [clock.now.offset] + gaps
    }
  }
}
