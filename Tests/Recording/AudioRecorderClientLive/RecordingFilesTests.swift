import AudioCore
import AudioRecorderClient
import AudioThreads
import Foundation
import SoundFile
import Synchronization
import TestTools
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingFilesTests {
  private let folder = RecordingFolder()
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 2)
  private var audio: AudioBuffer { AudioSignal.noise(seed: 2).buffer(.seconds(2), format: format) }

  /// Writes in blocks of `size` frames; returns the resulting files and their events.
  private func write(
    _ rolling: RecordingRollingRule, _ encoding: SoundFileEncoding, size: Int = 400,
    rollAt: Set<Int> = []
  ) throws -> (files: [AudioBuffer], rolled: [RecordingRollover], url: URL) {
    let url = folder.url(encoding.container.pathExtensions[0])
    let events = Mutex<[RecordingEvent]>([])
    let files = try RecordingFiles(
      url, rolling: rolling, format: format, encoding: encoding
    ) { event in events.withLock { $0.append(event) } }
    for (index, block) in audio.cut(size).enumerated() {
      if rollAt.contains(index) { files.roll() }
      try files.append(block)
    }
    try files.close()
    #expect(files.framesWritten == audio.frameCount)
    let rolled = events.withLock { $0 }.compactMap { event -> RecordingRollover? in
      if case .rolled(let change) = event { change } else { nil }
    }
    let urls = [url] + rolled.map(\.next)
    return (try urls.map { try folder.read($0) }, rolled, url)
  }

  @Test(arguments: [SoundFileEncoding.wavFloat, .flac24], [400, 1_001, 16_000])
  func `the files together contain the recording, split at the exact frame`(
    encoding: SoundFileEncoding, size: Int
  ) throws {
    let whole = try write(RecordingRollingRule(), encoding, size: size).files[0]
    let (files, rolled, _) = try write(
      RecordingRollingRule(length: .milliseconds(300)), encoding, size: size)
    #expect(files.map(\.frameCount) == Array(repeating: 2_400, count: 6) + [1_600])
    #expect(files.flatMap(\.samples) == whole.samples)
    #expect(rolled.map(\.frameCount) == Array(repeating: 2_400, count: 6))
  }

  @Test func `files of linear PCM do not exceed the requested size`() throws {
    let (files, rolled, url) = try write(RecordingRollingRule(byteCount: 20_000), .wav16)
    #expect(rolled.count == 3)
    #expect(files.map(\.frameCount).reduce(0, +) == 16_000)
    for file in [url] + rolled.map(\.next) {
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
      #expect(size <= 20_000)
    }
  }

  @Test func `encoded files that are split at a size limit lose no frame between files`() throws {
    let whole = try write(RecordingRollingRule(), .flac24).files[0]
    let (files, rolled, _) = try write(RecordingRollingRule(byteCount: 12_000), .flac24)
    #expect(rolled.count > 0)
    #expect(files.flatMap(\.samples) == whole.samples)
  }

  @Test func `a roll command continues in the next file at the next frame`() throws {
    let (files, rolled, url) = try write(RecordingRollingRule(), .wavFloat, rollAt: [1, 5])
    #expect(files.map(\.frameCount) == [400, 1_600, 14_000])
    #expect(files.flatMap(\.samples) == audio.samples)
    #expect(rolled.first?.finished == url)
  }

  @Test func `a roll command before the first frame of a file has no effect`() throws {
    let (files, _, _) = try write(RecordingRollingRule(), .wavFloat, rollAt: [0])
    #expect(files.map(\.frameCount) == [16_000])
  }

  @Test func `if no next file can be created, the current file continues for a second`() throws {
    let locked = try LockableFolder(in: folder)
    let (url, next) = (locked.url("take.wav"), locked.url("take-001.wav"))
    let files = try RecordingFiles(
      url, rolling: RecordingRollingRule(length: .milliseconds(100)), format: format,
      encoding: .wavFloat
    ) { _ in }
    try locked.lock()
    let blocks = audio.cut(400)
    for block in blocks.prefix(22) { try files.append(block) }
    let error = #expect(throws: AudioRecorderError.self) { try files.append(blocks[22]) }
    guard case .file(let file, _) = error else { throw Missing() }
    #expect(file.path == next.path)
    try files.close()
    try locked.unlock()
    #expect(try folder.read(url).samples == Array(audio.samples.prefix(2 * 8_800)))
  }

  @Test func `if the second attempt to create the next file succeeds, that file is used`() throws {
    let locked = try LockableFolder(in: folder)
    let (url, next) = (locked.url("take.wav"), locked.url("take-001.wav"))
    let files = try RecordingFiles(
      url, format: format, encoding: .wavFloat
    ) { _ in }
    try locked.lock()
    for (index, block) in audio.cut(400).enumerated() {
      if index == 1 { files.roll() }
      if index == 2 { try locked.unlock() }
      try files.append(block)
    }
    try files.close()
    let (first, second) = (try folder.read(url), try folder.read(next))
    #expect(first.frameCount == 8_400)
    #expect(first.samples + second.samples == audio.samples)
  }

  @Test func `a disk that is almost full is reported once`() throws {
    var free = 10_000_000
    let told = Mutex<[RecordingEvent]>([])
    // The recording grows by 64,000 bytes a second, so 10 MB last for more than two minutes.
    let files = try RecordingFiles(
      folder.url("wav"), format: format, encoding: .wavFloat,
      freeSpace: { _ in free }, report: { event in told.withLock { $0.append(event) } })
    for block in audio.cut(8_000) { try files.append(block) }
    #expect(told.withLock { $0.isEmpty })
    free = 1_280_000
    for block in audio.cut(8_000) { try files.append(block) }
    try files.close()
    guard case .diskLow(let left) = told.withLock({ $0 }).first else { throw Missing() }
    #expect(told.withLock { $0.count } == 1)
    #expect(abs(left.inSeconds - 20) < 0.1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `the next file is written while the previous one is still being completed`() throws {
    let isWritten = try WakeUp()
    let events = Mutex<[RecordingEvent]>([])
    let url = folder.url("wav")
    let files = try RecordingFiles(
      url, format: format, encoding: .wavFloat,
      storing: ThreadPool(name: "syrinx-store", joinDelay: .seconds(3_600)),
      closing: { writer throws(SoundFileError) in
        isWritten.wait()
        try writer.close()
      }, report: { event in events.withLock { $0.append(event) } })
    let blocks = audio.cut(8_000)
    try files.append(blocks[0])
    files.roll()
    try files.append(blocks[1])
    #expect(files.framesWritten == 16_000)
    #expect(events.withLock { $0.isEmpty })
    isWritten.signal()
    try files.close()
    guard case .rolled(let rolled) = events.withLock({ $0 }).first else { throw Missing() }
    #expect(rolled.finished == url && rolled.frameCount == 8_000)
    #expect(try folder.read(rolled.next).samples == blocks[1].samples)
  }

  @Test func `a file that cannot be completed fails the recording`() throws {
    let url = folder.url("wav")
    let files = try RecordingFiles(
      url, format: format, encoding: .wavFloat,
      closing: { _ throws(SoundFileError) in throw .diskFull(path: "first") }, report: { _ in })
    let blocks = audio.cut(8_000)
    try files.append(blocks[0])
    files.roll()
    try files.append(blocks[1])
    #expect(throws: AudioRecorderError.diskFull(url)) { try files.close() }
    #expect(files.framesWritten == 16_000)
  }

  @Test func `an empty next file is removed when the recording fails`() throws {
    let url = folder.url("wav")
    let files = try RecordingFiles(
      url, format: format, encoding: .wavFloat,
      closing: { _ throws(SoundFileError) in throw .diskFull(path: "first") }, report: { _ in })
    let blocks = audio.cut(4_000)
    try files.append(blocks[0])
    files.roll()
    try files.append(blocks[1])
    files.roll()
    // The first file could not be completed, which is detected when the third file is opened.
    #expect(throws: AudioRecorderError.diskFull(url)) { try files.append(blocks[2]) }
    #expect(throws: AudioRecorderError.self) { try files.close() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.directory.path).count == 2)
  }

  private struct Missing: Error {}
}

/// A folder that a test can make unreachable; files that are already open stay open.
private struct LockableFolder {
  private let folder: URL
  private let way: URL

  init(in parent: RecordingFolder) throws {
    folder = parent.directory.appending(path: "folder")
    way = parent.directory.appending(path: "way")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try unlock()
  }

  func url(_ name: String) -> URL { way.appending(path: name) }

  func unlock() throws {
    try FileManager.default.createSymbolicLink(at: way, withDestinationURL: folder)
  }

  func lock() throws { try FileManager.default.removeItem(at: way) }
}
