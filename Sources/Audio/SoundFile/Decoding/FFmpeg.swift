import AudioCore
import AudioThreads
package import FilePaths
import Glibc
import Synchronization

/// A child process: FFmpeg, which decodes other formats and writes WAV to a pipe, or ffprobe, which
/// describes files.
///
/// Output formats other than WAV are worse. libsndfile reads FFmpeg's Wave64 as integers, and
/// reports RF64 from a pipe as empty and CAF as damaged. AU lacks channel positions.
final class FFmpeg: Sendable {
  /// The pipe with FFmpeg's output.
  let output: Descriptor
  /// The pipe with FFmpeg's standard error.
  private let errors: Descriptor
  private let process: ChildProcess
  /// The name of the input in FFmpeg's messages.
  private let name: String
  /// The C constant `F_SETPIPE_SZ`, which Swift's Glibc module lacks.
  private static let setPipeSize: Int32 = 1_031
  // The messages so far. The lock is also held while new messages are read, which does not block.
  private let messages = Mutex(FFmpegMessages())

  /// The input of FFmpeg.
  enum Input {
    /// A regular file that FFmpeg may seek, and the names of the permitted demuxers.
    ///
    /// Without names, FFmpeg chooses a demuxer by the file's contents, and some demuxers open other
    /// files.
    case file(Descriptor, demuxers: [String])
    /// An http or https address.
    case address(String)
  }

  /// Starts FFmpeg.
  ///
  /// - Parameters:
  ///   - input: the input to decode.
  ///   - start: the time in the input at which the output begins.
  ///   - path: the input's name in error messages.
  ///   - what: the kind of input in error messages.
  /// - Throws: `.unsupported` if FFmpeg is not installed, `.cannotRead` if it cannot be started.
  convenience init(
    decoding input: Input, from start: Duration = .zero, path: String, what: String
  ) throws(SoundFileError) {
    try self.init(input.decoding(from: start), reading: input, path: path, what: what)
  }

  /// Starts ffprobe, which writes JSON; returns nil if it is not installed.
  ///
  /// - Throws: `.cannotRead` if it cannot be started.
  convenience init?(describing input: Input, path: String) throws(SoundFileError) {
    do throws(SoundFileError) {
      try self.init(input.describing, reading: input, path: path, what: "")
    } catch .unsupported {
      return nil
    } catch {
      throw error
    }
  }

  /// Starts FFmpeg, which writes a server's response to standard output and the headers to standard
  /// error; returns nil if FFmpeg is not installed.
  ///
  /// - Throws: `.cannotRead` if it cannot be started.
  convenience init?(copying address: String) throws(SoundFileError) {
    do throws(SoundFileError) {
      let input = Input.address(address)
      try self.init(input.copying, reading: input, path: address, what: "")
    } catch .unsupported {
      return nil
    } catch {
      throw error
    }
  }

  private init(
    _ words: [String], reading input: Input, path: String, what: String
  ) throws(SoundFileError) {
    let file: Descriptor
    switch input {
    case .file(let descriptor, _): file = descriptor
    case .address: file = try Descriptor.reading("/dev/null")
    }
    let (pipe, errors) = (try Descriptor.pipe(path: path), try Descriptor.pipe(path: path))
    // FFmpeg's messages must not block: messages that exceed the pipe's capacity are lost. The pipe
    // therefore gets the largest capacity that Linux permits.
    _ = fcntl(errors.inlet.number, F_SETFL, O_NONBLOCK)
    _ = fcntl(errors.inlet.number, Self.setPipeSize, 1 << 20)
    do throws(SystemError) {
      process = try ChildProcess(
        words.map { Array($0.utf8) }, input: file.number, output: pipe.inlet.number,
        errors: errors.inlet.number)
    } catch {
      throw error.code == ENOENT
        ? .unsupported(path: path, what: what) : .reading(path, code: error.code)
    }
    (output, self.errors) = (pipe.outlet, errors.outlet)
    name = input.name
  }

  /// The warnings and errors that FFmpeg has written so far.
  var complaints: [FFmpegMessages.Complaint] { received.complaints }

  /// The title that a live stream announced last; nil before the first title.
  var title: String? { received.title }

  private var received: FFmpegMessages {
    messages.withLock { messages in
      var bytes: [UInt8] = []
      while errors.events & POLLIN != 0 {
        if bytes.isEmpty { bytes = Array(repeating: 0, count: 65_536) }
        let count = read(errors.number, &bytes, bytes.count)
        guard count > 0 else { break }
        messages.add(bytes.prefix(count), name: name)
      }
      return messages
    }
  }

  /// Whether FFmpeg's output is incomplete; valid after the output was read.
  var isCutOff: Bool { isWriting || received.isCutOff }

  /// Whether FFmpeg may still write, because its output was not read to the end.
  private var isWriting: Bool { output.events & POLLHUP == 0 }

  /// Whether FFmpeg has failed; valid after the end of its output.
  func hasFailed() -> Bool {
    // If FFmpeg is still writing, waiting for it would never return, because nothing reads the
    // output.
    !isWriting && process.wait() != 0
  }
}

extension FFmpeg.Input {
  /// The name that FFmpeg opens.
  fileprivate var name: String {
    switch self {
    case .file: "/dev/stdin"
    case .address(let address): address
    }
  }

  /// The options that open the input and forbid other protocols and demuxers.
  private var opening: [String] { ["-v", "level+warning"] + protocols + demuxers }

  private var protocols: [String] {
    switch self {
    case .file: ["-protocol_whitelist", "file"]
    // The timeout for a server that sends nothing is 20 s. FFmpeg follows no redirections, because
    // `WebAnswer` checks each of them.
    case .address:
      ["-protocol_whitelist", "http,https,httpproxy,tcp,tls"]
        + ["-rw_timeout", "20000000", "-max_redirects", "0"]
    }
  }

  private var demuxers: [String] {
    switch self {
    case .file(_, let demuxers):
      ["-format_whitelist", demuxers.joined(separator: ",")]
        + (demuxers.count == 1 ? ["-f"] + demuxers : [])
    case .address: ["-format_whitelist", FileKind.demuxersOfAddresses.joined(separator: ",")]
    }
  }

  /// The command line of ffprobe that describes the input in JSON.
  fileprivate var describing: [String] {
    ["ffprobe"] + opening
      + ["-show_entries", FFprobeReport.entries, "-of", "json", name]
  }

  /// The command line that copies the bytes at an address and traces the server's headers.
  fileprivate var copying: [String] {
    ["ffmpeg", "-nostdin", "-v", "trace", "-nostats"] + protocols
      + ["-format_whitelist", "data", "-f", "data", "-i", name]
      + ["-map", "0", "-c", "copy", "-f", "data", "-protocol_whitelist", "pipe", "pipe:1"]
  }

  /// The options that make FFmpeg report the titles of a live stream.
  private var reporting: [String] {
    if case .address = self { ["-v", "level+verbose", "-nostats"] } else { [] }
  }

  /// Returns the command line that decodes the input from `start`.
  fileprivate func decoding(from start: Duration) -> [String] {
    let microseconds = Int(clamping: start.inSeconds * 1e6)
    return ["ffmpeg", "-nostdin"] + opening + reporting
      + (start > .zero ? ["-ss", "\(microseconds)us"] : [])
      + [
        "-i", name, "-map", "0:a:0",
        // Includes the tags of the stream, where Ogg stores them; the tags of the file take
        // precedence.
        "-map_metadata", "0", "-map_metadata:g", "0:s:a:0",
        "-f", "wav", "-c:a", "pcm_f32le", "-protocol_whitelist", "pipe",
        "pipe:1",
      ]
  }
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
