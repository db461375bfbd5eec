import AudioPlayerClient
import Testing

@testable import SyrinxCommand

struct ControlLineTests {
  private func text(_ line: String) throws -> String? {
    try ControlLine(line).map { "\(try $0.command(fileCount: 3))" }
  }

  @Test
  func `a control line consists of a command and its values`() throws {
    #expect(try text(" pause ")?.hasPrefix("pause") == true)
    #expect(try text("resume")?.hasPrefix("resume") == true)
    #expect(try text("skip") == "skip")
    #expect(try text("stop")?.hasPrefix("stop") == true)
    #expect(try text("seek 1.5")?.contains("1.5 seconds") == true)
    #expect(try text("volume\t0.25")?.contains("0.25") == true)
    #expect(try text("   ") == nil)
  }

  @Test
  func `a control line can end with the duration of a fade or ramp`() throws {
    guard case .pause(let pause)? = try command("pause 0.5"),
      case .resume(let resume)? = try command("resume 0"),
      case .stop(let stop)? = try command("stop 3"),
      case .setVolume(let volume, let ramp)? = try command("volume 0.25 2")
    else { return #expect(Bool(false)) }
    #expect(pause == .milliseconds(500) && resume == .zero && stop == .seconds(3))
    #expect(volume == 0.25 && ramp == .seconds(2))
    guard case .stop(.milliseconds(10))? = try command("stop"),
      case .setVolume(1, .milliseconds(20))? = try command("volume 1")
    else { return #expect(Bool(false)) }
  }

  @Test
  func `control lines accept times and volumes in the forms of the options`() throws {
    guard case .seek(.time(let time), _)? = try command("seek 1:30"),
      case .pause(let fade)? = try command("pause 500ms"),
      case .setVolume(let volume, let ramp)? = try command("volume 50% 2s"),
      case .setVolume(let softer, _)? = try command("volume -6dB")
    else { return #expect(Bool(false)) }
    #expect(time == .seconds(90) && fade == .milliseconds(500))
    #expect(volume == 0.5 && ramp == .seconds(2))
    #expect(abs(softer - 0.5012) < 1e-4)
  }

  @Test
  func `seek accepts a file number, counted from 1`() throws {
    guard case .seek(.time(let time), let current)? = try command("seek 5"), time == .seconds(5),
      case .seek(.time(.zero), let last)? = try command("seek 0 3")
    else { return #expect(Bool(false)) }
    #expect(current == nil && last == 2)
    let error = #expect(throws: CommandFailure.self) { _ = try command("seek 0 4") }
    #expect(error?.description == "file 4 does not exist; the files are 1 to 3")
    let zero = #expect(throws: CommandFailure.self) { _ = try command("seek 0 0") }
    #expect(zero?.description == "file 0 does not exist; the files are 1 to 3")
  }

  private func command(_ line: String) throws -> PlaybackCommand? {
    try ControlLine(line)?.command(fileCount: 3)
  }

  @Test(arguments: [
    "play", "pause now", "seek", "seek -1", "seek nan", "seek 1 b.wav", "seek 1 1 1", "volume 11",
    "volume loud", "volume 1 -1", "pause -1", "resume inf", "stop 1 2", "stop 3601", "skip 1",
  ])
  func `an unknown control line is an error that lists the commands`(line: String) throws {
    let error = #expect(throws: CommandFailure.self) { _ = try text(line) }
    #expect(error?.description.hasPrefix("\"\(line)\" is not a command") == true)
    #expect(error?.description.contains("seek TIME") == true)
  }
}
