import Logging
import Synchronization
import Testing

@testable import ALSASoundCard

@Suite struct ALSASoundCardLogTests {
  @Test func `ALSA's messages are logged at level debug`() {
    let book = MessageLog()
    var logger = Logger(label: "test", factory: { _ in MessageLogHandler(book: book) })
    logger.logLevel = .debug
    logger.report("Unknown PCM nosuch", from: "snd_pcm_open", code: -2)
    #expect(book.lines == ["debug: Unknown PCM nosuch (snd_pcm_open, -2)"])
  }

  @Test func `a disabled log level formats no message`() {
    let book = MessageLog()
    var logger = Logger(label: "test", factory: { _ in MessageLogHandler(book: book) })
    logger.logLevel = .info
    var made = 0
    func text() -> String {
      made += 1
      return ""
    }
    logger.report(text(), from: text(), code: 0)
    #expect(made == 0)
    #expect(book.lines.isEmpty)
  }
}

/// The messages logged through `MessageLogHandler`.
private final class MessageLog: Sendable {
  private let written = Mutex<[String]>([])
  var lines: [String] { written.withLock { $0 } }
  func add(_ line: String) { written.withLock { $0.append(line) } }
}

private struct MessageLogHandler: LogHandler {
  let book: MessageLog
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(book: MessageLog) {
    self.book = book
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let function = event.metadata?["function"].map { "\($0)" } ?? ""
    let code = event.metadata?["code"].map { "\($0)" } ?? ""
    book.add("\(event.level): \(event.message) (\(function), \(code))")
  }
}
