import Testing

@testable import SyrinxCommand

struct RecordReaderTests {
  private typealias Line = Result<String, CommandFailure>

  private let tooLong = CommandFailure(
    "a command was skipped: its line is longer than 4096 bytes; end each command with a newline")

  /// Returns the lines of a text that arrives in these parts.
  private func lines(_ parts: [String]) -> [Line] {
    var left = parts[...]
    var reader = RecordReader.ofCommands { Array((left.popFirst() ?? "").utf8) }
    var lines: [Line] = []
    while true {
      do {
        guard let line = try reader.next() else { return lines }
        lines.append(.success(String(decoding: line, as: UTF8.self)))
      } catch {
        lines.append(.failure(error as? CommandFailure ?? CommandFailure("\(error)")))
      }
    }
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `lines end at newlines, wherever the parts of the input end`() {
    #expect(lines([]) == [])
    #expect(
      lines(["pau", "se\nseek", " 3\n\nst", "op"])
        == ["pause", "seek 3", "stop"].map(Line.success))
  }

  @Test(arguments: [true, false])
  func `a line may have 4096 bytes, and the line after a longer line is read`(
    isTheLast: Bool
  ) {
    let end = isTheLast ? [] : ["\nstop\n"]
    let rest = isTheLast ? [] : [Line.success("stop")]
    #expect(lines([text(4_096)] + end) == [.success(text(4_096))] + rest)
    #expect(lines([text(4_097)] + end) == [.failure(tooLong)] + rest)
    #expect(lines([text(4_097) + "\n"] + end) == [.failure(tooLong)] + rest)
    #expect(lines(Array(repeating: text(4_096), count: 9) + end) == [.failure(tooLong)] + rest)
  }

  @Test func `a record that is too long is skipped without an error`() throws {
    var left = ["123", "45", "6,78,", "9,abcd,e"].map { Array($0.utf8) }[...]
    var reader = RecordReader(separator: UInt8(ascii: ","), longest: 3) { left.popFirst() ?? [] }
    var records: [String] = []
    while let record = try reader.next() { records.append(String(decoding: record, as: UTF8.self)) }
    #expect(records == ["78", "9", "e"])
  }
}
