import AudioCore
import AudioThreads
package import FilePaths
import Glibc
import Synchronization

/// FFmpeg as a child process that decodes other formats and writes WAV to a pipe, or describes them.
///
/// Other formats are worse: libsndfile reads FFmpeg's Wave64 as integers. From a pipe, it finds
/// FFmpeg's RF64 empty and its CAF damaged, and its AU has no positions.
final class FFmpeg: Sendable {
  /// The pipe with its output.
  let output: Descriptor
  /// The pipe with its standard error.
  private let errors: Descriptor
  private let identifier: pid_t
  /// The name of its input in its messages.
  private let name: String
  /// The C constant `F_SETPIPE_SZ`, which Glibc does not import.
  private static let setPipeSize: Int32 = 1_031
  // The bytes on its standard error so far; held while they are read, which does not block.
  private let received = Mutex<[UInt8]>([])

  /// The input of FFmpeg.
  enum Input {
    /// A regular file that FFmpeg may seek, and the names of the only demuxers for it.
    ///
    /// FFmpeg would otherwise choose one by the file, and some of them open other files.
    case file(Descriptor, demuxers: [String])
    /// An http or https address.
    case address(String)
  }

  /// Starts FFmpeg.
  ///
  /// - Parameters:
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

  /// Starts ffprobe, which writes the headers of a server's answer to its standard error; returns nil
  /// if it is not installed.
  ///
  /// - Throws: `.cannotRead` if it cannot be started.
  convenience init?(tracing address: String) throws(SoundFileError) {
    do throws(SoundFileError) {
      let input = Input.address(address)
      try self.init(
        ["ffprobe", "-v", "trace"] + input.opening.dropFirst(2) + [address], reading: input,
        path: address, what: "")
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
    // Messages that exceed the pipe are lost, so it is as large as Linux lets it be.
    _ = fcntl(errors.inlet.number, F_SETFL, O_NONBLOCK)
    _ = fcntl(errors.inlet.number, Self.setPipeSize, 1 << 20)
    do throws(ProcessError) {
      identifier = try startProcess(
        words.map { Array($0.utf8) }, input: file.number, output: pipe.inlet.number,
        errors: errors.inlet.number)
    } catch {
      throw error.code == ENOENT
        ? .unsupported(path: path, what: what) : SystemErrors.reading(path, code: error.code)
    }
    (output, self.errors) = (pipe.outlet, errors.outlet)
    name = input.name
  }

  deinit {
    // It ends at once, even while it waits for a reader, and nothing else waits for it.
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// A line on its standard error.
  struct Complaint: Sendable {
    /// Whether FFmpeg calls it an error.
    let isError: Bool
    /// The line without FFmpeg's own prefixes and the name of its input.
    let text: String
    /// The part of FFmpeg that says it; empty for FFmpeg itself.
    private let speaker: String

    /// The decoders of video and pictures, in which a recording may begin anywhere.
    private static let pictures: Set = [
      "av1", "dvbsub", "dvvideo", "flv", "gif", "h261", "h263", "h264", "hevc", "libdav1d", "mjpeg",
      "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4", "png", "theora", "vc1", "vp6f", "vp8", "vp9",
      "webp", "wmv1", "wmv2", "wmv3",
    ]

    /// - Parameter line: as in "[https @ 0x55…] [error] HTTP error 404 Not Found".
    fileprivate init(_ line: Substring, name: String) {
      var (text, level, speaker) = (line, Substring(), Substring())
      while text.hasPrefix("["), let end = text.firstIndex(of: "]") {
        level = text[..<end].dropFirst()
        if speaker.isEmpty, level.contains("@") { speaker = level.prefix { $0 != " " } }
        text = text[text.index(after: end)...].drop { $0 == " " }
      }
      isError = ["error", "fatal", "panic"].contains(level)
      self.speaker = String(speaker)
      self.text = String(text.hasPrefix(name) ? text.dropFirst(name.count + 2) : text).printable
    }

    /// Whether audio is missing because of it.
    fileprivate var isLoss: Bool {
      guard !Self.pictures.contains(speaker) else { return false }
      return isError
        || ["corrupt", "truncat", "partial file"].contains { text.lowercased().contains($0) }
    }
  }

  /// The lines on its standard error so far.
  var complaints: [Complaint] {
    received.withLock { received in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while errors.events & POLLIN != 0 {
        let count = read(errors.number, &bytes, bytes.count)
        guard count > 0 else { break }
        received += bytes.prefix(count)
      }
      return String(decoding: received, as: UTF8.self).split(separator: "\n")
        .map { Complaint($0, name: name) }
    }
  }

  /// Whether its output is incomplete; valid after the output was read.
  var isCutOff: Bool { isWriting || complaints.contains(where: \.isLoss) }

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
  fileprivate var opening: [String] {
    let options = ["-v", "level+warning", "-protocol_whitelist"]
    return switch self {
    case .file(_, let demuxers):
      options + ["file", "-format_whitelist", demuxers.joined(separator: ",")]
        + (demuxers.count == 1 ? ["-f"] + demuxers : [])
    // The timeout for a server that sends nothing is 20 s.
    case .address:
      options + ["http,https,httpproxy,tcp,tls", "-rw_timeout", "20000000"]
        // Redirections are followed one by one.
        + ["-max_redirects", "0"]
        + ["-format_whitelist", FileKind.demuxersOfAddresses.joined(separator: ",")]
    }
  }

  /// The command line that describes it in JSON.
  fileprivate var describing: [String] {
    ["ffprobe"] + opening
      + ["-select_streams", "a:0", "-show_entries", FFprobeReport.entries, "-of", "json", name]
  }

  /// The command line that decodes it.
  fileprivate func decoding(from start: Duration) -> [String] {
    let microseconds = Int(clamping: start.inSeconds * 1e6)
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

  /// Containers round their lengths, and count padding that is not decoded.
  private static let tolerance = Duration.milliseconds(250)

  private let start: (_ time: Duration) throws -> any SoundDecoder
  private let stored: LosslessSamples?
  private let path: String
  private let isFile: Bool
  private var decoder: any SoundDecoder
  /// Whether anything was decoded.
  private var hasAudio = false
  /// The description of a file, once it was asked for; nil if there is none.
  ///
  /// An address is not opened a second time.
  private lazy var description = described()
  /// The reason that a file could not be described, so that its end could not be checked.
  private var descriptionFailure: SoundFileError?

  /// - Parameters:
  ///   - stored: the samples in the file; nil for a lossy coder, and if they are unknown.
  ///   - report: asks ffprobe.
  ///   - start: starts decoding at a time.
  init(
    stored: LosslessSamples?, path: String, isFile: Bool,
    report: @escaping () throws(SoundFileError) -> FFprobeReport?,
    _ start: @escaping (_ time: Duration) throws -> any SoundDecoder
  ) throws {
    (self.stored, self.path, self.isFile) = (stored, path, isFile)
    self.report = report
    self.start = start
    decoder = try start(.zero)
    (format, encodingDescription) = (decoder.format, decoder.encodingDescription)
  }

  private func described() -> FFprobeReport? {
    guard isFile else { return nil }
    do throws(SoundFileError) {
      return try report()
    } catch {
      descriptionFailure = error
      return nil
    }
  }

  var isCutOff: Bool { decoder.isCutOff }
  var bitsPerSample: Int? { stored?.bits ?? description?.bitsPerSample }
  var samples: SoundFileEncoding.SampleFormat? { stored?.format ?? description?.samples }

  /// FFmpeg ends without a word where a file ends between two packets.
  func promise(exceeding decoded: FrameCount) -> FrameCount? {
    guard let length = description?.audioDuration,
      decoded.duration(at: format.sampleRate) + Self.tolerance < length
    else { return nil }
    return FrameCount(announced: FrameCount(length, at: format.sampleRate).rawValue)
  }

  /// FFmpeg writes only the common tags to its output.
  var metadata: AudioMetadata {
    let found = description?.metadata(at: format.sampleRate)
    return (found ?? AudioMetadata()).completed(by: AudioMetadata(tags: decoder.metadata.tags))
  }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = decoder.read(target, frames: frames)
    if count > 0 { hasAudio = true }
    return count
  }

  func seek(to frame: Int) -> Bool {
    guard let other = try? start(FrameCount(frame).duration(at: format.sampleRate)),
      other.format == format
    else { return false }
    decoder = other
    return true
  }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if let failure = decoder.failure(at: frame) ?? descriptionFailure { return failure }
    // The header of a file without a frame, such as an empty CAF, announces nothing.
    guard frame == 0, !hasAudio, isCutOff || description?.duration ?? .zero > .zero else {
      return nil
    }
    return .damaged(path: path, frame: 0, reason: "FFmpeg cannot decode any of it")
  }
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
