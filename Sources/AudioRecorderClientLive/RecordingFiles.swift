import AudioCore
import AudioRecorderClient
import FoundationEssentials
import SoundFile

/// What a recording is written to.
protocol RecordingOutput: AnyObject {
  /// The rate and channels of what is written.
  var format: AudioFormat { get }

  /// The frames written so far.
  var framesWritten: FrameCount { get }

  /// Goes on in the next file from the next frame on, where there are files.
  func roll()

  func append(_ buffer: AudioBuffer) throws(AudioRecorderError)

  /// Throws where a file that is not written any more could not be completed.
  func checkLast() throws(AudioRecorderError)

  /// Completes everything.
  func close() throws(AudioRecorderError)
}

/// WAV, or its samples alone, on a descriptor.
final class RecordingStream: RecordingOutput {
  let format: AudioFormat
  private let descriptor: Descriptor
  private let begin: () throws(SoundFileError) -> StreamingWAVWriter
  private var writer: StreamingWAVWriter?
  /// What the stream ended with: a part of a frame may have been written, so that nothing follows.
  private var failure: AudioRecorderError?

  /// - Parameter begin: writes the header; called with the first frames.
  init(
    _ format: AudioFormat, on descriptor: Descriptor,
    begin: @escaping () throws(SoundFileError) -> StreamingWAVWriter
  ) {
    (self.format, self.descriptor, self.begin) = (format, descriptor, begin)
  }

  var framesWritten: FrameCount { writer?.framesWritten ?? 0 }

  func append(_ buffer: AudioBuffer) throws(AudioRecorderError) {
    if let failure { throw failure }
    do throws(SoundFileError) {
      if writer == nil { writer = try begin() }
      try writer?.write(buffer)
    } catch {
      let failure = AudioRecorderError(ofDescriptor: error)
      self.failure = failure
      throw failure
    }
  }

  func roll() {}
  func checkLast() {}
  func close() {}
}

/// The file that is written, and the next one when it is time; not a frame is lost between them.
///
/// The next file is opened before the last one is closed, which a thread of its own does: what is
/// heard meanwhile waits for no disk. Where the next one cannot be opened, the last one goes on for
/// a second of audio; then it is tried once more. Only a file of the very name that was asked for is
/// replaced: existing numbers are skipped.
final class RecordingFiles: RecordingOutput {
  /// The rate and channels of every file.
  let format: AudioFormat

  private let plan: RollingPlan
  private let encoding: SoundFileEncoding
  private let report: @Sendable (RecordingEvent) -> Void
  private let freeSpace: (SoundFileWriter) -> Int?
  private let closing: FileClosing.Closing
  private var disk: DiskSpace
  private var writer: SoundFileWriter
  /// The file before this one, until it is complete.
  private var last: FileClosing?
  private var url: URL
  private var index: Int
  /// How many numbers are tried until one is free.
  private let mostTaken: Int
  private var framesBefore: FrameCount = 0
  private var wantsRoll = false
  /// Where the second try is made, after a first one that failed.
  private var retry: FrameCount?

  /// Makes the first file.
  init(
    _ url: URL, rolling: RecordingRolling = RecordingRolling(), format: AudioFormat,
    encoding: SoundFileEncoding,
    mostTaken: Int = 100_000, freeSpace: @escaping (SoundFileWriter) -> Int? = \.freeSpace,
    closing: @escaping FileClosing.Closing = { writer throws(SoundFileError) in
      try writer.close()
    },
    report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws(AudioRecorderError) {
    (self.format, self.encoding, self.report) = (format, encoding, report)
    (self.freeSpace, self.closing, self.mostTaken) = (freeSpace, closing, mostTaken)
    disk = DiskSpace(rate: format.sampleRate)
    plan = RollingPlan(rolling, url: url, format: format, encoding: encoding)
    (writer, index) = try plan.makeFile(
      from: 0, atMost: mostTaken, format: format, encoding: encoding)
    self.url = plan.file(index)
  }

  /// The frames in all files.
  var framesWritten: FrameCount { framesBefore + writer.framesWritten }

  /// Goes on in the next file from the next frame on.
  ///
  /// Where nothing is in this one yet it is as good as the next, and the wish is forgotten.
  func roll() {
    wantsRoll = writer.framesWritten > 0
  }

  func append(_ buffer: AudioBuffer) throws(AudioRecorderError) {
    var position: FrameCount = 0
    while position < buffer.frameCount {
      if writer.framesWritten > 0, wantsRoll || room == 0 { try goOnInNextFile() }
      let left = buffer.frameCount - position
      // Where there is no next file yet, the one that is full goes on.
      let count = min(left, room.flatMap { $0 > 0 ? $0 : nil } ?? left)
      let isWhole = count == buffer.frameCount
      try write(isWhole ? buffer : buffer.frames(position..<position + count))
      position += count
    }
    if disk.isDue(at: framesWritten) { lookAtDisk() }
  }

  /// Throws where a file that is not written any more could not be completed.
  func checkLast() throws(AudioRecorderError) {
    if last?.isOver == true { try finishLast() }
  }

  /// Completes all files; one that nothing was written into goes again, or never took the place of
  /// another.
  func close() throws(AudioRecorderError) {
    let outcome = Result { () throws(AudioRecorderError) in try closeCurrent() }
    try finishLast()
    try outcome.get()
  }

  /// How many more frames go into the file; nil for no limit.
  private var room: FrameCount? {
    plan.room(frames: writer.framesWritten, bytes: writer.byteCount)
  }

  private func goOnInNextFile() throws(AudioRecorderError) {
    if let retry, framesWritten < retry { return }
    let opened: (SoundFileWriter, Int)
    do throws(AudioRecorderError) {
      opened = try plan.makeFile(
        from: index + 1, atMost: mostTaken, format: format, encoding: encoding)
    } catch {
      guard retry == nil else { throw error }
      retry = framesWritten + FrameCount(.seconds(1), at: format.sampleRate)
      return
    }
    try change(to: opened)
  }

  private func change(to next: (SoundFileWriter, Int)) throws(AudioRecorderError) {
    let finished = FileClosing(writer, url: url, closing: closing)
    framesBefore += finished.frameCount
    (writer, index) = next
    let nextURL = plan.file(index)
    url = nextURL
    (wantsRoll, retry) = (false, nil)
    defer { complete(finished, next: nextURL) }
    try finishLast()
  }

  private func complete(_ finished: FileClosing, next: URL) {
    last = finished
    finished.start { [report, url = finished.url] frameCount in
      report(.rolled(RecordingRolled(finished: url, frameCount: frameCount, next: next)))
    }
  }

  private func finishLast() throws(AudioRecorderError) {
    guard let finished = last.take() else { return }
    framesBefore -= finished.wait()
    try finished.check()
  }

  private func lookAtDisk() {
    guard let free = freeSpace(writer) else { return }
    let left = disk.left(frames: writer.framesWritten, bytes: writer.byteCount, free: free)
    if let left { report(.diskLow(left: left)) }
  }

  private func write(_ buffer: AudioBuffer) throws(AudioRecorderError) {
    do {
      try writer.write(buffer)
    } catch {
      throw AudioRecorderError(error, file: url)
    }
  }

  private func closeCurrent() throws(AudioRecorderError) {
    guard writer.framesWritten > 0 else { return writer.discard() }
    do {
      try writer.close()
    } catch {
      throw AudioRecorderError(error, file: url)
    }
  }
}
