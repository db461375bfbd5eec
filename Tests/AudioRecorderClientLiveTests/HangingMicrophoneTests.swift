import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import Synchronization
import Testing
import VirtualSoundCard

/// A microphone whose calls do not return: the file is closed and complete all the same.
@Suite struct HangingMicrophoneTests {
  @Test func `a microphone that hangs is lost, and what it heard before is in the file`()
    async throws
  {
    let (card, device) = try await hanging(afterReads: 4)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      try await with(device) { recorder in
        for try await _ in await recorder.recording(request: request(url)) {}
      }
    }
    #expect(try length(of: url) == 1_600)
    #expect(!device.closed.isOpen)
    device.release()
    await device.closed.wait()
    #expect(card.openDeviceCount == 0)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a recording that waits goes on with another opening while the first one hangs`()
    async throws
  {
    let (card, device) = try await hanging(afterReads: 4)
    let soundCard = card.soundCard
    let first = Mutex<HangingMicrophone?>(device)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    var request = request(url)
    request.maximumDuration = .seconds(30)
    request.onDeviceLoss = .wait(atMost: .seconds(60))
    let events = try await withDependencies {
      $0.soundCard = SoundCard(
        devices: { [] }, openPlayback: soundCard.openPlayback,
        openCapture: { request in
          if let first = first.withLock({ $0.take() }) { return first }
          return try await soundCard.openCapture(request: request)
        })
      $0.continuousClock = ContinuousClock()
    } operation: { [request] in
      let stream = await AudioRecorderClient.liveValue.recording(request: request)
      return try await stream.reduce(into: [RecordingEvent]()) { $0.append($1) }
    }
    let gaps = events.compactMap(\.gap)
    #expect(events.contains(.deviceLost))
    #expect(gaps.count == 1 && gaps[0] >= .seconds(1))
    #expect(try length(of: url) == 240_000)
    #expect(!device.closed.isOpen)
    device.release()
    await device.closed.wait()
    #expect(card.openDeviceCount == 0)
  }

  @Test func `stopRecording returns although the microphone hangs`() async throws {
    let (_, device) = try await hanging(afterReads: 4)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    try await with(device) { recorder in
      let stream = await recorder.recording(request: request(url))
      let events = Task { for try await _ in stream {} }
      await device.hangs.wait()
      await recorder.stopRecording()
      // It was stopped before it was known to be lost, or after: both are the truth.
      _ = await events.result
    }
    #expect(try length(of: url) == 1_600)
    device.release()
    await device.closed.wait()
  }

  private func request(_ url: URL) -> RecordingRequest {
    RecordingRequest(url: url, sampleRate: 8_000, channelCount: 1)
  }

  private func temporaryURL() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID().uuidString).wav")
  }

  private func length(of url: URL) throws -> FrameCount {
    let reader = try SoundFileReader(url: url)
    var count: FrameCount = 0
    while true {
      let read = try reader.read(atMost: 4_096).frameCount
      guard read > 0 else { return count }
      count += read
    }
  }

  private func hanging(
    afterReads count: Int
  ) async throws -> (VirtualSoundCard, HangingMicrophone) {
    let card = VirtualSoundCard(.init(pace: .untimed, microphone: .signal(.sine(440))))
    let pcm = try await card.soundCard.openCapture(
      request: PCMRequest(
        format: AudioFormat(sampleRate: 8_000, channelCount: 1), buffering: .recording))
    return (card, try HangingMicrophone(pcm, afterReads: count))
  }

  private func with<Value: Sendable>(
    _ device: HangingMicrophone, _ body: (AudioRecorderClient) async throws -> Value
  ) async throws -> Value {
    try await withDependencies {
      $0.soundCard.openCapture = { _ in device }
    } operation: {
      try await body(AudioRecorderClient.liveValue)
    }
  }
}

/// A microphone whose read does not return, from some read on and until it is released.
private final class HangingMicrophone: CapturePCM {
  let hangs = Gate()
  let closed = Gate()
  private let pcm: any CapturePCM
  private let released: WakeUp
  private let readsLeft: Atomic<Int>
  private let isReleased = Atomic<Bool>(false)

  init(_ pcm: any CapturePCM, afterReads count: Int) throws {
    self.pcm = pcm
    readsLeft = Atomic(count)
    released = try WakeUp()
  }

  /// Lets the read return, and every later one.
  func release() {
    isReleased.store(true, ordering: .releasing)
    released.signal()
  }

  var configuration: PCMConfiguration { pcm.configuration }
  var waker: WakeUp { pcm.waker }
  var elapsed: Duration { pcm.elapsed }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try pcm.wait(for: interest, atMost: timeout)
  }

  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    if readsLeft.wrappingSubtract(1, ordering: .relaxed).newValue < 0,
      !isReleased.load(ordering: .acquiring)
    {
      hangs.open()
      released.wait()
    }
    return try pcm.read(into: samples)
  }

  func start() throws(SoundCardError) { try pcm.start() }
  func drop() { pcm.drop() }

  func close() {
    pcm.close()
    closed.open()
  }
}
