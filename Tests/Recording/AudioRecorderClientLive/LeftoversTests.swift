import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// Each in its own process, so that no other test uses threads, descriptors, or memory.
@Suite struct LeftoversTests {
  @Test func `a thousand cancelled recordings leave nothing but their files`() async {
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

  @Test func `a thousand cancelled captures leave nothing`() async {
    await #expect(processExitsWith: .success) {
      try await leavesNothing { recorder, index in
        for try await _ in await recorder.capture(request: CaptureRequest()) where index % 3 == 0 {
          break
        }
      }
    }
  }
}

/// Begins the work of `body` a thousand times and ends each wherever it happens to be: some before
/// they begin, some while they capture.
private func leavesNothing(
  _ body: @escaping @Sendable (AudioRecorderClient, _ index: Int) async throws -> Void
) async throws {
  let card = VirtualSoundCard(.init(pace: .untimed))
  try await withDependencies {
    $0.soundCard = card.soundCard
  } operation: {
    let recorder = AudioRecorderClient.liveValue
    let leftovers = try await ProcessResources.leftovers {
      for index in 0..<1_000 {
        let capturing = Task { try await body(recorder, index) }
        if index % 3 == 2 { await recorder.stopRecording() }
        if index % 3 > 0 { capturing.cancel() }
        _ = await capturing.result
        await recorder.stopRecording()
      }
    }
    #expect(leftovers == nil)
    #expect(card.openDeviceCount == 0)
  }
}
