import Foundation
import Glibc
import Testing

@testable import SyrinxCommand

struct StandardInputLinesTests {
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
    for _ in 0..<300 { #expect(try await lines.next() == "volume 0.5") }
    #expect(waiting() == text.utf8.count - 4_096)
    try inlet.close()
    for _ in 300..<2_000 { _ = try await lines.next() }
    #expect(try await lines.next() == nil)
  }
}
