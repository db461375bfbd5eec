import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// Each test runs in a separate process, in which no other test uses threads, descriptors, or
/// memory.
@Suite struct LeftoversTests {
  @Test func `a thousand canceled recordings leave nothing but their files`() async {
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

  @Test func `a thousand canceled captures leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      try await leavesNothing { recorder, index in
        for try await _ in await recorder.capture(request: CaptureRequest()) where index % 3 == 0 {
          break
        }
      }
    }
  }

  @Test func `1,200 recordings canceled at once complete their files and end their threads`()
    async
  {
    await #expect(processExitsWith: .success) {
      let folder = RecordingFolder()
      // Without this clock, the virtual card would run at full speed and fill the 1,200 files.
      let clock = TestClock()
      let card = VirtualSoundCard(
        pace: .lockstep(clock), microphone: .signal(.noise(seed: 2)), keepsPlayback: false)
      let urls = (0..<1_200).map { _ in folder.url("wav") }
      try await withRecorder(on: card) { recorder in
        let recordings = urls.map { url in
          let begun = Gate()
          let task = Task {
            defer { begun.open() }
            for try await event in await recorder.recording(request: RecordingRequest(url: url)) {
              if case .levels = event { begun.open() }
            }
          }
          return (task, begun)
        }
        await clock.advance(until: Task { for (_, begun) in recordings { await begun.wait() } })
        // Each running recording has two threads, one of which syncs its file, so 1,200 recordings
        // have 2,400.
        #expect(try ProcessResources.threadNames().count <= 2_404)
        for (task, _) in recordings { task.cancel() }
        for (task, _) in recordings { _ = await task.result }
        // A thread stays in the system's table for a moment after its work, so count repeatedly.
        var count = try ProcessResources.threadNames().count
        for _ in 0..<10_000 where count > 4 {
          await Task.yield()
          count = try ProcessResources.threadNames().count
        }
        #expect(count <= 4)
      }
      #expect(card.openDeviceCount == 0)
      let lengths = try urls.map { try folder.read($0).frameCount }
      #expect(lengths.allSatisfy { $0 > 0 }, "\(lengths)")
    }
  }
}

/// Begins `body` a thousand times, and cancels it at an arbitrary point before or during a capture.
private func leavesNothing(
  _ body: @escaping @Sendable (AudioRecorderClient, _ index: Int) async throws -> Void
) async throws {
  let card = VirtualSoundCard(pace: .untimed)
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
