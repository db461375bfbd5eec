import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import TestTools
import VirtualSoundCard

/// A live recorder on a virtual card with the microphone `VirtualMicrophone.counting`.
///
/// The virtual card's time passes in steps of a 50 ms period, and only while a test waits.
final class RecorderHarness: Sendable {
  static let format = AudioFormat(sampleRate: 8_000, channelCount: 1)

  let card: VirtualSoundCard
  let clock = TestClock<Duration>()
  let url = FileManager.default.temporaryDirectory
    .appending(path: "syrinx-\(UUID().uuidString).wav")
  private let soundCard: SoundCard
  private let recorder: AudioRecorderClient
  private let log = EventLog<RecordingEvent>()

  /// Creates a recorder; `change` wraps the virtual card.
  init(
    faults: [VirtualFault], change: (inout SoundCard, TestClock<Duration>) -> Void = { _, _ in }
  ) {
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .counting, faults: faults, sampleRate: 8_000)
    self.card = card
    var soundCard = card.soundCard
    change(&soundCard, clock)
    self.soundCard = soundCard
    recorder = AudioRecorderClient.liveValue
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var events: [RecordingEvent] { log.events }

  var finish: RecordingFinish? {
    if case .finished(let finish) = events.last { finish } else { nil }
  }

  var gaps: [Duration] { events.compactMap(\.gap) }

  /// Begins to record, and returns when the file is open.
  func start(
    _ policy: DeviceLossPolicy = .wait(atMost: .seconds(60)), gaps: RecordingGapRule = .silence,
    length: Duration? = nil
  ) async -> Task<Void, any Error> {
    await start(
      RecordingRequest(
        url: url, encoding: .wavFloat, channelCount: 1,
        maximumDuration: length, gaps: gaps, onDeviceLoss: policy))
  }

  func start(_ request: RecordingRequest) async -> Task<Void, any Error> {
    let (recording, begun) = await begin(request)
    await begun.wait()
    return recording
  }

  /// Starts a recording; the gate opens at its first event.
  func begin(
    _ request: RecordingRequest
  ) async -> (recording: Task<Void, any Error>, begun: Gate) {
    let stream = await withDependencies {
      $0.soundCard = soundCard
      $0.continuousClock = clock
    } operation: {
      await recorder.recording(request: request)
    }
    let (recording, begun) = log.follow(stream)
    return (recording, begun)
  }

  /// Returns the live buffers of a capture.
  func capture(_ request: CaptureRequest) async -> AsyncThrowingStream<CapturedAudio, any Error> {
    await withDependencies {
      $0.soundCard = soundCard
      $0.continuousClock = clock
    } operation: {
      await recorder.capture(request: request)
    }
  }

  func stop() async { await recorder.stopRecording() }

  /// Returns when an event has come, without letting time pass.
  func sees(_ event: @escaping @Sendable (RecordingEvent) -> Bool) async {
    await log.sees(event)
  }

  /// Advances the clock until the device is unplugged, and no further.
  func passUntilUnplugged() async {
    while card.isPluggedIn {
      await clock.sleepers(atLeast: 1)
      guard card.isPluggedIn else { break }
      await clock.advance(by: .milliseconds(50))
    }
  }

  func pass(_ periods: Int) async {
    for _ in 0..<periods {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(50))
    }
  }

  /// Lets time pass until audio is captured after a loss, and then until the recording ends.
  func finish(_ recording: Task<Void, any Error>) async throws {
    while gaps.isEmpty { await pass(1) }
    let isOver = Gate()
    let end = Task {
      defer { isOver.open() }
      try await recording.value
    }
    // A sleep that begins after an advance lasts until another advance, so advance repeatedly.
    while !isOver.isOpen { await clock.advance(by: .seconds(1)) }
    try await end.value
  }

  /// Returns the samples of the file.
  func samples() throws -> [Float] {
    let reader = try SoundFileReader(url: url)
    var samples: [Float] = []
    while true {
      let buffer = try reader.read(atMost: 48_000)
      guard !buffer.isEmpty else { return samples }
      samples += buffer.samples
    }
  }
}

extension VirtualMicrophone {
  /// A microphone whose samples identify their frames, counted from the opening; see `counted(_:)`.
  ///
  /// No sample is silent.
  static let counting = VirtualMicrophone { format in
    { samples, first in
      for index in samples.indices {
        samples[index] = counted(first.rawValue + index / format.channelCount)
      }
      return FrameCount(samples.count / format.channelCount)
    }
  }
}

/// Returns the sample that the microphone captures at this frame.
func counted(_ frame: Int) -> Float { Float(frame % 30_000 + 1) / 32_768 }

extension RecordingEvent {
  var gap: Duration? { if case .deviceReturned(let gap) = self { gap } else { nil } }
}
