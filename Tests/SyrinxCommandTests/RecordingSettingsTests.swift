import Testing

@testable import SyrinxCommand

struct RecordingSettingsTests {
  @Test
  func `a device that ends early is an error where a length was asked for`() throws {
    try RecordingSettings().check(recorded: .seconds(1))
    let settings = RecordingSettings(length: .seconds(2))
    try settings.check(recorded: .seconds(2))
    try settings.check(recorded: .seconds(2) - .microseconds(30))
    #expect(throws: CommandFailure.self) { try settings.check(recorded: .seconds(1)) }
  }
}
