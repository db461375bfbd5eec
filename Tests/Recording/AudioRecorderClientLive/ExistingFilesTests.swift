import AudioCore
import AudioRecorderClient
import Foundation
import SoundFile
import Synchronization
import TestTools
import Testing

@testable import AudioRecorderClientLive

/// Files of earlier recordings with the names that a new recording would use.
@Suite struct ExistingFilesTests {
  private let folder = RecordingFolder()
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  private var audio: AudioBuffer { AudioSignal.noise(seed: 4).buffer(.seconds(1), format: format) }

  private func url(_ name: String) -> URL { folder.directory.appending(path: name) }

  /// Creates a file under each name; its content is not audio.
  private func create(_ names: [String]) throws {
    for name in names { try Data(name.utf8).write(to: url(name)) }
  }

  private func isUntouched(_ name: String) throws -> Bool {
    try Data(contentsOf: url(name)) == Data(name.utf8)
  }

  private func files(
    _ name: String, _ rolling: RecordingRollingRule, mostTaken: Int = 100
  ) throws -> RecordingFiles {
    try RecordingFiles(
      url(name), rolling: rolling, format: format, encoding: .wavFloat,
      mostTaken: mostTaken
    ) { _ in }
  }

  @Test(arguments: ["out.wav", "out-%03d.wav"])
  func `file numbers in use are skipped, and the existing files are unchanged`(name: String) throws
  {
    let isPattern = name.contains("%")
    let old = ["out-001.wav", "out-002.wav", "out-004.wav"]
    try create(old)
    try FileManager.default.createSymbolicLink(
      at: url("out-005.wav"), withDestinationURL: url("nothing.wav"))
    let files = try files(name, RecordingRollingRule(length: .milliseconds(300)))
    for block in audio.cut(500) { try files.append(block) }
    try files.close()
    for name in old { #expect(try isUntouched(name), "\(name)") }
    let new =
      [isPattern ? "out-003.wav" : "out.wav"]
      + (isPattern ? [6, 7, 8] : [3, 6, 7]).map { "out-00\($0).wav" }
    let samples = try new.flatMap { try folder.read(url($0)).samples }
    #expect(samples == audio.samples)
    #expect(!FileManager.default.fileExists(atPath: url("nothing.wav").path))
  }

  @Test
  func `rolling skips a file number that is in use, and the event contains the new file's URL`()
    throws
  {
    try create(["out-001.wav"])
    let told = Mutex<[URL]>([])
    let files = try RecordingFiles(
      url("out.wav"), format: format, encoding: .wavFloat
    ) { event in
      if case .rolled(let rolled) = event { told.withLock { $0.append(rolled.next) } }
    }
    let blocks = audio.cut(4_000)
    try files.append(blocks[0])
    files.roll()
    try files.append(blocks[1])
    try files.close()
    #expect(told.withLock { $0 } == [url("out-002.wav")])
    #expect(try isUntouched("out-001.wav"))
    #expect(try folder.read(url("out-002.wav")).samples == blocks[1].samples)
  }

  @Test func `an existing file is replaced only if it has exactly the requested name`() throws {
    try create(["out.wav"])
    let files = try files("out.wav", RecordingRollingRule(length: .seconds(9)))
    try files.append(audio)
    try files.close()
    #expect(try folder.read(url("out.wav")).samples == audio.samples)
  }

  @Test func `an empty first file is discarded, whatever its number`() throws {
    try create(["out-001.wav"])
    let files = try files("out-%03d.wav", RecordingRollingRule(length: .seconds(9)))
    #expect(FileManager.default.fileExists(atPath: url("out-002.wav").path))
    try files.close()
    #expect(!FileManager.default.fileExists(atPath: url("out-002.wav").path))
    #expect(try isUntouched("out-001.wav"))
  }

  @Test func `two simultaneous recordings never write the same file`() throws {
    let first = try files("out.wav", RecordingRollingRule())
    let error = #expect(throws: AudioRecorderError.self) {
      _ = try files("out.wav", RecordingRollingRule())
    }
    guard case .file(let file, let reason) = error else { throw Missing() }
    #expect(file == url("out.wav") && reason.contains("another recorder"))
    try first.append(audio)
    try first.close()
    #expect(try folder.read(url("out.wav")).samples == audio.samples)
  }

  @Test func `the search for a free file number ends at its limit`() throws {
    try create((1...9).map { "out-\($0).wav" })
    let error = #expect(throws: AudioRecorderError.self) {
      _ = try files("out-%d.wav", RecordingRollingRule(length: .seconds(9)), mostTaken: 9)
    }
    guard case .file(let file, let reason) = error else { throw Missing() }
    #expect(file == url("out-1.wav") && reason.contains("already"))
    #expect(try isUntouched("out-9.wav"))
  }

  private struct Missing: Error {}
}
