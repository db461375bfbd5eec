import AudioCore
import AudioRecorderClient
import Foundation
import SoundCard
import SoundFile
import TestTools
import Testing

@testable import AudioRecorderClientLive

@Suite struct DescriptorOutputTests {
  private let folder = RecordingFolder()
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 1)

  @Test func `a recording to a descriptor has silence for lost frames and the requested length`()
    throws
  {
    let url = folder.url("wav")
    let lossy = CapturedAudio(buffer: tone, time: .zero, gap: CaptureGap(lost: 20_000))
    let finish = try record(to: url, [block, lossy, block], length: .milliseconds(2_750))
    #expect(
      finish
        == RecordingFinish(
          reason: .lengthReached, frameCount: 22_000, recorded: .milliseconds(2_750),
          level: try folder.read(url).level))
    let samples = try folder.read(url).samples
    #expect(samples.count == 22_000)
    #expect(samples[..<800] == tone.samples[...])
    #expect(samples[800..<20_800].allSatisfy { $0 == 0 })
    #expect(samples[20_800..<21_600] == tone.samples[...])
  }

  @Test func `nothing is written to a descriptor if nothing is recorded, not even a header`() throws
  {
    let url = folder.url("wav")
    let finish = try record(to: url, [])
    #expect(finish.frameCount == 0)
    #expect(try Data(contentsOf: url).isEmpty)
  }

  @Test func `raw samples have no header`() throws {
    let url = folder.url("raw")
    _ = try record(to: url, [block], isRaw: true)
    #expect(try Data(contentsOf: url).count == 800 * 4)
  }

  @Test func `a descriptor gets audio at once, even if levels are seldom reported`() throws {
    let url = folder.url("wav")
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    let recording = try consumer(
      .descriptor(file.fileDescriptor), levelsInterval: .seconds(1))
    #expect(recording.batchDuration == .zero)
    try recording.finish()
  }

  @Test func `a recording to a descriptor can be encoded only as WAV`() {
    var request = RecordingRequest(url: folder.url("flac"), encoding: .flac16)
    request.destination = .descriptor(1)
    #expect(
      throws: AudioRecorderError.unsupportedFormat(
        reason: "a descriptor takes WAV, not FLAC, 16 bit")
    ) {
      _ = try request.checkedEncoding()
    }
  }

  @Test func `the caller may close its descriptor during the recording`() throws {
    let url = folder.url("wav")
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    let file = try FileHandle(forWritingTo: url)
    let recording = try consumer(.descriptor(file.fileDescriptor))
    try file.close()
    #expect(try recording.process(block, number: 0))
    try recording.finish()
    #expect(try folder.read(url).samples == tone.samples)
  }

  @Test func `nothing is written after a failed write`() throws {
    var tries = 0
    let output = try DescriptorOutput(format, on: .duplicate(1, path: "out")) {
      () throws(SoundFileError) in
      tries += 1
      throw .brokenPipe(path: "out")
    }
    for _ in 0..<2 {
      #expect(throws: AudioRecorderError.brokenPipe(reason: "the reader of out has gone")) {
        try output.append(tone)
      }
    }
    #expect(tries == 1)
  }

  @Test func `a descriptor without a reader throws brokenPipe`() throws {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    close(ends[0])
    defer { close(ends[1]) }
    #expect(throws: AudioRecorderError.brokenPipe(reason: "the reader of out has gone")) {
      _ = try record(to: .descriptor(ends[1], name: "out"), [block])
    }
  }

  private var tone: AudioBuffer { AudioSignal.sine(440).buffer(FrameCount(800), format: format) }
  private var block: CapturedAudio { CapturedAudio(buffer: tone, time: .zero) }

  private func record(
    to url: URL, _ blocks: [CapturedAudio], length: Duration? = nil, isRaw: Bool = false
  ) throws -> RecordingFinish {
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    return try record(to: .descriptor(file.fileDescriptor, isRaw: isRaw), blocks, length: length)
  }

  private func record(
    to destination: RecordingDestination, _ blocks: [CapturedAudio], length: Duration? = nil
  ) throws -> RecordingFinish {
    let request = request(destination, length: length)
    let recording = Recording(request, on: CaptureDevices(), threads: RecordingThreads()) { _ in }
    let consumer = try RecordingConsumer(
      recording, encoding: try request.checkedEncoding(), device: format, storing: nil)
    try consumer.record(blocks)
    return try #require(recording.finish)
  }

  private func consumer(
    _ destination: RecordingDestination, levelsInterval: Duration = .milliseconds(100)
  ) throws -> RecordingConsumer {
    let request = request(destination, levelsInterval: levelsInterval)
    return try RecordingConsumer(
      Recording(request, on: CaptureDevices(), threads: RecordingThreads()) { _ in },
      encoding: try request.checkedEncoding(),
      device: format, storing: nil)
  }

  private func request(
    _ destination: RecordingDestination, length: Duration? = nil,
    levelsInterval: Duration = .milliseconds(100)
  ) -> RecordingRequest {
    RecordingRequest(
      destination, encoding: .wavFloat, maximumDuration: length, levelsInterval: levelsInterval)
  }
}
