import AudioCore
import AudioThreads
import ClientDependencies
import Foundation
import Glibc
import SoundFile
import SpeechClient

/// What a file gives to a recogniser: how far it has been heard, and what was wrong with it.
final class FileHearing: Sendable {
  private let file: String
  private let context: CommandContext
  private let troubles = FileTroubles()
  private let audio = HeardAudio()
  private let progress: FileProgress?

  init(_ file: String, showsProgress: Bool, in context: CommandContext) async {
    (self.file, self.context) = (file, context)
    guard showsProgress, context.console.isWatched else {
      progress = nil
      return
    }
    @Dependency(\.continuousClock) var clock
    let name = URL(filePath: file).lastPathComponent
    let text = ProgressText(file: name, total: await length(of: file))
    progress = FileProgress(text: text, console: context.console, stopwatch: stopwatch(clock))
  }

  func request(wantsPartials: Bool) -> SpeechRequest {
    let troubles = troubles
    let buffers =
      file == "-"
      ? SoundFile.buffers(ofFileDescriptor: 0)
      : SoundFile.buffers(of: URL(filePath: file)) { troubles.append(.shortfall($0)) }
    let heard = buffers.map { [audio, progress] buffer in
      if !buffer.isEmpty { audio.note() }
      await progress?.heard(buffer.endFrame.duration(at: buffer.format.sampleRate))
      return buffer
    }
    return SpeechRequest(buffers: heard, shouldReportPartialResults: wantsPartials)
  }

  /// Lets the progress be seen from now on, where people watch; it counts from the beginning of the
  /// work.
  func beginProgress() async {
    await progress?.begin()
  }

  /// Says what was wrong; throws where there was no audio at all.
  func finish() async throws {
    await progress?.end()
    for case .shortfall(let shortfall) in troubles.all {
      await context.console.report("\(file) is shorter than its header says: \(shortfall)")
    }
    guard audio.isAny else {
      throw CommandFailure(description: "\(file) holds no audio: there is nothing to transcribe")
    }
  }
}

/// The line on the terminal that says how far a file has been transcribed.
private actor FileProgress {
  private let text: ProgressText
  private let console: Console
  private let stopwatch: @Sendable () -> Duration
  private var pace = StatusPace()
  private var isShown = false

  init(text: ProgressText, console: Console, stopwatch: @escaping @Sendable () -> Duration) {
    (self.text, self.console, self.stopwatch) = (text, console, stopwatch)
  }

  func begin() {
    isShown = true
  }

  func heard(_ position: Duration) async {
    guard isShown else { return }
    let elapsed = stopwatch()
    guard let line = text.line(at: position, after: elapsed), pace.admits(elapsed) else { return }
    await console.showStatus(line)
  }

  func end() async {
    isShown = false
    await console.clearStatus()
  }
}

/// What the time since now will be.
private func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}

/// The length that a file's header tells, read on a thread of its own; a pipe is left alone.
private func length(of file: String) async -> Duration? {
  guard file != "-", isRegular(file) else { return nil }
  return await withCheckedContinuation { continuation in
    do {
      _ = try DedicatedThread.start(name: "syrinx-length") {
        continuation.resume(returning: announcedLength(of: file))
      }
    } catch {
      continuation.resume(returning: nil)
    }
  }
}

private func isRegular(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}

/// Nil where the file cannot be read: the recognition says why.
private func announcedLength(of file: String) -> Duration? {
  guard let reader = try? SoundFileReader(url: URL(filePath: file)) else { return nil }
  return reader.announcedFrameCount?.duration(at: reader.format.sampleRate)
}
