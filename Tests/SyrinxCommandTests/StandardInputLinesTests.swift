import Foundation
import Glibc
import Testing

@testable import SyrinxCommand

struct StandardInputLinesTests {
  /// The lines of a text that arrives in these parts.
  private func lines(_ parts: [String]) -> [LineReader.Line] {
    var left = parts[...]
    var reader = LineReader { Array((left.popFirst() ?? "").utf8) }
    var lines: [LineReader.Line] = []
    while let line = reader.next() { lines.append(line) }
    return lines
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `lines end at newlines, wherever the parts of the input end`() {
    #expect(lines([]) == [])
    #expect(
      lines(["pau", "se\nseek", " 3\n\nst", "op"])
        == ["pause", "seek 3", "", "stop"].map(LineReader.Line.success))
  }

  @Test(arguments: [true, false])
  func `a line may have 4096 bytes, and the line after a longer one is read`(
    isTheLast: Bool
  ) {
    let end = isTheLast ? [] : ["\nstop\n"]
    let rest = isTheLast ? [] : [LineReader.Line.success("stop")]
    #expect(lines([text(4_096)] + end) == [.success(text(4_096))] + rest)
    #expect(lines([text(4_097)] + end) == [.failure(LineReader.tooLong)] + rest)
    #expect(
      lines(Array(repeating: text(4_096), count: 9) + end) == [.failure(LineReader.tooLong)]
        + rest)
  }

  @Test func `standard input is read only on demand`() async throws {
    let pipe = Pipe()
    let inlet = pipe.fileHandleForWriting
    let text = String(repeating: "volume 0.5\n", count: 2_000)
    try inlet.write(contentsOf: Data(text.utf8))
    let lines = try StandardInputLines(of: pipe.fileHandleForReading.fileDescriptor)
    func waiting() -> Int {
      var count: Int32 = 0
      _ = ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count)
      return Int(count)
    }
    #expect(waiting() == text.utf8.count)
    for _ in 0..<300 { #expect(await lines.next() == .success("volume 0.5")) }
    #expect(waiting() == text.utf8.count - 4_096)
    try inlet.close()
    for _ in 300..<2_000 { _ = await lines.next() }
    #expect(await lines.next() == nil)
  }
}
