/// What FFmpeg writes to its standard error, line by line.
struct FFmpegMessages: Sendable {
  /// The most complaints that are kept; a live stream may have any number.
  private static let most = 1_000
  /// A line with a title: "[http @ 0x55…] [verbose] Metadata update for StreamTitle: …".
  private static let titleMark = "Metadata update for StreamTitle: "
  /// The beginning of the line about a connection that ended too early.
  private static let prematureMark = "Stream ends prematurely"
  /// The size of a stream whose server does not announce one, in the line about its end.
  private static let unknownSize = "should be \(UInt64.max)"
  /// The lines that only a live stream has: one of the server's headers, and no duration.
  private static let liveMarks = ["icy-", "Duration: N/A"]

  /// The first complaints, without FFmpeg's information.
  private(set) var complaints: [FFmpeg.Complaint] = []
  /// The newest title of a live stream.
  private(set) var title: String?
  private var isLive = false
  /// Whether less came than the server announced, or the connection was lost, live or not.
  private var isShort = false
  private var hasLoss = false
  private var hasEndedWithoutSize = false
  /// The beginning of an incomplete line.
  private var rest: [UInt8] = []

  /// Whether audio is missing; a live stream begins and ends anywhere, and its server may close it.
  var isCutOff: Bool { isShort || (hasLoss && !isLive) }

  /// Adds bytes of any number of lines.
  ///
  /// - Parameter name: the name of the input in FFmpeg's messages.
  mutating func add(_ bytes: some Sequence<UInt8>, name: String) {
    rest += bytes
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
    for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
      // Titles of old servers are Latin-1.
      let text = String(validating: line, as: UTF8.self)
      take(text ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })), name: name)
    }
    rest.removeFirst(end + 1)
  }

  private mutating func take(_ line: String, name: String) {
    let complaint = FFmpeg.Complaint(line[...], name: name)
    guard complaint.isInformation else { return keep(complaint) }
    let text = complaint.text.drop { $0 == " " }
    if let mark = text.firstRange(of: Self.titleMark), !text[mark.upperBound...].isEmpty {
      title = String(text[mark.upperBound...])
    }
    if title != nil || Self.liveMarks.contains(where: text.hasPrefix) { isLive = true }
  }

  private mutating func keep(_ complaint: FFmpeg.Complaint) {
    // FFmpeg calls the end of such a stream an error twice.
    if complaint.text.hasSuffix(Self.unknownSize) { return hasEndedWithoutSize = true }
    if hasEndedWithoutSize, complaint.text.hasSuffix("Input/output error") { return }
    let isBroken = complaint.isError && complaint.isAboutInput
    if isBroken || complaint.text.contains(Self.prematureMark) { isShort = true }
    if complaint.isLoss { hasLoss = true }
    if complaints.count < Self.most { complaints.append(complaint) }
  }
}
