import AudioCore
import AudioRecorderClient
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SyrinxTestSupport
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CaptureRecordingTests {
  let folder: TestFolder
  let file: URL

  init() throws {
    folder = try TestFolder()
    file = folder.file("talk.jsonl")
  }

  private let format = AudioFormat(sampleRate: 8_000, channelCount: 2)

  private func block(
    _ first: FrameCount, _ frames: Int, gap: CaptureGap? = nil
  ) -> CapturedAudio {
    let samples = (0..<frames * 2).map { Float($0) / 3 - Float(first.rawValue) }
    return CapturedAudio(
      buffer: AudioBuffer(format: format, samples: samples, firstFrame: first),
      time: .milliseconds(first.rawValue), gap: gap,
      capturedAt: .milliseconds(first.rawValue + 7))
  }

  private var blocks: [CapturedAudio] {
    var silenced = block(280, 80)
    silenced.nonFiniteCount = 3
    return [block(0, 80), block(80, 33), block(200, 80, gap: CaptureGap(lost: 87)), silenced]
  }

  private func captured(
    _ client: AudioRecorderClient
  ) async throws -> [CapturedAudio] {
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      try await client.capture(request: CaptureRequest()).reduce(into: []) { $0.append($1) }
    }
  }

  private func record() async throws {
    var client = AudioRecorderClient()
    client.capture = { [blocks] _ in
      AsyncThrowingStream { continuation in
        for block in blocks { continuation.yield(block) }
        continuation.finish()
      }
    }
    #expect(try await captured(client.recordingCapture(to: file)) == blocks)
  }

  @Test
  func `a capture is replayed sample by sample, with its gaps and silenced samples`()
    async throws
  {
    try await record()
    let client = try AudioRecorderClient.replayingCapture(file)
    #expect(try await captured(client) == blocks)
    await #expect(throws: ReplayError.noMoreTasks(recorded: 1)) { try await captured(client) }
  }

  @Test
  func `a truncated sound file is an error, not silence`() async throws {
    try await record()
    let sound = folder.file("talk-0.wav")
    try Data(try Data(contentsOf: sound).dropLast(400)).write(to: sound)
    let client = try AudioRecorderClient.replayingCapture(file)
    await #expect(throws: (any Error).self) { try await captured(client) }
  }

  @Test
  func `a lost microphone is replayed as the same error`() async throws {
    var client = AudioRecorderClient()
    client.capture = { _ in .finished(throwing: AudioRecorderError.deviceLost("virtual")) }
    let recorded = try client.recordingCapture(to: file)
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await captured(recorded) }
    let replayed = try AudioRecorderClient.replayingCapture(file)
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await captured(replayed) }
  }

  @Test
  func `the sound file is closed when its consumer leaves, while the client still exists`()
    async throws
  {
    let (stream, feed) = AsyncThrowingStream<CapturedAudio, any Error>.makeStream()
    feed.yield(blocks[0])
    var client = AudioRecorderClient()
    client.capture = { _ in stream }
    let recorded = try client.recordingCapture(to: file)
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      for try await _ in await recorded.capture(request: CaptureRequest()) { break }
    }
    let sound = folder.file("talk-0.wav").path
    #expect(FileManager.default.fileExists(atPath: sound))
    while try isOpen(sound) { await Task.yield() }
    withExtendedLifetime(recorded) {}
  }

  private func isOpen(_ path: String) throws -> Bool {
    let descriptors = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).contains { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")) == path
    }
  }

  @Test
  func `each capture has its own sound file`() async throws {
    var client = AudioRecorderClient()
    client.capture = { [blocks] request in
      let block = blocks[request.channels?.first ?? 0]
      return AsyncThrowingStream { continuation in
        continuation.yield(block)
        continuation.finish()
      }
    }
    let recorded = try client.recordingCapture(to: file)
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      for channel in [1, 2] {
        let stream = await recorded.capture(request: CaptureRequest(channels: [channel]))
        for try await _ in stream {}
      }
    }
    let replayed = try AudioRecorderClient.replayingCapture(file)
    #expect(try await captured(replayed) == [blocks[1]])
    #expect(try await captured(replayed) == [blocks[2]])
  }
}
