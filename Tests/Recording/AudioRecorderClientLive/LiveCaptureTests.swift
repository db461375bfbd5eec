import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import Resampling
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

@Suite struct LiveCaptureTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  var noise: AudioBuffer { AudioSignal.noise(seed: 5).buffer(.seconds(1), format: format) }

  @Test func `captured buffers follow each other without gaps, and end with the device`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(noise))
    let captured = try await withRecorder(on: card) { recorder in
      try await recorder.capture(request: CaptureRequest(droppingOldestAfter: .seconds(60)))
        .reduce(into: []) { $0.append($1) }
    }
    #expect(captured.flatMap(\.buffer.samples) == noise.samples)
    #expect(captured.allSatisfy { $0.gap == nil })
    for (block, next) in zip(captured, captured.dropFirst()) {
      #expect(next.buffer.firstFrame == block.buffer.endFrame)
      #expect(next.time >= block.time)
    }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `captured audio can be passed directly to operators and keeps its host time`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(brokenNoise))
    let request = CaptureRequest(sampleRate: 16_000, droppingOldestAfter: .seconds(60))
    let begin = ContinuousClock.now
    let buffers = try await withRecorder(on: card) { recorder in
      try await recorder.capture(request: request).resampled(toRate: 8_000).rechunked(to: 333)
        .collect()
    }
    let times = try buffers.map { try #require($0.hostTime) }
    #expect(times.allSatisfy { $0 > begin - .seconds(2) && $0 < .now + .seconds(2) })
    #expect(buffers.reduce(0) { $0 + $1.silencedSampleCount } == 2)
    #expect(buffers.dropLast().allSatisfy { $0.frameCount == 333 })
  }

  @Test func `the hostTime of captured audio is accurate to 5 ms`() async throws {
    // For each read, the instant before the read and the index of its first frame.
    let reads = Mutex<[(at: ContinuousClock.Instant, first: FrameCount)]>([])
    let microphone = VirtualMicrophone(format: format) { [noise] _ in
      { samples, first in
        reads.withLock { $0.append((.now, first)) }
        let end = min(first + FrameCount(samples.count), noise.frameCount)
        _ = samples.update(fromContentsOf: noise.samples[first.rawValue..<end.rawValue])
        return end - first
      }
    }
    let card = VirtualSoundCard(pace: .untimed, microphone: microphone)
    let captured = try await withRecorder(on: card) { recorder in
      try await recorder.capture(request: CaptureRequest(droppingOldestAfter: .seconds(60)))
        .collect()
    }
    let times = Dictionary(
      uniqueKeysWithValues: captured.map { ($0.buffer.firstFrame, $0.buffer.hostTime) })
    let calls = reads.withLock { $0 }
    var count = 0
    for (read, next) in zip(calls, calls.dropFirst()) {
      guard let time = times[read.first] else { continue }
      // The last frame of a read has just been captured.
      let end = try #require(time) + (next.first - read.first).duration(at: format.sampleRate)
      // A slow machine may take the timestamp of a block late, but not after the next read.
      #expect(end > read.at - .milliseconds(1))
      #expect(end < max(read.at + .milliseconds(5), next.at))
      count += 1
    }
    #expect(count > 0)
  }

  /// Noise in which two samples are not finite.
  private var brokenNoise: AudioBuffer {
    var samples = noise.samples
    samples[3] = .nan
    samples[5_000] = .infinity
    return AudioBuffer(format: format, samples: samples)
  }

  @Test(arguments: [nil, 16_000] as [SampleRate?])
  func `a capture counts NaN and infinite samples and replaces them with silence`(
    rate: SampleRate?
  ) async throws {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(brokenNoise))
    let request = CaptureRequest(sampleRate: rate, droppingOldestAfter: .seconds(60))
    let captured = try await withRecorder(on: card) { recorder in
      try await recorder.capture(request: request)
        .reduce(into: [CapturedAudio]()) { $0.append($1) }
    }
    #expect(captured.reduce(0) { $0 + $1.nonFiniteCount } == 2)
    #expect(captured.allSatisfy { $0.buffer.samples.allSatisfy(\.isFinite) })
  }

  @Test func `a recording counts NaN and infinite samples`() async throws {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(brokenNoise))
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    let count = try await withRecorder(on: card) { recorder in
      try await recorder.recording(request: RecordingRequest(url: url)).reduce(0) { sum, event in
        if case .nonFinite(let count) = event { sum + count } else { sum }
      }
    }
    #expect(count == 2)
  }

  @Test(arguments: [-1, 0, 33])
  func `an impossible number of channels is refused before a device is opened`(
    channelCount: Int
  ) async {
    let reason = "a capture has 1 to 32 channels, not \(channelCount)"
    await withDependencies {
      $0.soundCard.openCapture = { _ in throw Missing() }
    } operation: {
      await #expect(throws: AudioRecorderError.unsupportedFormat(reason: reason)) {
        let request = CaptureRequest(channelCount: channelCount)
        for try await _ in await AudioRecorderClient.liveValue.capture(request: request) {}
      }
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a capture with a queue limit of zero or less still delivers audio`(limit: Duration)
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(noise))
    let captured = try await withRecorder(on: card) { recorder in
      try await recorder.capture(request: CaptureRequest(droppingOldestAfter: limit))
        .reduce(into: []) { $0.append($1) }
    }
    #expect(captured.last?.buffer.endFrame == 8_000)
  }

  @Test func `a capture at an impossible rate is refused, and its device is closed`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, sampleRate: 48_000)
    let error = await #expect(throws: AudioRecorderError.self) {
      try await withRecorder(on: card) { recorder in
        for try await _ in await recorder.capture(request: CaptureRequest(sampleRate: 100)) {}
      }
    }
    guard case .unsupportedFormat = error else { throw Missing() }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `captured buffers have the requested size, and the first buffer describes the device`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(noise))
    let captured = try await withRecorder(on: card) { recorder in
      let request = CaptureRequest(droppingOldestAfter: .seconds(60), framesPerBuffer: 300)
      return try await recorder.capture(request: request).reduce(into: []) { $0.append($1) }
    }
    #expect(captured.map(\.buffer.frameCount) == Array(repeating: 300, count: 26) + [200])
    #expect(captured.flatMap(\.buffer.samples) == noise.samples)
    #expect(captured.first?.device?.device == "virtual")
    #expect(captured.dropFirst().allSatisfy { $0.device == nil })
  }

  @Test func `a capture delivers the picked channels`() async throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 3)
    let sound = AudioBuffer(format: format, samples: (0..<2_400).map { Float($0 % 3) / 4 })
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(sound))
    let captured = try await withRecorder(on: card) { recorder in
      let request = CaptureRequest(droppingOldestAfter: .seconds(60), channels: [2])
      return try await recorder.capture(request: request).reduce(into: []) { $0.append($1) }
    }
    #expect(captured.flatMap(\.buffer.samples) == Array(repeating: 0.5, count: 800))
  }

  @Test func `a gap is reported with the block after it, at the requested rate`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)),
      faults: [.xrun(at: 9_600, lost: 4_800)], sampleRate: 48_000)
    let gap = try await withRecorder(on: card) { recorder in
      let stream = await recorder.capture(
        request: CaptureRequest(sampleRate: 16_000, channelCount: 1))
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      return try await stream.first { $0.gap != nil }
    }
    #expect(gap?.gap == CaptureGap(lost: 1_600))
    #expect(abs(try #require(gap).buffer.firstFrame.rawValue - 4_800) < 3_200)
  }

  @Test func `a capture stopped by its ID delivers all captured audio and ends`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)), sampleRate: 48_000)
    try await withRecorder(on: card) { recorder in
      let request = CaptureRequest(id: "ear")
      let stream = await recorder.capture(request: request)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      await #expect(throws: AudioRecorderError.idInUse("ear")) {
        for try await _ in await recorder.capture(request: request) {}
      }
      await #expect(throws: AudioRecorderError.unknownRecording("ear")) {
        try await recorder.control(id: "ear", command: .pause)
      }
      try await recorder.control(id: "ear", command: .stop)
      let captured = try await stream.reduce(into: []) { $0.append($1) }
      #expect(captured.last.map { $0.buffer.endFrame >= 46_000 } == true)
      #expect(captured.allSatisfy { $0.gap == nil })
      let again = await recorder.capture(request: request)
      try await recorder.control(id: "ear", command: .stop)
      for try await _ in again {}
    }
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `canceling the consumer ends the capture and closes the device`() async throws {
    let closed = Gate()
    let card = VirtualSoundCard(pace: .untimed, microphone: .signal(.sine(440)))
    var soundCard = card.soundCard
    soundCard.openCapture = { request in
      WatchedCapture(try await card.soundCard.openCapture(request: request), closed)
    }
    try await withDependencies {
      $0.soundCard = soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      for try await _ in await recorder.capture(request: CaptureRequest()) { break }
    }
    await closed.wait()
    #expect(card.openDeviceCount == 0)
  }

  private struct Missing: Error {}
}
