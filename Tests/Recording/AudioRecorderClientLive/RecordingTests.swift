import AudioCore
import AudioRecorderClient
import AudioThreads
import FoundationEssentials
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(5))) struct RecordingTests {
  private let folder = RecordingFolder()
  private let idle = Recording(
    RecordingRequest(url: URL(filePath: "a.wav")), on: CaptureDevices(), threads: RecordingThreads()
  ) { _ in }

  @Test func `a recording stopped after a suspend of an hour is complete at once`()
    async throws
  {
    let hour: FrameCount = 28_800_000
    let card = VirtualSoundCard(
      pace: .untimed, microphone: .counting, faults: [.suspended(at: 1_600, lost: hour)],
      sampleRate: 8_000)
    let url = folder.url("wav")
    let isKnown = try WakeUp()
    let current = Mutex<Recording?>(nil)
    let recording = Recording(
      RecordingRequest(url: url, sampleRate: 8_000, channelCount: 1), on: CaptureDevices(),
      threads: RecordingThreads()
    ) { event in
      // The event is reported on the thread that is about to write the silence, so this handler
      // blocks that thread.
      guard case .xrun = event else { return }
      isKnown.wait()
      current.withLock { $0 }?.stop()
    }
    current.withLock { $0 = recording }
    isKnown.signal()
    recording.start(on: card.soundCard, clock: ContinuousClock())
    let finish = try await recording.ended()
    #expect(finish.reason == .stopped)
    #expect(finish.frameCount >= 80_000 && finish.frameCount <= 80_000 + 1_600)
    #expect(try folder.read(url).frameCount == finish.frameCount)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `each command is applied once, and in order`() {
    #expect(!idle.hasCommands)
    idle.send(.pause)
    idle.send(.roll)
    #expect(idle.hasCommands)
    #expect(idle.popCommands(at: 0) == [.pause, .roll])
    #expect(idle.popCommands(at: 0).isEmpty)
    #expect(!idle.hasCommands)
  }

  @Test func `a command does not affect audio captured before it`() {
    idle.send(.pause, from: 3)
    idle.send(.resume, from: 5)
    #expect(idle.popCommands(at: 2).isEmpty)
    #expect(idle.popCommands(at: 4) == [.pause])
    #expect(idle.popCommands(at: 5) == [.resume])
  }
}
