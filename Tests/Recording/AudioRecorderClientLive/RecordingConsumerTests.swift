import AudioCore
import AudioRecorderClient
import Foundation
import SoundCard
import Synchronization
import TestTools
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingConsumerTests {
  private let folder = RecordingFolder()
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  private let second = LevelRule(threshold: Decibels(-40), hold: .seconds(1))

  @Test func `silence in place of lost frames does not count as silence that ends the recording`()
    throws
  {
    let url = folder.url("wav")
    let request = RecordingRequest(
      url: url, encoding: .wavFloat, warnBelow: second, endAfterSilence: second)
    let (events, finish) = try record(request, [block(4_000), block(4_000, lost: 24_000)])
    #expect(events.count { if case .silentMicrophone = $0 { true } else { false } } == 0)
    #expect(events.levels.map(\.level.peak) == Array(repeating: Decibels(amplitude: 0.5), count: 2))
    #expect(events.levels.last?.recorded == .seconds(4))
    #expect(finish.reason == .deviceEnded && finish.frameCount == 32_000)
    let samples = try folder.read(url).samples
    #expect(samples[..<4_000].allSatisfy { abs($0) == 0.5 })
    #expect(samples[4_000..<28_000].allSatisfy { $0 == 0 })
    #expect(samples[28_000...].allSatisfy { abs($0) == 0.5 })
  }

  @Test func `NaN and infinite samples are reported`() throws {
    var damaged = block(4_000)
    damaged.nonFiniteCount = 3
    let (events, _) = try record(RecordingRequest(url: folder.url("wav")), [block(4_000), damaged])
    #expect(events.contains(.nonFinite(sampleCount: 3)))
  }

  @Test func `a recording ended by a gap contains all frames before the gap`() throws {
    let url = folder.url("wav")
    let request = RecordingRequest(
      url: url, encoding: .wavFloat, sampleRate: 16_000, gaps: .stop)
    let (_, finish) = try record(request, [block(4_000), block(4_000, lost: 800)])
    #expect(finish.reason == .gap && finish.frameCount == 8_000)
    #expect(try folder.read(url).frameCount == 8_000)
  }

  @Test func `clipped samples before the beginning are not counted`() throws {
    let request = RecordingRequest(url: folder.url("wav"), start: .onCommand)
    var blocks = 0
    let (events, _) = try record(
      request, Array(repeating: block(800, amplitude: 1), count: 4)
    ) { recording in
      blocks += 1
      if blocks == 3 { recording.send(.start) }
    }
    #expect(events.levels.map { $0.channels[0].clippedSamples } == [0, 0, 800, 1_600])
  }

  @Test func `the position of a pause includes silence that may be trimmed later`() throws {
    let request = RecordingRequest(url: folder.url("wav"), trim: second)
    var blocks = 0
    let (events, _) = try record(
      request,
      Array(repeating: block(4_000), count: 1)
        + Array(repeating: block(4_000, amplitude: 0), count: 2) + [block(4_000)]
    ) { recording in
      blocks += 1
      if blocks == 3 { recording.send(.pause) }
      if blocks == 4 { recording.send(.resume) }
    }
    // A pause fades out over 40 frames, which are 5 ms.
    #expect(events.contains(.paused(.milliseconds(1_005))))
    #expect(events.contains(.resumed(.milliseconds(1_005))))
  }

  @Test
  func `blocks are processed in batches only if level reports are rare and no command is pending`()
    throws
  {
    #expect(try batchDuration() == .zero)
    #expect(try batchDuration(.seconds(1)) == .milliseconds(250))
    #expect(try batchDuration(.seconds(1), length: .milliseconds(40)) == .milliseconds(40))
    #expect(try batchDuration(.seconds(1), start: .onCommand) == .zero)
    #expect(try batchDuration(.seconds(1), command: .pause) == .zero)
  }

  @Test func `a stop during a gap of minutes does not wait until the gap's silence is written`()
    throws
  {
    let request = RecordingRequest(
      url: folder.url("wav"), rolling: RecordingRollingRule(length: .seconds(60)))
    let gap = block(4_000, lost: 4_800_000)
    let stop = Mutex<Duration?>(nil)
    let (_, finish) = try record(
      request, [block(4_000), gap, block(4_000)],
      onEvent: { event, recording in
        guard case .rolled = event else { return }
        recording.stop()
        stop.withLock { $0 = $0 ?? recording.recorded }
      })
    let length = stop.withLock { $0 }
    let stoppedAt = try #require(length)
    #expect(finish.recorded <= stoppedAt + .seconds(1))
    let files = try FileManager.default.contentsOfDirectory(
      at: folder.directory, includingPropertiesForKeys: nil)
    let frameCounts = try files.map { try folder.read($0).frameCount.rawValue }
    #expect(frameCounts.reduce(0, +) == finish.frameCount.rawValue)
  }

  @Test func `after a stop, at most ten seconds of a gap are filled with silence`()
    throws
  {
    let request = RecordingRequest(url: folder.url("wav"))
    let short = [block(4_000), block(4_000, lost: 80_000)]
    #expect(try record(request, short, isStopped: true).finish.frameCount == 88_000)
    let long = [block(4_000), block(4_000, lost: 160_000)]
    #expect(try record(request, long, isStopped: true).finish.frameCount == 84_000)
  }

  private func batchDuration(
    _ interval: Duration = .milliseconds(100), length: Duration? = nil,
    start: RecordingStartRule = .immediately, command: RecordingCommand? = nil
  ) throws -> Duration {
    let request = RecordingRequest(
      url: folder.url("wav"), maximumDuration: length, start: start, levelsInterval: interval)
    let recording = Recording(request, on: CaptureDevices(), threads: RecordingThreads()) { _ in }
    if let command { recording.send(command, from: 4) }
    let consumer = try RecordingConsumer(
      recording, encoding: try request.checkedEncoding(), device: format, storing: nil)
    defer { try? consumer.finish() }
    return consumer.batchDuration
  }

  private func block(_ frames: Int, lost: FrameCount = 0, amplitude: Float = 0.5) -> CapturedAudio {
    let samples = (0..<frames).map { $0.isMultiple(of: 2) ? amplitude : -amplitude }
    return CapturedAudio(
      buffer: AudioBuffer(format: format, samples: samples), time: .zero,
      gap: lost > 0 ? CaptureGap(lost: lost) : nil)
  }

  /// Records these device blocks; returns the events and the result of the recording.
  private func record(
    _ request: RecordingRequest, _ blocks: [CapturedAudio], isStopped: Bool = false,
    before: (Recording) -> Void = { _ in },
    onEvent: @escaping @Sendable (RecordingEvent, Recording) -> Void = { _, _ in }
  ) throws -> (events: [RecordingEvent], finish: RecordingFinish) {
    let events = Mutex<[RecordingEvent]>([])
    let current = Mutex<Recording?>(nil)
    let recording = Recording(request, on: CaptureDevices(), threads: RecordingThreads()) { event in
      events.withLock { $0.append(event) }
      if let recording = current.withLock({ $0 }) { onEvent(event, recording) }
    }
    current.withLock { $0 = recording }
    defer { current.withLock { $0 = nil } }
    if isStopped { recording.stop() }
    let consumer = try RecordingConsumer(
      recording, encoding: try request.checkedEncoding(), device: format, storing: nil)
    try consumer.record(blocks) { before(recording) }
    return (events.withLock { $0 }, try #require(recording.finish))
  }
}

extension [RecordingEvent] {
  fileprivate var levels: [RecordingLevels] {
    compactMap { if case .levels(let levels) = $0 { levels } else { nil } }
  }
}
