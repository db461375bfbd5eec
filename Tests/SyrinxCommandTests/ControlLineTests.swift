import AudioPlayerClient
import Testing

@testable import SyrinxCommand

struct ControlLineTests {
  private func text(_ line: String) throws -> String? {
    try ControlLine(line).map { "\(try $0.command())" }
  }

  @Test
  func `a line is a command and its number`() throws {
    #expect(try text(" pause ")?.hasPrefix("pause") == true)
    #expect(try text("resume")?.hasPrefix("resume") == true)
    #expect(try text("skip") == "skip")
    #expect(try text("stop")?.hasPrefix("stop") == true)
    #expect(try text("seek 1.5")?.contains("1.5 seconds") == true)
    #expect(try text("volume\t0.25")?.contains("0.25") == true)
    #expect(try text("   ") == nil)
  }

  @Test(arguments: [
    "play", "pause now", "seek", "seek -1", "seek nan", "seek 1 2", "volume 2", "volume loud",
  ])
  func `any other is told to be none`(line: String) throws {
    let error = #expect(throws: ControlLine.Wrong.self) { _ = try text(line) }
    #expect(error?.line == line)
    #expect(error?.description.contains("seek SECONDS") == true)
  }
}
