import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

/// Events while a microphone is lost.
@Suite(.timeLimit(.minutes(5))) struct ReturningMicrophoneTests {
  /// Unplugs the microphone half a second after it opens, for three seconds; the last captured
  /// period is lost.
  private let fault = VirtualFault.unplugged(at: 4_000, for: .seconds(3))

  @Test func `a lost device is opened again with the dependencies of its first request`()
    async throws
  {
    let clocks = Mutex<[Bool]>([])
    let harness = RecorderHarness(faults: [fault]) { soundCard, _ in
      let open = soundCard.openCapture
      soundCard.openCapture = { request in
        @Dependency(\.continuousClock) var clock
        let isHarnessClock = clock is TestClock<Duration>
        clocks.withLock { $0.append(isHarnessClock) }
        return try await open(request)
      }
    }
    let recording = await harness.start(length: .seconds(4))
    await lose(harness)
    await harness.clock.advance(by: .seconds(3))
    try await harness.finish(recording)
    let isHarnessClock = clocks.withLock { $0 }
    #expect(isHarnessClock.count >= 2 && isHarnessClock.allSatisfy { $0 })
  }

  @Test func `a device lost again before its first frame reports one loss and one gap`()
    async throws
  {
    let openings = Mutex(0)
    let harness = RecorderHarness(faults: [fault]) { soundCard, _ in
      let open = soundCard.openCapture
      soundCard.openCapture = { request in
        let pcm = try await open(request)
        let number = openings.withLock { count in
          count += 1
          return count
        }
        // After `close`, every call reports a loss.
        if number == 2 { pcm.close() }
        return pcm
      }
    }
    let recording = await harness.start(length: .seconds(6))
    await lose(harness)
    await harness.clock.advance(by: .seconds(3))
    try await harness.finish(recording)
    #expect(harness.events.count { $0 == .deviceLost } == 1)
    // The device that is reopened after 3 s is lost at once, and is reopened again after 4 s. The
    // frames that were not read before the loss lengthen the gap.
    let gap = try #require(harness.gaps.first)
    #expect(harness.gaps.count == 1)
    #expect((.milliseconds(4_020)...(.milliseconds(4_200))).contains(gap), "\(gap)")
    let samples = try harness.samples()
    let back = 3_840 + FrameCount(gap, at: 8_000).rawValue
    #expect(samples.count == 48_000)
    try #require(back < samples.count)
    #expect(samples[back - 1] == 0 && samples[back] == counted(0))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test(arguments: [8_000, 16_000] as [SampleRate])
  func `a returned device can be lost again, even with another rate`(rate: SampleRate)
    async throws
  {
    let openings = Mutex(0)
    let harness = RecorderHarness(faults: [fault]) { soundCard, clock in
      let later = FrameCount(.milliseconds(500), at: rate)
      let other = VirtualSoundCard(
        pace: .lockstep(clock), microphone: .counting,
        faults: [.unplugged(at: later, for: .seconds(3))], sampleRate: rate)
      let open = soundCard.openCapture
      soundCard.openCapture = { request in
        let isFirst = openings.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? try await open(request) : try await other.soundCard.openCapture(request)
      }
    }
    let recording = await harness.start(length: .seconds(6))
    while harness.gaps.count < 2 { await harness.pass(1) }
    try await harness.finish(recording)
    #expect(harness.events.count { $0 == .deviceLost } >= 2)
    #expect(try harness.samples().count == 48_000)
  }

  @Test func `a capture that begins while the device is lost waits or fails, as requested`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault])
    let recording = await harness.start(length: .seconds(4))
    await lose(harness)
    let failing = await harness.capture(CaptureRequest())
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      for try await _ in failing {}
    }
    let begun = Gate()
    let waiting = await harness.capture(
      CaptureRequest(device: nil, framesPerBuffer: nil, onDeviceLoss: .wait(atMost: .seconds(60))))
    let capture = Task {
      for try await block in waiting {
        begun.open()
        #expect(block.gap == nil)
      }
    }
    await harness.clock.advance(by: .seconds(3))
    while !begun.isOpen { await harness.pass(1) }
    capture.cancel()
    try await capture.value
    try await harness.finish(recording)
    #expect(try harness.samples().count == 32_000)
  }

  @Test func `an error that is not a loss ends the capture at once`() async throws {
    let failure = SoundCardError.failed("virtual", operation: "read", code: 5, reason: "it is ill")
    let harness = RecorderHarness(faults: []) { soundCard, _ in
      let open = soundCard.openCapture
      soundCard.openCapture = { request in FailingWaitCapture(try await open(request), failure) }
    }
    let recording = await harness.start()
    await #expect(throws: AudioRecorderError.device("virtual", reason: "\(failure)")) {
      try await recording.value
    }
    #expect(!harness.events.contains(.deviceLost))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  private func lose(_ harness: RecorderHarness) async {
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
  }
}

/// A microphone whose `wait` fails.
private final class FailingWaitCapture: CapturePCM {
  private let pcm: any CapturePCM
  private let failure: SoundCardError

  init(_ pcm: any CapturePCM, _ failure: SoundCardError) {
    (self.pcm, self.failure) = (pcm, failure)
  }

  var configuration: PCMConfiguration { pcm.configuration }
  var waker: WakeUp { pcm.waker }
  var elapsed: Duration { pcm.elapsed }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp { throw failure }

  func start() {}
  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer { .frames(0) }
  func drop() {}
  func close() { pcm.close() }
}
