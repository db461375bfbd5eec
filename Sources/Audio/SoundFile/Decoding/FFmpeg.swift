import AudioCore
import AudioThreads
package import FilePaths
import Glibc
import Synchronization

/// FFmpeg as a child process that decodes other formats and writes WAV to a pipe, or describes
/// them.
///
/// Other output formats are worse: libsndfile reads FFmpeg's Wave64 as integers. From a pipe, it
/// finds RF64 empty and CAF damaged. AU lacks channel positions.
final class FFmpeg: Sendable {
  /// The pipe with its output.
  let output: Descriptor
  /// The pipe with its standard error.
  private let errors: Descriptor
  private let process: ChildProcess
  /// The name of its input in its messages.
  private let name: String
  /// The C constant `F_SETPIPE_SZ`, which Glibc does not import.
  private static let setPipeSize: Int32 = 1_031
  // The messages so far. The lock is held while more are read, which does not block.
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

  /// Starts FFmpeg to copy a server's response to its output and to write the headers to its
  /// standard error; returns nil if FFmpeg is not installed.
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
    // Messages that exceed the pipe are lost, so the pipe gets the largest size that Linux permits.
    _ = fcntl(errors.inlet.number, F_SETFL, O_NONBLOCK)
    _ = fcntl(errors.inlet.number, Self.setPipeSize, 1 << 20)
    do throws(SystemError) {
      process = try ChildProcess(
        words.map { Array($0.utf8) }, input: file.number, output: pipe.inlet.number,
        errors: errors.inlet.number)
    } catch {
      throw error.code == ENOENT
        ? .unsupported(path: path, what: what) : SystemErrors.reading(path, code: error.code)
    }
    (output, self.errors) = (pipe.outlet, errors.outlet)
    name = input.name
  }

  /// A line on its standard error.
  struct Complaint: Sendable {
    /// Whether FFmpeg calls it an error.
    let isError: Bool
    /// Whether the message is only information, not a warning.
    let isInformation: Bool
    /// Whether the message concerns the whole input, such as a lost connection.
    let isAboutInput: Bool
    /// The line without FFmpeg's own prefixes and the name of its input.
    let text: String
    /// The component of FFmpeg that wrote the line; empty for FFmpeg itself.
    private let speaker: String

    /// The decoders of video and pictures.
    ///
    /// A recording may begin in the middle of their data.
    private static let pictures: Set = [
      "av1", "dvbsub", "dvvideo", "flv", "gif", "h261", "h263", "h264", "hevc", "libdav1d", "mjpeg",
      "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4", "png", "theora", "vc1", "vp6f", "vp8", "vp9",
      "webp", "wmv1", "wmv2", "wmv3",
    ]

    /// - Parameter line: as in "[https @ 0x55…] [error] HTTP error 404 Not Found".
    init(_ line: Substring, name: String) {
      var (text, level, speaker) = (line, Substring(), Substring())
      while text.hasPrefix("["), let end = text.firstIndex(of: "]") {
        level = text[..<end].dropFirst()
        if speaker.isEmpty, level.contains("@") { speaker = level.prefix { $0 != " " } }
        text = text[text.index(after: end)...].drop { $0 == " " }
      }
      isError = ["error", "fatal", "panic"].contains(level)
      isInformation = ["info", "verbose", "debug"].contains(level)
      self.speaker = String(speaker)
      // Newer versions do not name the input.
      let subject = [name + ": ", "Error during demuxing: "].first(where: text.hasPrefix)
      isAboutInput = subject != nil
      self.text = String(text.dropFirst(subject?.count ?? 0)).printable
    }

    /// Whether audio is missing because of it.
    var isLoss: Bool {
      guard !Self.pictures.contains(speaker) else { return false }
      return isError
        || ["corrupt", "truncat", "partial file"].contains { text.lowercased().contains($0) }
    }
  }

  /// The lines on its standard error so far.
  var complaints: [Complaint] { received.complaints }

  /// The title that a live stream announced last; nil before the first one.
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

  /// Whether its output is incomplete; valid after the output was read.
  var isCutOff: Bool { isWriting || received.isCutOff }

  /// Whether FFmpeg may still write, because its output was not read to the end.
  private var isWriting: Bool { output.events & POLLHUP == 0 }

  /// Whether FFmpeg has failed; valid after the end of its output.
  func hasFailed() -> Bool {
    // Without a reader, FFmpeg would wait to write, and this thread would wait for FFmpeg.
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
    // The timeout for a server that sends nothing is 20 s; redirections are followed one by one.
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

  /// The options with which it reports the titles of a live stream.
  private var reporting: [String] {
    if case .address = self { ["-v", "level+verbose", "-nostats"] } else { [] }
  }

  /// The command line that decodes it.
  fileprivate func decoding(from start: Duration) -> [String] {
    let microseconds = Int(clamping: start.inSeconds * 1e6)
    return ["ffmpeg", "-nostdin"] + opening + reporting
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

/// The lines that FFmpeg writes to its standard error.
struct FFmpegMessages: Sendable {
  /// The maximum number of complaints to keep; a live stream may cause any number of them.
  private static let most = 1_000
  /// A line with a title: "[http @ 0x55…] [verbose] Metadata update for StreamTitle: …".
  private static let titleMark = "Metadata update for StreamTitle: "
  /// The beginning of the line about a connection that ended too early.
  private static let prematureMark = "Stream ends prematurely"
  /// The size in the line about the end of a stream whose server announces no size.
  private static let unknownSize = "should be \(UInt64.max)"
  /// The marks of a live stream: a header that only live servers send, and a missing duration.
  private static let liveMarks = ["icy-", "Duration: N/A"]

  /// The first complaints, without FFmpeg's information.
  private(set) var complaints: [FFmpeg.Complaint] = []
  /// The newest title of a live stream.
  private(set) var title: String?
  private var isLive = false
  /// Whether FFmpeg received less than the server announced, or lost the connection; true for live
  /// streams, too.
  private var isShort = false
  private var hasLoss = false
  private var hasEndedWithoutSize = false
  /// The beginning of an incomplete line.
  private var rest: [UInt8] = []

  /// Whether audio is missing; a live stream may begin and end at any point.
  var isCutOff: Bool { isShort || (hasLoss && !isLive) }

  /// Adds bytes, which may contain any number of lines.
  ///
  /// - Parameter name: the name of the input in FFmpeg's messages.
  mutating func add(_ bytes: some Sequence<UInt8>, name: String) {
    rest += bytes
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
    for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
      // Titles of old servers are Latin-1.
      let text = String(validating: line, as: UTF8.self)
      process(text ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })), name: name)
    }
    rest.removeFirst(end + 1)
  }

  private mutating func process(_ line: String, name: String) {
    let complaint = FFmpeg.Complaint(line[...], name: name)
    guard complaint.isInformation else { return keep(complaint) }
    let text = complaint.text.drop { $0 == " " }
    if let mark = text.firstRange(of: Self.titleMark), !text[mark.upperBound...].isEmpty {
      title = String(text[mark.upperBound...])
    }
    if title != nil || Self.liveMarks.contains(where: text.hasPrefix) { isLive = true }
  }

  private mutating func keep(_ complaint: FFmpeg.Complaint) {
    // FFmpeg reports the end of such a stream as an error twice.
    if complaint.text.hasSuffix(Self.unknownSize) { return hasEndedWithoutSize = true }
    if hasEndedWithoutSize, complaint.text.hasSuffix("Input/output error") { return }
    let isBroken = complaint.isError && complaint.isAboutInput
    if isBroken || complaint.text.contains(Self.prematureMark) { isShort = true }
    if complaint.isLoss { hasLoss = true }
    if complaints.count < Self.most { complaints.append(complaint) }
  }
}
