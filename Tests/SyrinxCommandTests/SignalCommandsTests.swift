import AudioRecorderClient
import Glibc
import Testing

@testable import SyrinxCommand

struct SignalCommandsTests {
  @Test
  func `one signal begins the next file, the other pauses and resumes by turns`() {
    var commands = SignalCommands()
    let signals = [SIGUSR2, SIGUSR1, SIGUSR2, SIGUSR2, SIGINT]
    #expect(signals.map { commands.command(for: $0) } == [.pause, .roll, .resume, .pause, nil])
  }
}
