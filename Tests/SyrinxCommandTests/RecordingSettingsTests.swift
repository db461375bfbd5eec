import AudioCore
import AudioRecorderClient
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

  @Test
  func `a loss that ends a recording is an error where a length was asked for`() throws {
    let finish = RecordingFinish(reason: .gap, frameCount: 144_000, recorded: .seconds(3))
    try RecordingSettings().check(finish)
    try RecordingSettings(length: .seconds(3)).check(finish)
    let error = #expect(throws: CommandFailure.self) {
      try RecordingSettings(length: .seconds(60)).check(finish)
    }
    #expect(
      error?.description
        == "sound was lost after 3.000 s, before the 60.000 s that were asked for")
  }
}
