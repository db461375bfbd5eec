import AudioRecorderClient
import Glibc
import Testing

@testable import SyrinxCommand

struct SignalCommandsTests {
  @Test
  func `one signal begins the next file, the other pauses and resumes by turns`() {
    var commands = SignalCommands()
    let signals = [SIGUSR2, SIGUSR1, SIGUSR2, SIGUSR2, SIGINT]
    let given = signals.map { signal in
      let command = commands.command(for: signal)
      if let command { commands.succeeded(command) }
      return command
    }
    #expect(given == [.pause, .roll, .resume, .pause, nil])
  }

  @Test
  func `a pause that came to nothing is no pause to end`() {
    let commands = SignalCommands()
    #expect([SIGUSR2, SIGUSR2].map { commands.command(for: $0) } == [.pause, .pause])
  }
}
