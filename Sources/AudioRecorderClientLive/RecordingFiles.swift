import AudioCore
import AudioRecorderClient
import Foundation
import SoundFile

/// The file that is written, and the next one when it is time; not a frame is lost between them.
///
/// The next file is opened before the last one is closed. Where that fails, the last one goes on for
/// a second of audio; then it is tried once more.
final class RecordingFiles {
  /// The rate and channels of every file.
  let format: AudioFormat

  private let plan: RollingPlan
  private let encoding: SoundFileEncoding
  private let report: (RecordingEvent) -> Void
  private let freeSpace: (SoundFileWriter) -> Int?
  private var disk: DiskSpace
  private var writer: SoundFileWriter
  private var url: URL
  private var index = 0
  private var framesBefore: FrameCount = 0
  private var wantsRoll = false
  /// Where the second try is made, after a first one that failed.
  private var retry: FrameCount?

  /// Makes the first file.
  init(
    _ request: RecordingRequest, format: AudioFormat, encoding: SoundFileEncoding,
    freeSpace: @escaping (SoundFileWriter) -> Int? = \.freeSpace,
    report: @escaping (RecordingEvent) -> Void
  ) throws(AudioRecorderError) {
    (self.format, self.encoding, self.report) = (format, encoding, report)
    self.freeSpace = freeSpace
    disk = DiskSpace(rate: format.sampleRate)
    plan = RollingPlan(request.rolling, url: request.url, format: format, encoding: encoding)
    url = plan.file(0)
    writer = try Self.open(url, format, encoding)
  }

  /// The frames in all files.
  var framesWritten: FrameCount { framesBefore + writer.framesWritten }

  /// Goes on in the next file from the next frame on; a file is never empty for that.
  func roll() {
    wantsRoll = true
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

  /// Completes the last file.
  func close() throws(AudioRecorderError) {
    try close(writer, url)
  }

  /// How many more frames go into the file; nil for no limit.
  private var room: FrameCount? {
    plan.room(frames: writer.framesWritten, bytes: writer.byteCount)
  }

  private func goOnInNextFile() throws(AudioRecorderError) {
    if let retry, framesWritten < retry { return }
    let next = plan.file(index + 1)
    let opened: SoundFileWriter
    do throws(AudioRecorderError) {
      opened = try Self.open(next, format, encoding)
    } catch {
      guard retry == nil else { throw error }
      retry = framesWritten + FrameCount(.seconds(1), at: format.sampleRate)
      return
    }
    try change(to: opened, at: next)
  }

  private func change(to next: SoundFileWriter, at nextURL: URL) throws(AudioRecorderError) {
    let (last, lastURL) = (writer, url)
    (writer, url) = (next, nextURL)
    (wantsRoll, retry) = (false, nil)
    index += 1
    defer { framesBefore += last.framesWritten }
    try close(last, lastURL)
    let rolled = RecordingRolled(
      finished: lastURL, frameCount: last.framesWritten, next: nextURL)
    report(.rolled(rolled))
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

  private func close(_ writer: SoundFileWriter, _ url: URL) throws(AudioRecorderError) {
    do {
      try writer.close()
    } catch {
      throw AudioRecorderError(error, file: url)
    }
  }

  private static func open(
    _ url: URL, _ format: AudioFormat, _ encoding: SoundFileEncoding
  ) throws(AudioRecorderError) -> SoundFileWriter {
    do {
      return try SoundFileWriter(url: url, format: format, encoding: encoding)
    } catch {
      throw AudioRecorderError(error, file: url)
    }
  }
}
