import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import Foundation
import Glibc
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

/// The threads that write recordings.
@Suite(.timeLimit(.minutes(5))) struct RecordingThreadsTests {
  private static let rate = SampleRate(hertz: 8_000)
  private let folder = RecordingFolder()

  /// Runs in a separate process, in which no other test has threads.
  @Test func `16 recordings need at most six threads, which end with the recordings`() async {
    await #expect(processExitsWith: .success) {
      let folder = RecordingFolder()
      try await RecordingThreadsTests.recordSixteen(in: folder)
      while try !ProcessResources.threadNames().isEmpty { await Task.yield() }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.directory.path)
      #expect(files.count == 16)
    }
  }

  /// Makes 16 recordings, and counts the threads when each file has been flushed.
  private static func recordSixteen(in folder: RecordingFolder) async throws {
    // No call counts as blocked, however busy the machine is.
    let threads = RecordingThreads(
      writing: SharedThreadPool(name: "syrinx-record", joinDelay: .seconds(3_600)),
      storing: SharedThreadPool(name: "syrinx-store", joinDelay: .seconds(3_600)))
    let recorder = AudioRecorder(threads: threads)
    let streams = await withDependencies {
      $0.soundCard = VirtualSoundCard(pace: .realTime, sampleRate: rate).soundCard
    } operation: {
      var streams: [AsyncThrowingStream<RecordingEvent, any Error>] = []
      for index in 0..<16 {
        let url = folder.url(["wav", "flac", "ogg", "opus"][index % 4])
        streams.append(await recorder.recording(RecordingRequest(url: url)))
      }
      return streams
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      let flushed = streams.map { _ in Gate() }
      for (stream, flushed) in zip(streams, flushed) {
        group.addTask {
          for try await event in stream {
            // A file is flushed after each second.
            if case .levels(let levels) = event, levels.recorded >= .milliseconds(1_500) {
              flushed.open()
            }
          }
        }
      }
      for gate in flushed { await gate.wait() }
      let names = try ProcessResources.threadNames()
      #expect(names.count <= 6, "\(names)")
      let storing = names.count { $0 == "syrinx-store\n" }
      #expect((1...2).contains(storing), "\(names)")
      await recorder.stop()
      try await group.waitForAll()
    }
  }

  /// A recording that waited for another thread before each block would take longer than the time
  /// limit.
  @Test func `a recording is complete while others wait for a blocked output`() async throws {
    let recorder = AudioRecorder(
      threads: RecordingThreads(
        writing: SharedThreadPool(name: "syrinx-record", joinDelay: .seconds(2))))
    let pipes = try (0..<4).map { _ in try FullPipe() }
    let waiting = await withDependencies {
      $0.soundCard = VirtualSoundCard(pace: .realTime, sampleRate: Self.rate).soundCard
    } operation: {
      var waiting: [Task<Void, any Error>] = []
      for pipe in pipes {
        let stream = await recorder.recording(RecordingRequest(.descriptor(pipe.input)))
        waiting.append(Task { for try await _ in stream {} })
      }
      return waiting
    }
    let clock = TestClock()
    let events = await withDependencies {
      $0.soundCard = VirtualSoundCard(pace: .lockstep(clock), sampleRate: Self.rate).soundCard
    } operation: {
      await recorder.recording(
        RecordingRequest(url: folder.url("wav"), maximumDuration: .seconds(60)))
    }
    let finish = Task {
      try await events.reduce(nil as RecordingFinish?) { last, event in
        if case .finished(let finish) = event { finish } else { last }
      }
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(61))
    #expect(try await finish.value?.recorded == .seconds(60))
    for pipe in pipes { pipe.close() }
    for task in waiting {
      await #expect(throws: AudioRecorderError.self) { try await task.value }
    }
  }

  /// Runs in a separate process, because the busy tasks would stop the other tests.
  @Test func `a recording proceeds although tasks occupy Swift's cooperative pool`() async {
    await #expect(processExitsWith: .success) {
      let folder = RecordingFolder()
      let (begun, goOn, isOver) = (Gate(), try WakeUp(), try WakeUp())
      let url = folder.url("wav")
      let request = RecordingRequest(url: url, maximumDuration: .seconds(50))
      let recording = Recording(
        request, on: CaptureDevices(), threads: RecordingThreads()
      ) { event in
        guard case .levels(let levels) = event else { return }
        // The first event blocks the recording until the pool is occupied.
        if !begun.isOpen {
          begun.open()
          goOn.wait()
        }
        if levels.recorded >= .seconds(40) { isOver.signal() }
      }
      let card = VirtualSoundCard(pace: .untimed, sampleRate: RecordingThreadsTests.rate)
      recording.start(on: card.soundCard, clock: ContinuousClock())
      await begun.wait()
      let (isRecorded, wereAlone) = try await withBusyTasks {
        goOn.signal()
        return isOver.wait(atMost: .seconds(240))
      }
      #expect(isRecorded && wereAlone)
      let finish = try await recording.ended()
      #expect(try folder.read(url).frameCount == finish.frameCount)
    }
  }
}

/// A pipe that nobody reads, and that has no room.
private final class FullPipe: Sendable {
  let input: Int32
  private let output: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw CancellationError() }
    (output, input) = (ends[0], ends[1])
    var descriptor = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
    let zeros = [UInt8](repeating: 0, count: 4_096)
    while poll(&descriptor, 1, 0) == 1 { _ = write(input, zeros, zeros.count) }
  }

  deinit {
    Glibc.close(input)
  }

  /// Closes the end that is read, so that writes fail.
  func close() { Glibc.close(output) }
}
