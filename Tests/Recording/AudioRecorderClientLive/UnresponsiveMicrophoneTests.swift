import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import Testing
import VirtualSoundCard

/// Tests that the file is complete and closed even if the microphone's calls do not return.
@Suite(.timeLimit(.minutes(5))) struct UnresponsiveMicrophoneTests {
  @Test(arguments: [PCMCall.wait, .transfer])
  func `a hanging microphone is reported as lost, and its earlier frames are in the file`(
    call: PCMCall
  ) async throws {
    let card = card(hangingIn: call)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    let began = ContinuousClock.now
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      try await record(request(url), on: card)
    }
    // The loss is normally reported within a second, and on a busy machine within five.
    #expect(ContinuousClock.now - began < .seconds(15))
    let captured = try length(of: url)
    #expect((1_200...1_600).contains(captured), "\(captured)")
    try await isClosedWhenReleased(card)
  }

  @Test func `a microphone that hangs at its start is reported as lost, and there is no file`()
    async throws
  {
    let card = card(hangingIn: .start, at: 0)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      try await record(request(url), on: card)
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try await isClosedWhenReleased(card)
  }

  @Test func `a recording waiting for a hanging device resumes when the device is opened again`()
    async throws
  {
    let card = card(hangingIn: .transfer)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    var request = request(url)
    request.maximumDuration = .seconds(30)
    request.onDeviceLoss = .wait(atMost: .seconds(60))
    let events = try await record(request, on: card)
    let gaps = events.compactMap(\.gap)
    #expect(events.contains(.deviceLost))
    #expect(gaps.count == 1 && gaps[0] >= .seconds(1))
    #expect(try length(of: url) == 240_000)
    try await isClosedWhenReleased(card)
  }

  @Test(arguments: [PCMCall.wait, .transfer, .close])
  func `stopRecording returns while the microphone hangs`(
    call: PCMCall
  ) async throws {
    let card = card(hangingIn: call)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    do {
      try await record(request(url), on: card) { event, recorder in
        guard case .started = event else { return }
        if call != .close { #expect(await card.blockedCall() == call) }
        await recorder.stopRecording()
      }
    } catch {
      // The loss may be detected before or after the stop, and both results are correct.
      #expect(error as? AudioRecorderError == .deviceLost("virtual"))
    }
    if call != .close {
      let reader = try SoundFileReader(url: url)
      #expect(reader.announcedFrameCount == (try length(of: url)))
      try await isClosedWhenReleased(card)
    } else {
      // The recording may be stopped before its first frame, and then there is no file to check.
      card.releaseBlockedCalls()
    }
  }

  @Test(arguments: [PCMCall.wait, .transfer])
  func `a slow device call causes a gap, and the timeline stays correct`(
    call: PCMCall
  ) async throws {
    let card = VirtualSoundCard(
      pace: .untimed, microphone: .counting,
      faults: [.blocked(in: call, at: 1_600, for: .milliseconds(500))])
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    var request = request(url)
    request.encoding = .wavFloat
    request.maximumDuration = .seconds(2)
    try await record(request, on: card)
    let samples = try SoundFileReader(url: url).read(atMost: 20_000).samples
    #expect(samples.count == 16_000)
    let silences = samples.indices.filter { samples[$0] == 0 }
    // The gap is 500 ms plus the frames in the device.
    #expect((4_000...5_600).contains(silences.count), "\(silences.count)")
    let isRight = samples.indices.allSatisfy { samples[$0] == 0 || samples[$0] == counted($0) }
    #expect(isRight)
    #expect(card.openDeviceCount == 0)
  }

  private func request(_ url: URL) -> RecordingRequest {
    RecordingRequest(url: url, sampleRate: 8_000, channelCount: 1)
  }

  private func card(
    hangingIn call: PCMCall, at frame: FrameCount = 1_600
  ) -> VirtualSoundCard {
    VirtualSoundCard(
      pace: .untimed, microphone: .signal(.sine(440)), faults: [.blocked(in: call, at: frame)])
  }

  private func isClosedWhenReleased(_ card: VirtualSoundCard) async throws {
    #expect(card.openDeviceCount == 1)
    card.releaseBlockedCalls()
    while card.openDeviceCount > 0 { await Task.yield() }
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

  @discardableResult
  private func record(
    _ request: RecordingRequest, on card: VirtualSoundCard,
    _ onEvent: (RecordingEvent, AudioRecorderClient) async -> Void = { _, _ in }
  ) async throws -> [RecordingEvent] {
    try await withDependencies {
      $0.soundCard = card.soundCard
      $0.continuousClock = ContinuousClock()
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      var events: [RecordingEvent] = []
      for try await event in await recorder.recording(request: request) {
        events.append(event)
        await onEvent(event, recorder)
      }
      return events
    }
  }
}
