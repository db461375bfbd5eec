import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

/// What else can happen while a microphone is away.
@Suite(.timeLimit(.minutes(1))) struct ReturningMicrophoneTests {
  /// Unplugged half a second after it was opened, for three seconds; its last period is not heard.
  private let fault = VirtualFault.unplugged(at: 4_000, for: .seconds(3))

  @Test func `it is opened again with the dependencies of whoever opened it first`() async throws {
    let clocks = Mutex<[Bool]>([])
    let booth = Booth(faults: [fault]) { soundCard, _ in
      let open = soundCard.openCapture
      soundCard.openCapture = { request in
        @Dependency(\.continuousClock) var clock
        let isBooths = clock is TestClock<Duration>
        clocks.withLock { $0.append(isBooths) }
        return try await open(request)
      }
    }
    let recording = await booth.start(length: .seconds(4))
    await lose(booth)
    await booth.clock.advance(by: .seconds(3))
    try await booth.finish(recording)
    let isBooths = clocks.withLock { $0 }
    #expect(isBooths.count >= 2 && isBooths.allSatisfy { $0 })
  }

  @Test func `where it is lost again before anything is heard there is one loss and one gap`()
    async throws
  {
    let openings = Mutex(0)
    let booth = Booth(faults: [fault]) { soundCard, _ in
      let open = soundCard.openCapture
      soundCard.openCapture = { request in
        let pcm = try await open(request)
        let number = openings.withLock { count in
          count += 1
          return count
        }
        // Whatever is asked of it then, it is lost.
        if number == 2 { pcm.close() }
        return pcm
      }
    }
    let recording = await booth.start(length: .seconds(6))
    await lose(booth)
    await booth.clock.advance(by: .seconds(3))
    try await booth.finish(recording)
    #expect(booth.events.count { $0 == .deviceLost } == 1)
    // Three seconds, the next try after four, and what was not fetched before.
    let gap = try #require(booth.gaps.first)
    #expect(booth.gaps.count == 1)
    #expect((.milliseconds(4_050)...(.milliseconds(4_200))).contains(gap), "\(gap)")
    let samples = try booth.samples()
    let back = 3_600 + FrameCount(gap, at: 8_000).rawValue
    #expect(samples.count == 48_000)
    try #require(back < samples.count)
    #expect(samples[back - 1] == 0 && samples[back] == counted(0))
    while booth.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test(arguments: [8_000, 16_000] as [SampleRate])
  func `one that is back can be lost again, also with another rate`(rate: SampleRate) async throws {
    let openings = Mutex(0)
    let booth = Booth(faults: [fault]) { soundCard, clock in
      let later = FrameCount(.milliseconds(500), at: rate)
      let other = VirtualSoundCard(
        .init(
          pace: .lockstep(clock), microphone: .counting,
          faults: [.unplugged(at: later, for: .seconds(3))], sampleRate: rate))
      let open = soundCard.openCapture
      soundCard.openCapture = { request in
        let isFirst = openings.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? try await open(request) : try await other.soundCard.openCapture(request)
      }
    }
    let recording = await booth.start(length: .seconds(6))
    while booth.gaps.count < 2 { await booth.pass(1) }
    try await booth.finish(recording)
    #expect(booth.events.count { $0 == .deviceLost } >= 2)
    #expect(try booth.samples().count == 48_000)
  }

  @Test func `who comes while it is away waits as well, or fails`() async throws {
    let booth = Booth(faults: [fault])
    let recording = await booth.start(length: .seconds(4))
    await lose(booth)
    let failing = await booth.capture(CaptureRequest())
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      for try await _ in failing {}
    }
    let begun = Gate()
    let waiting = await booth.capture(
      CaptureRequest(device: nil, framesPerBuffer: nil, onDeviceLoss: .wait(atMost: .seconds(60))))
    let capture = Task {
      for try await block in waiting {
        begun.open()
        #expect(block.gap == nil)
      }
    }
    await booth.clock.advance(by: .seconds(3))
    while !begun.isOpen { await booth.pass(1) }
    capture.cancel()
    try await capture.value
    try await booth.finish(recording)
    #expect(try booth.samples().count == 32_000)
  }

  @Test func `what is no loss is not waited after`() async throws {
    let failure = SoundCardError.failed("virtual", operation: "read", code: 5, reason: "it is ill")
    let booth = Booth(faults: []) { soundCard, _ in
      let open = soundCard.openCapture
      soundCard.openCapture = { request in IllCapture(try await open(request), failure) }
    }
    let recording = await booth.start()
    await #expect(throws: AudioRecorderError.device("virtual", reason: "\(failure)")) {
      try await recording.value
    }
    #expect(!booth.events.contains(.deviceLost))
    while booth.card.openDeviceCount > 0 { await Task.yield() }
  }

  private func lose(_ booth: Booth) async {
    await booth.passUntilUnplugged()
    await booth.sees { $0 == .deviceLost }
  }
}

/// A microphone that cannot be waited for.
private final class IllCapture: CapturePCM {
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
