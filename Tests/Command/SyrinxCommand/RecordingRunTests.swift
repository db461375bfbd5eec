import AudioCore
import AudioRecorderClient
import ClientDependencies
import Foundation
import Glibc
import Testing

@testable import SyrinxCommand

struct RecordingRunTests {
  @Test
  func `a device that ends before the requested length is an error`() throws {
    try ended(after: .seconds(1)).check(length: nil)
    try ended(after: .seconds(2)).check(length: .seconds(2))
    try ended(after: .seconds(2) - .microseconds(30)).check(length: .seconds(2))
    #expect(throws: CommandFailure.self) {
      try ended(after: .seconds(1)).check(length: .seconds(2))
    }
  }

  @Test
  func `a gap that ends a recording before the requested length is an error`() throws {
    let finish = RecordingFinish(reason: .gap, frameCount: 144_000, recorded: .seconds(3))
    try finish.check(length: nil)
    try finish.check(length: .seconds(3))
    let error = #expect(throws: CommandFailure.self) {
      try finish.check(length: .seconds(60))
    }
    #expect(
      error?.description
        == "audio was lost after 3.000 s, before the requested 60.000 s")
  }

  private func ended(after recorded: Duration) -> RecordingFinish {
    RecordingFinish(reason: .deviceEnded, frameCount: 1, recorded: recorded)
  }
}

struct SignalCommandTests {
  @Test
  func `SIGUSR1 begins the next file, and SIGUSR2 pauses or resumes the recording`() {
    #expect(RecordingCommand(signal: SIGUSR1, isPaused: false) == .roll)
    #expect(RecordingCommand(signal: SIGUSR1, isPaused: true) == .roll)
    #expect(RecordingCommand(signal: SIGUSR2, isPaused: false) == .pause)
    #expect(RecordingCommand(signal: SIGUSR2, isPaused: true) == .resume)
    #expect(RecordingCommand(signal: SIGINT, isPaused: false) == nil)
  }

  @Test
  func `after a failed pause, the next SIGUSR2 pauses instead of resuming`() async {
    let given = LockIsolated<[RecordingCommand]>([])
    var recorder = AudioRecorderClient()
    recorder.control = { _, command in
      given.withValue { $0.append(command) }
      if given.value.count == 1 { throw AudioRecorderError.system(reason: "busy") }
    }
    let signals = AsyncStream<Int32> { continuation in
      for signal in [SIGUSR2, SIGUSR2, SIGUSR1, SIGUSR2] { continuation.yield(signal) }
      continuation.finish()
    }
    var request = RecordingRequest(url: URL(filePath: "/a.wav"))
    request.id = "a"
    await handle(signals, recorder, request)
    #expect(given.value == [.pause, .pause, .roll, .resume])
  }
}
