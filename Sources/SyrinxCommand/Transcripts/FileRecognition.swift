import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths
import Glibc
import SoundFile
import SpeechClient
import Synchronization

/// What a file gives to a recogniser: how far it has been understood, and what was wrong with it.
final class FileHearing: Sendable {
  private let file: FilePath
  private let context: CommandContext
  private let troubles = FileTroubles()
  private let audio = HeardAudio()
  private let progress: FileProgress?

  init(_ file: FilePath, showsProgress: Bool, in context: CommandContext) async {
    (self.file, self.context) = (file, context)
    guard showsProgress, context.console.isWatched else {
      progress = nil
      return
    }
    @Dependency(\.continuousClock) var clock
    let text = ProgressText(file: "\(file.name)", total: await length(of: file))
    progress = FileProgress(text: text, console: context.console, clock: clock)
  }

  func request(wantsPartials: Bool) -> SpeechRequest {
    let note = { @Sendable [troubles, file] (shortfall: SoundFileShortfall) in
      troubles.append(.shortfall(shortfall, file: file == "-" ? "standard input" : file))
    }
    let buffers =
      file == "-"
      ? SoundFile.buffers(ofFileDescriptor: 0, onShortfall: note)
      : SoundFile.buffers(of: file.url, onShortfall: note)
    let heard = buffers.map { [audio] buffer in
      if !buffer.isEmpty { audio.note() }
      return buffer
    }
    return SpeechRequest(buffers: heard, shouldReportPartialResults: wantsPartials)
  }

  /// Lets the progress be seen from now on, where people watch, and counts it from here.
  func beginProgress() async {
    await progress?.begin()
  }

  /// Notes what the recogniser tells of the file: the audio itself is read far ahead of it.
  func note(_ event: SpeechRecognitionEvent) async {
    guard let progress, let place = event.place else { return }
    await progress.show(place)
  }

  /// Reports what was wrong; whether nothing was.
  ///
  /// Throws where there was no audio at all.
  func finish() async throws -> Bool {
    await progress?.end()
    for trouble in troubles.all { await context.console.report("\(trouble)") }
    guard audio.isAny else {
      throw CommandFailure(description: "\(file) holds no audio: there is nothing to transcribe")
    }
    return troubles.all.isEmpty
  }
}

/// The length that a file's header tells, read on a thread of its own; a pipe is left alone.
private func length(of file: FilePath) async -> Duration? {
  guard file != "-", let mode = file.status?.st_mode, mode & S_IFMT == S_IFREG else { return nil }
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

/// Nil where the file cannot be read: the recognition says why.
private func announcedLength(of file: FilePath) -> Duration? {
  guard let reader = try? SoundFileReader(url: file.url) else { return nil }
  return reader.announcedFrameCount?.duration(at: reader.format.sampleRate)
}

/// Whether a file gave any audio at all; noted where it is read, looked at when it has ended.
final class HeardAudio: Sendable {
  private let hasHeard = Atomic<Bool>(false)

  var isAny: Bool { hasHeard.load(ordering: .acquiring) }

  func note() {
    hasHeard.store(true, ordering: .releasing)
  }
}

/// A file that is being recognised.
struct Hearing: Sendable {
  let file: FilePath
  let audio: FileHearing
  let events: AsyncThrowingStream<SpeechRecognitionEvent, any Error>
}

/// Starts to recognise files in order, some ahead of the one whose results are taken.
///
/// What the files ahead have to say waits within the speech client, which stops them when that is
/// much; so memory does not grow with their number or length.
struct Hearings {
  /// How many files keep so many decoders at work that share all utterances: several for each, so
  /// that none waits for another's longest file; of many decoders fewer, because files have threads
  /// of their own.
  static func atOnce(sharing decoderCount: Int) -> Int {
    decoderCount > 1 ? min(4 * decoderCount, decoderCount + 24) : 1
  }

  private let start: @Sendable (FilePath) async -> Hearing
  private let atOnce: Int
  private var waiting: ArraySlice<FilePath>
  private var started: [Hearing] = []

  /// - Parameter atOnce: how many files are recognised at the same time, at least 1.
  init(files: [FilePath], atOnce: Int, start: @escaping @Sendable (FilePath) async -> Hearing) {
    (waiting, self.atOnce, self.start) = (files[...], atOnce, start)
  }

  /// The next file, in order; there must be one.
  mutating func next() async -> Hearing {
    while started.count < atOnce, let file = waiting.popFirst() {
      started.append(await start(file))
    }
    return started.removeFirst()
  }
}
