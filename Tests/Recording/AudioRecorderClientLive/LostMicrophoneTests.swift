import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

/// A microphone that is lost while its users wait for it.
@Suite(.timeLimit(.minutes(5))) struct LostMicrophoneTests {
  /// Unplugs the microphone half a second after it opens, for three seconds; the last captured
  /// period is lost.
  private let fault = VirtualFault.unplugged(at: 4_000, for: .seconds(3))
  private let before = (0..<3_840).map(counted)

  @Test func `a recording resumes when its device returns, with silence of the gap's length`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault])
    let recording = await harness.start(length: .seconds(4))
    await comeBack(harness)
    try await harness.finish(recording)
    #expect(harness.events.count { $0 == .deviceLost } == 1)
    #expect(harness.finish?.reason == .lengthReached)
    let back = 3_840 + (try missing(harness))
    let samples = try harness.samples()
    #expect(samples.count == 32_000)
    let isBefore = samples.starts(with: before)
    let isSilence = samples[3_840..<back].allSatisfy { $0 == 0 }
    let isAfter = samples[back...].elementsEqual((0..<32_000 - back).map(counted))
    #expect(isBefore && isSilence && isAfter)
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `with gaps omitted, the frames before and after a loss are joined`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault])
    let recording = await harness.start(gaps: .omit, length: .seconds(1))
    await comeBack(harness)
    try await harness.finish(recording)
    _ = try missing(harness)
    let isJoined = try harness.samples() == before + (0..<4_160).map(counted)
    #expect(isJoined)
  }

  @Test func `a recording that stops at gaps ends at the device loss, without an error`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault])
    let recording = await harness.start(gaps: .stop)
    await harness.passUntilUnplugged()
    try await recording.value
    #expect(harness.finish?.reason == .gap)
    #expect(try isBefore(harness))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a device that does not return in time fails the recording, and the file is complete`()
    async throws
  {
    let harness = RecorderHarness(faults: [.unplugged(at: 4_000, for: .seconds(3_600))])
    let recording = await harness.start(.wait(atMost: .seconds(2)))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.clock.advance(by: .seconds(2))
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await recording.value }
    #expect(try isBefore(harness))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `stop ends a recording at once while its device is lost`() async throws {
    let harness = RecorderHarness(faults: [.unplugged(at: 4_000, for: .seconds(3_600))])
    let recording = await harness.start()
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.stop()
    try await recording.value
    #expect(
      harness.finish
        == RecordingFinish(
          reason: .stopped, frameCount: 3_840, recorded: .milliseconds(480),
          level: harness.finish?.level, file: harness.finish?.file))
    #expect(harness.finish?.file != nil)
    #expect(try isBefore(harness))
  }

  @Test func `canceling while the device is lost leaves a complete file and nothing open`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault])
    let recording = await harness.start()
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    recording.cancel()
    _ = await recording.result
    await harness.stop()
    await harness.clock.advance(by: .seconds(3))
    #expect(try isBefore(harness))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `after a device loss, a waiting recording resumes, and the other recording fails`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault])
    let recording = await harness.start(length: .seconds(4))
    let blocks = await harness.capture(CaptureRequest())
    let capture = Task { for try await _ in blocks {} }
    await harness.passUntilUnplugged()
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await capture.value }
    await comeBack(harness)
    try await harness.finish(recording)
    #expect(try harness.samples().count == 32_000)
  }

  @Test func `the first block after a device loss reports the lost frames`() async throws {
    let harness = RecorderHarness(faults: [fault])
    let request = CaptureRequest(
      device: nil, framesPerBuffer: nil, onDeviceLoss: .wait(atMost: .seconds(60)))
    let blocks = Blocks(await harness.capture(request))
    await harness.passUntilUnplugged()
    // A capture does not report the loss, so the test waits until the device is closed.
    while harness.card.openDeviceCount > 0 { await Task.yield() }
    while !blocks.hasGap { await harness.pass(1) }
    blocks.cancel()
    let all = blocks.all
    let index = try #require(all.firstIndex { $0.gap != nil })
    let lost = try #require(all[index].gap?.lost)
    #expect(lost >= 24_000)
    #expect(all[index].buffer.firstFrame == all[index - 1].buffer.endFrame + lost)
    #expect(all[index].buffer.samples.first == counted(0))
    #expect(all[index].capturedAt >= all[index - 1].capturedAt + .seconds(3))
  }

  @Test func `if a device returns at another rate, its audio is converted to the original rate`()
    async throws
  {
    let harness = RecorderHarness(faults: [fault]) { soundCard, clock in
      let other = VirtualSoundCard(
        pace: .lockstep(clock), microphone: .signal(.sine(440, amplitude: 0.5)),
        sampleRate: 16_000)
      let first = Mutex<(@Sendable (PCMRequest) async throws -> any CapturePCM)?>(
        soundCard.openCapture)
      soundCard.openCapture = { request in
        if let open = first.withLock({ $0.take() }) { return try await open(request) }
        return try await other.soundCard.openCapture(request: request)
      }
    }
    let recording = await harness.start(length: .seconds(4))
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    await harness.clock.advance(by: .seconds(1))
    try await harness.finish(recording)
    let samples = try harness.samples()
    #expect(samples.count == 32_000)
    let back = 3_840 + (try missing(harness, atLeast: .milliseconds(1_020)))
    let isSilence = samples[3_840..<back].allSatisfy { $0 == 0 }
    let sine = AudioSignal.sine(440, amplitude: 0.5).buffer(20_200, format: RecorderHarness.format)
      .samples
    let captured = samples[back...]
    let isSine = zip(captured, sine).dropFirst(100).dropLast(100).allSatisfy { abs($0 - $1) < 0.01 }
    #expect(isSilence && isSine)
  }

  /// Returns whether the file contains exactly the audio captured before the loss.
  private func isBefore(_ harness: RecorderHarness) throws -> Bool {
    try harness.samples() == before
  }

  /// Lets time pass until the device has been lost and opened again.
  private func comeBack(_ harness: RecorderHarness) async {
    await harness.passUntilUnplugged()
    await harness.sees { $0 == .deviceLost }
    // If the retry began to sleep only after the advance, the retry would never wake.
    await harness.clock.sleepers(atLeast: 1)
    await harness.clock.advance(by: .seconds(3))
    while harness.card.openDeviceCount == 0 { await Task.yield() }
  }

  /// Returns the length in frames of the only gap, which lasts until the device is open again.
  private func missing(
    _ harness: RecorderHarness, atLeast shortest: Duration = .milliseconds(3_020)
  ) throws -> Int {
    let gap = try #require(harness.gaps.first)
    #expect(harness.gaps.count == 1)
    #expect((shortest...(shortest + .milliseconds(150))).contains(gap), "\(gap)")
    return FrameCount(gap, at: 8_000).rawValue
  }
}

/// Collects the blocks of a capture.
private final class Blocks: Sendable {
  private let blocks = Mutex<[CapturedAudio]>([])
  private let reading = Mutex<Task<Void, any Error>?>(nil)

  init(_ stream: AsyncThrowingStream<CapturedAudio, any Error>) {
    let task = Task { [self] in
      for try await block in stream { blocks.withLock { $0.append(block) } }
    }
    reading.withLock { $0 = task }
  }

  var all: [CapturedAudio] { blocks.withLock { $0 } }
  var hasGap: Bool { all.contains { $0.gap != nil } }

  func cancel() { reading.withLock { $0 }?.cancel() }
}
