import AudioCore
import AudioThreads
package import FilePaths
import Glibc

/// FFmpeg as a child process that decodes other formats and writes WAV to a pipe.
///
/// libsndfile reads at most 4 GiB of that, and the rest is a shortfall. Other formats are worse:
/// libsndfile reads FFmpeg's Wave64 as integers. From a pipe, it finds FFmpeg's RF64 empty and its
/// CAF damaged, and its AU has no positions.
final class FFmpeg: Sendable {
  /// The pipe with its output.
  let output: Descriptor
  /// The pipe with its standard error.
  private let complaints: Descriptor
  private let identifier: pid_t

  /// The input of FFmpeg.
  enum Input {
    /// A regular file that FFmpeg may seek.
    case file(Descriptor)
    /// An http or https address.
    case address(String)
  }

  /// Starts FFmpeg; returns nil if it is not installed or cannot be started.
  ///
  /// - Parameters:
  ///   - start: the time in the input at which the output begins.
  ///   - path: the input's name in error messages.
  init?(decoding input: Input, from start: Duration = .zero, path: String) {
    let file: Descriptor
    switch input {
    case .file(let descriptor): file = descriptor
    case .address:
      guard let empty = try? Descriptor.reading("/dev/null") else { return nil }
      file = empty
    }
    guard let pipe = try? Descriptor.pipe(path: path),
      let errors = try? Descriptor.pipe(path: path),
      // Output that exceeds the pipe is lost: only its presence matters.
      fcntl(errors.inlet.number, F_SETFL, O_NONBLOCK) == 0,
      let identifier = try? startProcess(
        input.words(from: start).map { Array($0.utf8) }, input: file.number,
        output: pipe.inlet.number,
        errors: errors.inlet.number)
    else { return nil }
    (output, complaints, self.identifier) = (pipe.outlet, errors.outlet, identifier)
  }

  deinit {
    // It ends at once, even while it waits for a reader, and nothing else waits for it.
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// The last line on its standard error, without FFmpeg's own prefixes and the address; nil if
  /// there is none.
  ///
  /// Call it once, after the end of its output.
  func lastComplaint(about address: String) -> String? {
    guard complaints.events & POLLIN != 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = max(0, read(complaints.number, &bytes, bytes.count))
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    // As in "[https @ 0x55…] HTTP error 404 Not Found".
    let texts = lines.map { line in
      line.hasPrefix("[") ? line.drop { $0 != "]" }.dropFirst(2) : line
    }
    return texts.last.map { text in
      String(text.hasPrefix(address) ? text.dropFirst(address.count + 2) : text).printable
    }
  }

  /// Whether its output is incomplete; valid after the output was read.
  var isCutOff: Bool { isWriting || complaints.events & POLLIN != 0 }

  /// Whether it may still write, because its output was not read to the end.
  private var isWriting: Bool { output.events & POLLHUP == 0 }

  /// Whether it has failed; valid after the end of its output.
  func hasFailed() -> Bool {
    // FFmpeg would wait for a reader, and we for FFmpeg.
    guard !isWriting else { return false }
    var end = siginfo_t()
    // WNOWAIT leaves the child a zombie, so its process ID is not reused.
    while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return end.si_code != Int32(CLD_EXITED) || end._sifields._sigchld.si_status != 0
  }
}

extension FFmpeg.Input {
  /// The command line; only the protocols in it may be used.
  fileprivate func words(from start: Duration) -> [String] {
    let (seconds, attoseconds) = start.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let (protocols, name) =
      switch self {
      case .file: ("file", "/dev/stdin")
      case .address(let address): ("http,https,httpproxy,tcp,tls,crypto", address)
      }
    // The timeout for a server that sends nothing is 20 s.
    let timeout = if case .address = self { ["-rw_timeout", "20000000"] } else { [String]() }
    return ["ffmpeg", "-nostdin", "-v", "error", "-protocol_whitelist", protocols] + timeout
      + (start > .zero ? ["-ss", "\(microseconds)us"] : [])
      + [
        "-i", name, "-map", "0:a:0", "-f", "wav", "-c:a", "pcm_f32le", "-protocol_whitelist",
        "pipe",
        "pipe:1",
      ]
  }
}

/// Decodes the output of FFmpeg; to seek, it starts another FFmpeg at that time.
final class FFmpegDecoder: SoundDecoder {
  let format: AudioFormat
  let encodingDescription: String
  // The header of a pipe has no length.
  let announcedFrameCount: FrameCount? = nil
  let isSeekable = true

  private let start: (_ time: Duration) throws -> LibraryDecoder
  private var decoder: LibraryDecoder

  /// - Parameter start: starts decoding at a time.
  init(_ start: @escaping (_ time: Duration) throws -> LibraryDecoder) throws {
    self.start = start
    decoder = try start(.zero)
    (format, encodingDescription) = (decoder.format, decoder.encodingDescription)
  }

  var isCutOff: Bool { decoder.isCutOff }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    decoder.read(target, frames: frames)
  }

  func seek(to frame: Int) -> Bool {
    guard let other = try? start(FrameCount(frame).duration(at: format.sampleRate)),
      other.format == format
    else { return false }
    decoder = other
    return true
  }

  func failure(at frame: FrameCount) -> SoundFileError? { decoder.failure(at: frame) }
}

extension SoundFile {
  /// The path of `ffmpeg` in PATH; nil if it is not installed.
  package static var ffmpeg: FilePath? {
    guard let folders = getenv("PATH") else { return nil }
    return String(cString: folders).split(separator: ":")
      .map { FilePath(String($0)).appending("ffmpeg") }
      .first { $0.withCString { access($0, X_OK) } == 0 }
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
