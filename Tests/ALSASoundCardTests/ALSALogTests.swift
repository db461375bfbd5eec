import Logging
import Synchronization
import Testing

@testable import ALSASoundCard

@Suite struct ALSALogTests {
  @Test func `what ALSA would print is a debug message`() {
    let book = Book()
    var logger = Logger(label: "test", factory: { _ in BookHandler(book: book) })
    logger.logLevel = .debug
    ALSALog.report("Unknown PCM nosuch", from: "snd_pcm_open", code: -2, to: logger)
    #expect(book.lines == ["debug: Unknown PCM nosuch (snd_pcm_open, -2)"])
  }

  @Test func `a log that is off makes no text of it`() {
    let book = Book()
    var logger = Logger(label: "test", factory: { _ in BookHandler(book: book) })
    logger.logLevel = .info
    var made = 0
    func text() -> String {
      made += 1
      return ""
    }
    ALSALog.report(text(), from: text(), code: 0, to: logger)
    #expect(made == 0)
    #expect(book.lines.isEmpty)
  }
}

/// Where the handler below writes.
private final class Book: Sendable {
  private let written = Mutex<[String]>([])
  var lines: [String] { written.withLock { $0 } }
  func add(_ line: String) { written.withLock { $0.append(line) } }
}

private struct BookHandler: LogHandler {
  let book: Book
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(book: Book) {
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
