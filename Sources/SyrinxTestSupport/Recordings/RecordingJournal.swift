import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import FilePaths
import Foundation
import SoundFile
import SpeechClient

/// Writes a recording, a line at a time, on a thread of its own; the file is made by
/// the first line.
actor RecordingJournal {
  private let executor: ThreadExecutor
  private let url: URL
  private let header: RecordedHeader
  private let encoder: JSONEncoder
  private var handle: FileHandle?
  private var sounds: [Int: SoundFileWriter] = [:]
  private var taskCount = 0

  init(url: URL, header: RecordedHeader) throws {
    executor = try ThreadExecutor(name: "syrinx-journal")
    (self.url, self.header) = (url, header)
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  isolated deinit {
    sounds = [:]
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The number of a task that begins.
  func begin() throws -> Int {
    if taskCount == 0 { try open() }
    defer { taskCount += 1 }
    return taskCount
  }

  func note(_ line: RecordedLine) throws {
    try append(line)
  }

  /// Notes a block; its samples go into the WAV file of the task.
  func note(_ captured: CapturedAudio, task: Int, ns: Int64) throws {
    let writer = try sounds[task] ?? sound(of: task, captured.buffer.format)
    try writer.write(captured.buffer)
    try append(RecordedLine(task: task, ns: ns, block: RecordedBlock(captured)))
  }

  /// Notes the end of a task and completes its WAV file.
  func end(task: Int, ns: Int64, failure: (any Error)?) throws {
    try sounds.removeValue(forKey: task)?.close()
    let failed = failure.map(RecordedFailure.init)
    try append(
      RecordedLine(task: task, ns: ns, failed: failed, finished: failed == nil ? true : nil))
  }

  private func sound(of task: Int, _ format: AudioFormat) throws -> SoundFileWriter {
    let writer = try SoundFileWriter(
      url: soundURL(of: task, beside: url), format: format, encoding: .wavFloat)
    sounds[task] = writer
    return writer
  }

  private func open() throws {
    try Data().write(to: url)
    handle = try FileHandle(forWritingTo: url)
    try append(header)
  }

  private func append(_ line: some Encodable) throws {
    try handle?.write(contentsOf: try encoder.encode(line) + Data("\n".utf8))
  }
}

/// The WAV file of a task: `talk.jsonl` has `talk-0.wav`, `talk-1.wav` … beside it.
func soundURL(of task: Int, beside url: URL) -> URL {
  let path = FilePath(url)
  return path.folder.appending(FilePath("\(path.stem.text)-\(task).wav")).url
}
