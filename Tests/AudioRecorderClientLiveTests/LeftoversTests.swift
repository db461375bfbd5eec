import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import Testing
import VirtualSoundCard

/// Each in a process of its own, whose threads, descriptors and memory are nobody else's.
@Suite struct LeftoversTests {
  @Test func `a thousand recordings begun and cancelled leave nothing but their files`() async {
    await #expect(processExitsWith: .success) {
      let folder = RecordingFolder()
      try await leavesNothing { recorder, index in
        let request = RecordingRequest(url: folder.url("wav"), maximumDuration: .seconds(3_600))
        for try await event in await recorder.recording(request: request) {
          if case .started = event, index % 3 == 0 { break }
        }
      }
    }
  }

  @Test func `a thousand captures begun and cancelled leave nothing`() async {
    await #expect(processExitsWith: .success) {
      try await leavesNothing { recorder, index in
        for try await _ in await recorder.capture(request: CaptureRequest()) where index % 3 == 0 {
          break
        }
      }
    }
  }
}

/// Begins what `body` does a thousand times and ends each where it happens to be: some before they
/// begin, some while they hear something.
private func leavesNothing(
  _ body: @escaping @Sendable (AudioRecorderClient, _ index: Int) async throws -> Void
) async throws {
  let card = VirtualSoundCard(.init(pace: .untimed))
  try await withDependencies {
    $0.soundCard = card.soundCard
  } operation: {
    let recorder = AudioRecorderClient.liveValue
    func repeated(_ count: Int) async {
      for index in 0..<count {
        let hearing = Task { try await body(recorder, index) }
        if index % 3 == 2 { await recorder.stopRecording() }
        if index % 3 > 0 { hearing.cancel() }
        _ = await hearing.result
        await recorder.stopRecording()
      }
    }
    await repeated(100)
    let before = try Held()
    await repeated(1_000)
    var after = try Held()
    // The last one lets go of its descriptors in a task of its own.
    for _ in 0..<1_000 where !after.isNoMore(than: before) {
      await Task.yield()
      after = try Held()
    }
    let isNoMore = after.isNoMore(than: before)
    #expect(isNoMore, "\(after), not \(before)")
    #expect(card.openDeviceCount == 0)
  }
}
