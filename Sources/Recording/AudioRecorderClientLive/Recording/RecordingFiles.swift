import AudioCore
import AudioRecorderClient
import AudioThreads
import FilePaths
import FoundationEssentials
import SoundFile
import Synchronization

/// The consecutive files of a recording; no frame is lost between them.
///
/// The next file is opened before the current file is closed, and another thread closes the
/// current file, so that captured audio does not wait for the disk. If the next file cannot be
/// opened, the current file continues for a second of audio; then opening is retried once. Only an
/// existing file with exactly the requested name is replaced; numbers in use are skipped.
final class RecordingFiles: RecordingOutput {
  /// The rate and channels of every file.
  let format: AudioFormat

  /// The requested file; the names of the other files derive from its name.
  private let requested: URL
  private let rolling: RecordingRollingRule
  private let encoding: SoundFileEncoding
  private let report: @Sendable (RecordingEvent) -> Void
  private let freeSpace: (SoundFileWriter) -> Int?
  private let closing: FileClosing.Closing
  /// The threads that flush and complete the files; nil if each file has its own thread to flush,
  /// and the thread that writes completes it.
  private let storing: ThreadPool?
  private var disk: DiskSpace
  private var writer: SoundFileWriter
  /// The previous file, until it is complete.
  private var last: FileClosing?
  private var url: URL
  private var index: Int
  /// The maximum number of file numbers to try.
  private let mostTaken: Int
  private var framesBefore: FrameCount = 0
  private var mustRoll = false
  /// The frame at which opening the next file is retried.
  private var retry: FrameCount?

  /// Creates the first file.
  init(
    _ url: URL, rolling: RecordingRollingRule = RecordingRollingRule(), format: AudioFormat,
    encoding: SoundFileEncoding, storing: ThreadPool? = nil,
    mostTaken: Int = 100_000, freeSpace: @escaping (SoundFileWriter) -> Int? = \.freeSpace,
    closing: @escaping FileClosing.Closing = { writer throws(SoundFileError) in
      try writer.close()
    },
    report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws(AudioRecorderError) {
    (self.format, self.encoding, self.report) = (format, encoding, report)
    (self.freeSpace, self.closing, self.mostTaken) = (freeSpace, closing, mostTaken)
    self.storing = storing
    disk = DiskSpace(rate: format.sampleRate)
    (self.rolling, requested) = (rolling, url)
    (writer, index) = try rolling.makeFile(
      from: 0, atMost: mostTaken, of: url, format: format, encoding: encoding, storing: storing)
    self.url = rolling.file(index, of: url)
  }

  /// The frames in all files.
  var framesWritten: FrameCount { framesBefore + writer.framesWritten }

  /// A file whose folder was removed is nil: an error names the copy of its audio.
  var file: URL? { writer.framesWritten > 0 && FilePath(url).status != nil ? url : nil }

  /// Continues in the next file from the next frame on; has no effect while the current file is
  /// empty.
  func roll() {
    mustRoll = writer.framesWritten > 0
  }

  func append(_ buffer: AudioBuffer) throws(AudioRecorderError) {
    var position: FrameCount = 0
    while position < buffer.frameCount {
      if writer.framesWritten > 0, mustRoll || room == 0 { try continueInNextFile() }
      let left = buffer.frameCount - position
      // If the next file could not be opened, the full file continues.
      let count = min(left, room.flatMap { $0 > 0 ? $0 : nil } ?? left)
      let isWhole = count == buffer.frameCount
      try write(isWhole ? buffer : buffer.frames(position..<position + count))
      position += count
    }
    if disk.isDue(at: framesWritten) { checkDiskSpace() }
  }

  /// Throws if an earlier file could not be completed.
  func checkLast() throws(AudioRecorderError) {
    if last?.isOver == true { try finishLast() }
  }

  /// Completes all files; an empty file is discarded without replacing an existing file.
  func close() throws(AudioRecorderError) {
    let outcome = Result { () throws(AudioRecorderError) in try closeCurrent() }
    try finishLast()
    try outcome.get()
  }

  /// The frames that still fit into the file; nil for no limit.
  private var room: FrameCount? {
    rolling.room(
      frames: writer.framesWritten, bytes: writer.byteCount, format: format, encoding: encoding)
  }

  private func continueInNextFile() throws(AudioRecorderError) {
    if let retry, framesWritten < retry { return }
    let opened: (SoundFileWriter, Int)
    do throws(AudioRecorderError) {
      opened = try rolling.makeFile(
        from: index + 1, atMost: mostTaken, of: requested, format: format, encoding: encoding,
        storing: storing)
    } catch {
      guard retry == nil else { throw error }
      retry = framesWritten + FrameCount(.seconds(1), at: format.sampleRate)
      return
    }
    try change(to: opened)
  }

  private func change(to next: (SoundFileWriter, Int)) throws(AudioRecorderError) {
    let (lastURL, nextURL) = (url, rolling.file(next.1, of: requested))
    let finished = FileClosing(writer, url: lastURL, closing: closing) { [report] frameCount in
      report(.rolled(RecordingRollover(finished: lastURL, frameCount: frameCount, next: nextURL)))
    }
    framesBefore += finished.frameCount
    (writer, index, url) = (next.0, next.1, nextURL)
    (mustRoll, retry) = (false, nil)
    defer {
      last = finished
      finished.start(on: storing)
    }
    try finishLast()
  }

  private func finishLast() throws(AudioRecorderError) {
    guard let finished = last.take() else { return }
    framesBefore -= finished.wait()
    try finished.check()
  }

  private func checkDiskSpace() {
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

/// Completes a file on another thread while the next file is written.
// `@unchecked Sendable` is safe because the writer belongs to one thread at a time: to the thread
// that completes the file, and after `isOver` to the thread that began the file.
final class FileClosing: @unchecked Sendable {
  typealias Closing = @Sendable (SoundFileWriter) throws(SoundFileError) -> Void

  let url: URL
  /// The number of frames written into the file.
  let frameCount: FrameCount
  private let writer: SoundFileWriter
  private let closing: Closing
  private let completed: @Sendable (FrameCount) -> Void
  /// Signaled at the end; nil if the system has no descriptor left, and the caller then closes the
  /// file itself.
  private let ended: WakeUp?
  private let hasBegun = Atomic<Bool>(false)
  private let outcome = Mutex<Result<Void, SoundFileError>?>(nil)

  /// - Parameter completed: called with the number of readable frames when the file is complete.
  init(
    _ writer: SoundFileWriter, url: URL, closing: @escaping Closing,
    completed: @escaping @Sendable (FrameCount) -> Void
  ) {
    (self.writer, self.url, self.closing, self.completed) = (writer, url, closing, completed)
    frameCount = writer.framesWritten
    ended = try? WakeUp()
  }

  /// Whether the file is complete or could not be completed.
  var isOver: Bool { outcome.withLock { $0 != nil } }

  /// Begins to complete the file; without threads, completes it here.
  func start(on threads: ThreadPool?) {
    guard ended != nil, let threads else { return close() }
    threads.perform { [self] in close() }
  }

  /// Waits for the end, or completes the file here if no thread has begun to; returns the number of
  /// unreadable frames in the file.
  func wait() -> FrameCount {
    close()
    while !isOver { ended?.wait() }
    return frameCount - writer.framesWritten
  }

  /// Throws if the file could not be completed.
  func check() throws(AudioRecorderError) {
    guard case .failure(let error) = outcome.withLock({ $0 }) else { return }
    throw AudioRecorderError(error, file: url)
  }

  private func close() {
    guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
    let result = Result { () throws(SoundFileError) in try closing(writer) }
    if case .success = result { completed(writer.framesWritten) }
    outcome.withLock { $0 = result }
    ended?.signal()
  }
}

/// Predicts when the disk will be full, from the rate at which a file grows.
struct DiskSpace {
  /// The remaining time below which a warning is due.
  static let warning = Duration.seconds(60)
  /// The remaining time above which another warning becomes possible.
  private static let relief = Duration.seconds(120)

  private let rate: SampleRate
  private var next: FrameCount
  private var hasWarned = false
  private var seen: (frames: FrameCount, bytes: Int) = (0, 0)
  private var bytesPerSecond: Double?

  init(rate: SampleRate) {
    self.rate = rate
    next = FrameCount(rate.hertz)
  }

  /// Whether to measure the free space now: true after every second of audio.
  mutating func isDue(at recorded: FrameCount) -> Bool {
    guard recorded >= next else { return false }
    next = recorded + FrameCount(rate.hertz)
    return true
  }

  /// Returns the time until the disk is full if a warning is due; otherwise nil.
  ///
  /// - Parameters:
  ///   - frames: the frames in the file.
  ///   - bytes: the size of the file.
  ///   - free: the free bytes of the disk.
  mutating func left(frames: FrameCount, bytes: Int, free: Int) -> Duration? {
    measure(frames, bytes)
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    let left = Duration.seconds(clamping: Double(free) / bytesPerSecond)
    if left > Self.relief { hasWarned = false }
    guard left < Self.warning, !hasWarned else { return nil }
    hasWarned = true
    return left
  }

  /// Updates the average rate of the last seconds; loud audio takes more bytes than quiet audio.
  ///
  /// The newest second has a weight of only an eighth, because encoders write in bursts.
  private mutating func measure(_ frames: FrameCount, _ bytes: Int) {
    // The counts are smaller than before if a new file has begun.
    if frames < seen.frames || bytes < seen.bytes { seen = (0, 0) }
    defer { seen = (frames, bytes) }
    guard frames > seen.frames else { return }
    let latest = Double(bytes - seen.bytes) / (frames - seen.frames).duration(at: rate).inSeconds
    bytesPerSecond = bytesPerSecond.map { $0 + (latest - $0) / 8 } ?? latest
  }
}
