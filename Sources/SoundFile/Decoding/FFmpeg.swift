import AudioCore
import AudioThreads
package import FilePaths
import Glibc

/// FFmpeg as a child process that decodes other formats and writes WAV to a pipe, or describes them.
///
/// libsndfile reads at most 4 GiB of that, and the rest is a shortfall. Other formats are worse:
/// libsndfile reads FFmpeg's Wave64 as integers. From a pipe, it finds FFmpeg's RF64 empty and its
/// CAF damaged, and its AU has no positions.
final class FFmpeg: Sendable {
  /// The pipe with its output.
  let output: Descriptor
  /// The pipe with its standard error.
  private let errors: Descriptor
  private let identifier: pid_t
  /// The name of its input in its messages.
  private let name: String

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
  convenience init?(decoding input: Input, from start: Duration = .zero, path: String) {
    self.init(input.decoding(from: start), reading: input, path: path)
  }

  /// Starts ffprobe, which writes JSON; returns nil if it is not installed or cannot be started.
  convenience init?(describing input: Input, path: String) {
    self.init(input.describing, reading: input, path: path)
  }

  private init?(_ words: [String], reading input: Input, path: String) {
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
        words.map { Array($0.utf8) }, input: file.number, output: pipe.inlet.number,
        errors: errors.inlet.number)
    else { return nil }
    (output, self.errors, self.identifier) = (pipe.outlet, errors.outlet, identifier)
    name = input.name
  }

  deinit {
    // It ends at once, even while it waits for a reader, and nothing else waits for it.
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// The lines on its standard error, without FFmpeg's own prefixes and the name of its input.
  ///
  /// Call it once, after the end of its output.
  func complaints() -> [String] {
    guard errors.events & POLLIN != 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = max(0, read(errors.number, &bytes, bytes.count))
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    // As in "[https @ 0x55…] HTTP error 404 Not Found".
    return lines.map { line in
      let text = line.hasPrefix("[") ? line.drop { $0 != "]" }.dropFirst(2) : line
      return String(text.hasPrefix(name) ? text.dropFirst(name.count + 2) : text).printable
    }
  }

  /// Whether its output is incomplete; valid after the output was read.
  var isCutOff: Bool { isWriting || errors.events & POLLIN != 0 }

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
  /// The name that FFmpeg opens.
  fileprivate var name: String {
    switch self {
    case .file: "/dev/stdin"
    case .address(let address): address
    }
  }

  /// The options that open it, and permit no other protocols.
  private var opening: [String] {
    let options = ["-v", "error", "-protocol_whitelist"]
    return switch self {
    case .file: options + ["file"]
    // The timeout for a server that sends nothing is 20 s.
    case .address:
      options + ["http,https,httpproxy,tcp,tls,crypto", "-rw_timeout", "20000000"]
    }
  }

  /// The command line that describes it in JSON.
  fileprivate var describing: [String] {
    ["ffprobe"] + opening
      + ["-select_streams", "a:0", "-show_entries", FFprobeReport.entries, "-of", "json", name]
  }

  /// The command line that decodes it.
  fileprivate func decoding(from start: Duration) -> [String] {
    let (seconds, attoseconds) = start.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    return ["ffmpeg", "-nostdin"] + opening
      + (start > .zero ? ["-ss", "\(microseconds)us"] : [])
      + [
        "-i", name, "-map", "0:a:0",
        // Ogg has its tags in the stream; those of the file take precedence.
        "-map_metadata", "0", "-map_metadata:g", "0:s:a:0",
        "-f", "wav", "-c:a", "pcm_f32le", "-protocol_whitelist", "pipe",
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

  /// The description of the file by ffprobe; nil if ffprobe is not installed.
  let report: () throws(SoundFileError) -> FFprobeReport?

  private let start: (_ time: Duration) throws -> LibraryDecoder
  private let stored: LosslessSamples?
  private var decoder: LibraryDecoder

  /// - Parameters:
  ///   - stored: the samples in the file; nil for a lossy coder, and if they are unknown.
  ///   - report: asks ffprobe.
  ///   - start: starts decoding at a time.
  init(
    stored: LosslessSamples?,
    report: @escaping () throws(SoundFileError) -> FFprobeReport?,
    _ start: @escaping (_ time: Duration) throws -> LibraryDecoder
  ) throws {
    self.stored = stored
    self.report = report
    self.start = start
    decoder = try start(.zero)
    (format, encodingDescription) = (decoder.format, decoder.encodingDescription)
  }

  var isCutOff: Bool { decoder.isCutOff }
  var bitsPerSample: Int? { stored?.bits }
  var samples: SoundFileEncoding.SampleFormat? { stored?.format }
  // FFmpeg writes them to its output.
  var tags: [AudioTag: String] { decoder.tags }

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

/// The samples of a lossless file, by its header.
///
/// FFmpeg's output is float, which holds 24 bits exactly, but does not report the stored bits.
struct LosslessSamples: Equatable {
  /// The number of bytes of a header.
  static let headLength = 80

  let bits: Int
  let format: SoundFileEncoding.SampleFormat

  /// Reads the header of WavPack, Monkey's Audio, True Audio, or FLAC in Ogg; nil for other files.
  ///
  /// - Parameter head: the first bytes after a tag.
  init?(head: [UInt8]) {
    switch String(decoding: head.prefix(4), as: UTF8.self) {
    case "wvpk":
      guard let flags = Self.number(in: head, at: 24, count: 4) else { return nil }
      self.init(bits: Self.wavPackBits(flags), isFloat: flags & (1 << 7) != 0)
    case "MAC ": self.init(bits: Self.monkeysAudioBits(head))
    case "TTA1": self.init(bits: Self.number(in: head, at: 8, count: 2))
    case "OggS": self.init(bits: Self.bitsOfFLACInOgg(head))
    default: return nil
    }
  }

  private init?(bits: Int?, isFloat: Bool = false) {
    guard let bits, (1...32).contains(bits) else { return nil }
    self.bits = bits
    format = isFloat ? .float : bits <= 16 ? .int16 : bits <= 24 ? .int24 : .int32
  }

  private static func number(in head: [UInt8], at offset: Int, count: Int) -> Int? {
    guard head.count >= offset + count else { return nil }
    var number = 0
    for byte in head[offset..<offset + count].reversed() { number = number << 8 | Int(byte) }
    return number
  }

  /// The bytes per sample, without their unused bits; nil for lossy and for one-bit (DSD) audio.
  private static func wavPackBits(_ flags: Int) -> Int? {
    let (isLossy, isDSD) = (1 << 3, 1 << 31)
    guard flags & (isLossy | isDSD) == 0 else { return nil }
    return 8 * (1 + (flags & 3)) - ((flags >> 13) & 31)
  }

  /// From version 3.98 on, a descriptor with its own length precedes the header.
  private static func monkeysAudioBits(_ head: [UInt8]) -> Int? {
    guard let version = number(in: head, at: 4, count: 2) else { return nil }
    guard version < 3_980 else {
      guard let descriptorLength = number(in: head, at: 8, count: 4) else { return nil }
      return number(in: head, at: descriptorLength + 16, count: 2)
    }
    guard let flags = number(in: head, at: 8, count: 2) else { return nil }
    if flags & 1 != 0 { return 8 }
    return flags & 8 != 0 ? 24 : 16
  }

  /// The first packet has FLAC's own header, where the bits are the low bit of a byte and the upper
  /// half of the next.
  private static func bitsOfFLACInOgg(_ head: [UInt8]) -> Int? {
    guard head.count > 58, head[28...].starts(with: "\u{7F}FLAC".utf8) else { return nil }
    return (Int(head[57] & 1) << 4 | Int(head[58] >> 4)) + 1
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
