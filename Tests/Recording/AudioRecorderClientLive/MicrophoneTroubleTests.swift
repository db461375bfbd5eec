import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import TestTools
import Testing
import VirtualSoundCard

/// A virtual microphone that sleeps or stalls.
@Suite(.timeLimit(.minutes(5))) struct MicrophoneTroubleTests {
  @Test func `silence in the file replaces the frames lost in a suspend`() async throws {
    let card = card(.suspended(at: 1_600, lost: 800))
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    let events = try await record(url, on: card)
    #expect(events.contains(.xrun(.milliseconds(100))))
    let samples = try SoundFileReader(url: url).read(atMost: 8_000).samples
    #expect(samples.count == 4_000)
    // The silence is written as soon as the suspend is reported, so it comes before the frames that
    // were still in the device's buffer.
    let before = try #require(samples.firstIndex(of: 0))
    #expect(before <= 1_600)
    #expect(samples[before..<(before + 800)].allSatisfy { $0 == 0 })
    #expect(samples[(before + 800)...].allSatisfy { $0 != 0 })
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a stalling microphone is reported as lost, and its earlier frames are in the file`()
    async throws
  {
    let harness = RecorderHarness(faults: [.stalled(at: 1_600)])
    let recording = await harness.start(.fail)
    // A second is enough, unless the machine is so busy that waits end late.
    await harness.clock.advance(by: .seconds(10))
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await recording.value }
    let isCaptured = try harness.samples() == (0..<1_600).map(counted)
    #expect(isCaptured)
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a microphone that is never ready fails, and the previous file stays as it was`()
    async throws
  {
    let card = card(.neverReady)
    let url = temporaryURL()
    let old = Data("old".utf8)
    try old.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      try await record(url, on: card)
    }
    #expect(try Data(contentsOf: url) == old)
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a recording waits two seconds for a driver to resume, and the gap is silence`()
    async throws
  {
    let harness = RecorderHarness(faults: [.suspended(at: 1_600, lost: 800, resuming: .seconds(2))])
    let recording = await harness.start(.fail, length: .seconds(3))
    await harness.clock.advance(by: .seconds(4))
    try await recording.value
    #expect(harness.events.contains(.xrun(.milliseconds(2_100))))
    let samples = try harness.samples()
    #expect(samples.count == 24_000)
    let silences = samples.indices.filter { samples[$0] == 0 }
    #expect(silences.count == 16_800)
    let first = try #require(silences.first)
    let isOneGap = silences.elementsEqual(first..<first + 16_800)
    #expect(isOneGap && first <= 1_600)
    let isAfter = samples[18_400...].elementsEqual((18_400..<24_000).map(counted))
    #expect(isAfter)
    #expect(harness.card.openDeviceCount == 0)
  }

  @Test func `if a driver cannot resume after a suspend, silence replaces the lost frames`()
    async throws
  {
    let harness = RecorderHarness(faults: [.suspended(at: 1_600, lost: 800, isEmptied: true)])
    let recording = await harness.start(.fail, length: .seconds(1))
    await harness.clock.advance(by: .seconds(2))
    try await recording.value
    let samples = try harness.samples()
    #expect(samples.count == 8_000)
    let silences = samples.indices.filter { samples[$0] == 0 }
    let gap = try #require(silences.first)..<2_400
    #expect(gap.lowerBound < 1_600)
    #expect(silences == Array(gap))
    let isRight = samples.indices.allSatisfy { gap.contains($0) || samples[$0] == counted($0) }
    #expect(isRight)
    #expect(harness.card.openDeviceCount == 0)
  }

  @Test func `a sound server that hangs up counts as lost, and earlier frames are in the file`()
    async throws
  {
    let harness = RecorderHarness(faults: [.hungUp(at: 4_000)])
    let recording = await harness.start(.fail)
    await harness.clock.advance(by: .seconds(1))
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await recording.value }
    let samples = try harness.samples()
    let isCaptured = samples.elementsEqual((0..<samples.count).map(counted))
    #expect(isCaptured && samples.count >= 2_400)
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `a recording waiting for a sound server resumes and reports the gap`()
    async throws
  {
    let harness = RecorderHarness(faults: [.hungUp(at: 4_000)])
    let recording = await harness.start(length: .seconds(3))
    while !harness.events.contains(.deviceLost) { await harness.pass(1) }
    try await harness.finish(recording)
    #expect(harness.gaps.count == 1)
    #expect(try #require(harness.gaps.first) >= .seconds(1))
    #expect(try harness.samples().count == 24_000)
    #expect(harness.finish?.reason == .lengthReached)
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test(arguments: [
    [VirtualFault.shortTransfers(atMost: 130)], [.refusedTransfers(every: 2)],
    [.shortTransfers(atMost: 250), .refusedTransfers(every: 3)],
  ])
  func `short and refused reads lose no frame`(faults: [VirtualFault]) async throws {
    let harness = RecorderHarness(faults: faults)
    let recording = await harness.start(.fail, length: .seconds(1))
    await harness.clock.advance(by: .seconds(2))
    try await recording.value
    let isCaptured = try harness.samples() == (0..<8_000).map(counted)
    #expect(isCaptured)
    let isTroubled = harness.events.contains { if case .xrun = $0 { true } else { false } }
    #expect(!isTroubled)
    #expect(harness.card.openDeviceCount == 0)
  }

  @Test func `a microphone that refuses every read is reported as lost`() async throws {
    let harness = RecorderHarness(faults: [.refusedTransfers(every: 1)])
    let (recording, _) = await harness.begin(RecordingRequest(url: harness.url, channelCount: 1))
    await harness.clock.sleepers(atLeast: 1)
    // The microphone refuses every read, so it overruns and recovers a hundred times before it
    // counts as lost.
    await harness.clock.advance(by: .seconds(60))
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await recording.value }
    #expect(!FileManager.default.fileExists(atPath: harness.url.path))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test
  func `the error of a busy microphone names the program that uses it; the next attempt succeeds`()
    async throws
  {
    let holder = DeviceHolder(name: "arecord", processID: 42)
    let harness = RecorderHarness(faults: [.busy(holder: holder, times: 1)])
    let refused = await harness.start(.fail)
    let error = await #expect(throws: AudioRecorderError.self) { try await refused.value }
    #expect(error.map { "\($0)".contains("arecord (process 42)") } == true)
    #expect(harness.card.openDeviceCount == 0)
    let recording = await harness.start(.fail, length: .seconds(1))
    await harness.clock.advance(by: .seconds(2))
    try await recording.value
    #expect(try harness.samples().count == 8_000)
  }

  @Test func `a microphone that does not open is reported as lost after 5 s, without a file`()
    async throws
  {
    let harness = RecorderHarness(faults: [.blocked(in: .open)])
    let (recording, _) = await harness.begin(RecordingRequest(url: harness.url, channelCount: 1))
    await harness.clock.sleepers(atLeast: 1)
    await harness.clock.advance(by: .seconds(5))
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await recording.value }
    #expect(!FileManager.default.fileExists(atPath: harness.url.path))
    while harness.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `stop ends a recording at once even if opening its microphone hangs`() async throws {
    let harness = RecorderHarness(faults: [.blocked(in: .open)])
    let (recording, _) = await harness.begin(RecordingRequest(url: harness.url, channelCount: 1))
    await harness.clock.sleepers(atLeast: 1)
    await harness.stop()
    _ = await recording.result
    #expect(harness.card.openDeviceCount == 0)
  }

  /// Returns a sound card whose microphone captures a constant level, so silence is recognizable.
  private func card(_ fault: VirtualFault) -> VirtualSoundCard {
    let constant = AudioBuffer(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1),
      samples: [Float](repeating: 0.5, count: 8_000))
    return VirtualSoundCard(
      pace: .untimed, microphone: .buffer(constant), faults: [fault])
  }

  private func temporaryURL() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID().uuidString).wav")
  }

  private func record(_ url: URL, on card: VirtualSoundCard) async throws -> [RecordingEvent] {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      let stream = await recorder.recording(
        request: RecordingRequest(
          url: url, sampleRate: 8_000, channelCount: 1, maximumDuration: .milliseconds(500)))
      return try await stream.reduce(into: []) { $0.append($1) }
    }
  }
}
