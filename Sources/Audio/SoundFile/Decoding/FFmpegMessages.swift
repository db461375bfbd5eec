import FilePaths

/// The lines that FFmpeg writes to its standard error.
struct FFmpegMessages: Sendable {
  /// A warning or an error: the text of its line, without FFmpeg's prefixes and the name of the
  /// input.
  typealias Complaint = (text: String, isError: Bool)

  /// The names of FFmpeg's decoders for video and pictures.
  ///
  /// Their warnings and errors do not mean lost audio, because a recording may begin in the middle
  /// of a picture.
  private static let pictures: Set = [
    "av1", "dvbsub", "dvvideo", "flv", "gif", "h261", "h263", "h264", "hevc", "libdav1d", "mjpeg",
    "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4", "png", "theora", "vc1", "vp6f", "vp8", "vp9",
    "webp", "wmv1", "wmv2", "wmv3",
  ]
  /// The maximum number of warnings and errors to keep; a live stream may cause any number of them.
  private static let most = 1_000
  /// A line with a title: "[http @ 0x55…] [verbose] Metadata update for StreamTitle: …".
  private static let titleMark = "Metadata update for StreamTitle: "
  /// The beginning of the line about a connection that ended too early.
  private static let prematureMark = "Stream ends prematurely"
  /// The size in FFmpeg's message at the end of a stream whose server announced no size.
  private static let unknownSize = "should be \(UInt64.max)"
  /// The marks of a live stream: a header that only live servers send, and a missing duration.
  private static let liveMarks = ["icy-", "Duration: N/A"]

  /// The first warnings and errors; informational lines are not among them.
  private(set) var complaints: [Complaint] = []
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
  /// `name` is the name of the input in FFmpeg's messages.
  mutating func add(_ bytes: some Sequence<UInt8>, name: String) {
    rest += bytes
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
    for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
      // Old servers send titles in Latin-1.
      let text = String(validating: line, as: UTF8.self)
      process(text ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })), name: name)
    }
    rest.removeFirst(end + 1)
  }

  /// Processes a line such as "[https @ 0x55…] [error] HTTP error 404 Not Found".
  private mutating func process(_ line: String, name: String) {
    var (text, level, speaker) = (line[...], Substring(), Substring())
    while text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      level = text[..<end].dropFirst()
      if speaker.isEmpty, level.contains("@") { speaker = level.prefix { $0 != " " } }
      text = text[text.index(after: end)...].drop { $0 == " " }
    }
    // Newer versions of FFmpeg write "Error during demuxing" instead of the input's name.
    let subject = [name + ": ", "Error during demuxing: "].first(where: text.hasPrefix)
    let message = String(text.dropFirst(subject?.count ?? 0)).printable
    guard !["info", "verbose", "debug"].contains(level) else { return note(information: message) }
    let isError = ["error", "fatal", "panic"].contains(level)
    keep((message, isError), speaker: String(speaker), isAboutInput: subject != nil)
  }

  private mutating func note(information: String) {
    let text = information.drop { $0 == " " }
    if let mark = text.firstRange(of: Self.titleMark), !text[mark.upperBound...].isEmpty {
      title = String(text[mark.upperBound...])
    }
    if title != nil || Self.liveMarks.contains(where: text.hasPrefix) { isLive = true }
  }

  /// Keeps a warning or an error.
  ///
  /// `speaker` is the component of FFmpeg that wrote the line; it is empty for FFmpeg itself. If
  /// `isAboutInput` is true, the line concerns the whole input, such as a lost connection.
  private mutating func keep(_ complaint: Complaint, speaker: String, isAboutInput: Bool) {
    // FFmpeg reports the end of a stream without a size as an error in two lines, although nothing
    // is missing, so both lines are ignored.
    if complaint.text.hasSuffix(Self.unknownSize) { return hasEndedWithoutSize = true }
    if hasEndedWithoutSize, complaint.text.hasSuffix("Input/output error") { return }
    let isBroken = complaint.isError && isAboutInput
    if isBroken || complaint.text.contains(Self.prematureMark) { isShort = true }
    let isDamage = ["corrupt", "truncat", "partial file"].contains {
      complaint.text.lowercased().contains($0)
    }
    if complaint.isError || isDamage, !Self.pictures.contains(speaker) { hasLoss = true }
    if complaints.count < Self.most { complaints.append(complaint) }
  }
}
