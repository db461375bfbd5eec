import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// Consumers that are canceled while they wait for the next element.
@Suite(.timeLimit(.minutes(5))) struct CanceledConsumerTests {
  private let folder = RecordingFolder()

  @Test func `a canceled recording ends with its result once its file and device are closed`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: .signal(.sine(440)))
    let url = folder.url("wav")
    let (last, openDevices, time) = try await withRecorder(on: card) { recorder in
      let stream = await recorder.recording(request: RecordingRequest(url: url))
      let consumer = Task {
        var last: RecordingEvent?
        for try await event in stream { last = event }
        return (last, card.openDeviceCount, await recorder.currentTime())
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      consumer.cancel()
      return try await consumer.value
    }
    guard case .finished(let finish) = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(finish.reason == .stopped && finish.recorded > .zero)
    #expect(openDevices == 0 && time == nil)
    #expect(try folder.read(url).frameCount == finish.frameCount)
  }

  @Test func `a canceled capture ends once its device is closed`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: .signal(.sine(440)))
    let openDevices = try await withRecorder(on: card) { recorder in
      let stream = await recorder.capture(request: CaptureRequest())
      let consumer = Task {
        for try await _ in stream {}
        return card.openDeviceCount
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      consumer.cancel()
      return try await consumer.value
    }
    #expect(openDevices == 0)
  }

  @Test func `a recording requested by a canceled task opens no device`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let url = folder.url("wav")
    try await withRecorder(on: card) { recorder in
      let consumer = Task {
        while !Task.isCancelled { await Task.yield() }
        for try await _ in await recorder.recording(request: RecordingRequest(url: url)) {}
        for try await _ in await recorder.capture(request: CaptureRequest()) {}
      }
      consumer.cancel()
      try await consumer.value
    }
    #expect(card.openDeviceCount == 0)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }
}
