import AudioThreads
import Glibc

/// FFmpeg as a child process, for what no library of ours reads: it writes WAV into a pipe.
///
/// libsndfile reads no more than 4 GiB of that, and the rest is a shortfall. It takes FFmpeg's Wave64
/// for integers, and its RF64, CAF, and AU from a pipe for empty, damaged, and without positions.
final class FFmpeg: Sendable {
  /// What it writes.
  let output: Descriptor
  /// Its error output.
  private let complaints: Descriptor
  private let identifier: pid_t

  /// Starts it; nil where it is not installed, or cannot be started.
  ///
  /// - Parameter file: a regular file, which FFmpeg may seek in.
  init?(decoding file: Descriptor, path: String) {
    guard let pipe = try? Descriptor.pipe(path: path),
      let errors = try? Descriptor.pipe(path: path),
      // Output that exceeds the pipe is lost: only its presence matters.
      fcntl(errors.inlet.number, F_SETFL, O_NONBLOCK) == 0,
      let identifier = try? startProcess(
        Self.words.map { Array($0.utf8) }, input: file.number, output: pipe.inlet.number,
        errors: errors.inlet.number)
    else { return nil }
    (output, complaints, self.identifier) = (pipe.outlet, errors.outlet, identifier)
  }

  private static let words = [
    "ffmpeg", "-nostdin", "-v", "error", "-protocol_whitelist", "file", "-i", "/dev/stdin",
    "-map", "0:a:0", "-f", "wav", "-c:a", "pcm_f32le", "-protocol_whitelist", "pipe", "pipe:1",
  ]

  deinit {
    // It ends at once, also while it waits for a reader; nothing else waits for it.
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// Whether its output is incomplete; valid after its output was read.
  var isCutOff: Bool { isWriting || complaints.events & POLLIN != 0 }

  /// Whether it may write more, so that its output was not read to the end.
  private var isWriting: Bool { output.events & POLLHUP == 0 }

  /// Whether it has failed, to be asked when its output has ended.
  func hasFailed() -> Bool {
    // It would wait for a reader, and we for it.
    guard !isWriting else { return false }
    var end = siginfo_t()
    // Without taking its end, so that its number stays its own.
    while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return end.si_code != Int32(CLD_EXITED) || end._sifields._sigchld.si_status != 0
  }
}

extension Descriptor {
  /// The immediate result of `poll` for a pipe.
  fileprivate var events: Int32 {
    var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, 0)
    return Int32(descriptor.revents)
  }
}
