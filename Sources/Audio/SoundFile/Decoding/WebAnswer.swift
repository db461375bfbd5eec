import AudioThreads
import FilePaths

/// The answer of a web server: its headers, and the beginning of its content.
package struct WebAnswer: Sendable {
  /// The address that was asked, after redirections.
  package let address: String
  /// The media type in lowercase, without parameters; empty if the server names none.
  package let type: String
  /// The bytes that were read.
  package let bytes: [UInt8]
  /// Whether the end of the content, or its beginning if that was not wanted, came in time.
  package let isComplete: Bool
  /// The address of a redirection, as the server writes it.
  let location: String?

  /// How long a server may take to answer.
  static let timeout = Duration.seconds(10)
  /// The length of the beginning that shows what the content is, unless a line ends before that.
  private static let headLength = 512

  package init(address: String, type: String, bytes: [UInt8], isComplete: Bool = true) {
    (self.address, self.type, self.bytes, location) = (address, type, bytes, nil)
    self.isComplete = isComplete
  }

  /// Asks a server; nil if FFmpeg is not installed.
  ///
  /// - Parameters:
  ///   - longest: the number of bytes after which reading ends.
  ///   - deadline: the time at which it ends.
  ///   - isWanted: whether to read more than the first bytes, by the type and by these.
  init?(
    _ address: String, atMost longest: Int = 0, interruption: WakeUp,
    until deadline: ContinuousClock.Instant = ContinuousClock.now + timeout,
    isWanted: (_ type: String, _ head: [UInt8]) -> Bool = { _, _ in false }
  ) throws(SoundFileError) {
    guard let child = try FFmpeg(copying: address) else { return nil }
    let stream = StreamInput(
      source: child.output, path: address, interruption: interruption, deadline: deadline)
    var bytes: [UInt8] = []
    while !Self.isHead(bytes), case let more = try stream.next(atMost: 1 << 16), !more.isEmpty {
      bytes += more
    }
    self.address = address
    location = bytes.isEmpty ? Self.header("location", in: child) : nil
    let type = (Self.header("content-type", in: child) ?? "").prefix { $0 != ";" && $0 != " " }
    self.type = type.lowercased()
    if isWanted(self.type, bytes) {
      while bytes.count <= longest, case let more = try stream.next(atMost: 1 << 16),
        !more.isEmpty
      {
        bytes += more
      }
      // FFmpeg also calls the end of content without an announced length a failure.
      let isEnd = bytes.count <= longest
      isComplete = !(isEnd && child.isCutOff) && !(bytes.isEmpty && child.hasFailed())
    } else {
      isComplete = !bytes.isEmpty
    }
    self.bytes = bytes
    // It ends with the last reference.
    withExtendedLifetime(child) {}
  }

  /// Whether these bytes show what the content is.
  private static func isHead(_ bytes: [UInt8]) -> Bool {
    let newlines: Set = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    return bytes.count >= headLength
      || bytes.drop { newlines.contains($0) }.contains { newlines.contains($0) }
  }

  /// Reads a text on the web, such as a playlist, and follows redirections; nil if FFmpeg is not
  /// installed.
  ///
  /// - Parameters:
  ///   - longest: the number of bytes after which reading ends.
  ///   - isWanted: whether to read more than the first bytes, by the type and by these.
  /// - Throws: `.cannotRead` if a redirection leads where it must not, or too far.
  package static func following(
    _ address: String, atMost longest: Int,
    isWanted: (_ type: String, _ head: [UInt8]) -> Bool
  ) throws -> WebAnswer? {
    let (interruption, deadline) = (try WakeUp(), ContinuousClock.now + timeout)
    var target = address
    for _ in 0..<WebRedirection.mostSteps {
      let answer = try WebAnswer(
        target, atMost: longest, interruption: interruption, until: deadline, isWanted: isWanted)
      guard let next = try answer?.target(from: address) else { return answer }
      target = next
    }
    throw SoundFileError.cannotRead(path: address, reason: "it redirects too often")
  }

  /// The address to which it redirects; nil if it does not.
  ///
  /// - Parameter first: the address that the user gave.
  /// - Throws: `.cannotRead` if the redirection leads where it must not.
  func target(from first: String) throws(SoundFileError) -> String? {
    guard let location else { return nil }
    return try WebRedirection.address(location, in: address, from: first)
  }

  /// A header in FFmpeg's trace: "header='Location: …'".
  private static func header(_ name: String, in child: FFmpeg) -> String? {
    let (start, end) = ("header='\(name): ", "'")
    return child.complaints.map(\.text).first { $0.lowercased().hasPrefix(start) }
      .map { String($0.dropFirst(start.count).dropLast(end.count)) }
  }
}
