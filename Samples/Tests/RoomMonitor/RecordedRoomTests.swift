import Foundation
import ListeningFeatures
import Syrinx
import SyrinxTestSupport
import Testing

/// A room that was recorded once and is replayed without a sound card.
@MainActor @Suite struct RecordedRoomTests {
  /// Noise in the last tenth of each second, otherwise silence, in place of a real room.
  private let room = AudioSignal { frame, rate in
    frame / (rate.hertz / 10) % 10 == 9 ? (frame % 2 == 0 ? 0.5 : -0.5) : 0
  }

  @Test func `every replay of a recording raises the same alarms`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let recording = folder.appending(path: "room.jsonl")
    let sound = room.buffer(.seconds(3), format: .speech)
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(sound))
    try await withDependencies {
      $0.soundCard = card.soundCard
      $0.audioRecorder = .liveValue
      $0.continuousClock = ContinuousClock()
    } operation: {
      try await record(to: recording)
    }

    let recorded = try AudioRecorderClient.replayingCapture(recording)
    let monitor = try await withDependencies {
      $0.audioRecorder = recorded
      $0.continuousClock = ImmediateClock()
    } operation: {
      let monitor = RoomMonitor()
      try await monitor.listen()
      return monitor
    }
    #expect(monitor.alarms == 3)
  }

  private func record(to recording: URL) async throws {
    @Dependency(\.audioRecorder) var recorder
    let recorded = try recorder.recordingCapture(to: recording)
    let request = CaptureRequest(droppingOldestAfter: .seconds(60), framesPerBuffer: 1_600)
    for try await _ in await recorded.capture(request: request) {}
  }
}
