import ALSASoundCard
import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import Foundation
import SoundCard
import SoundFile
import Testing

/// Tests canceled recordings from ALSA's test card.
///
/// The suite runs in a separate process, so that no other test uses threads or descriptors.
@Suite(.timeLimit(.minutes(5))) struct CancelledRecordingTests {
  @Test func `a recording on ALSA can be canceled in every state, and its file is complete`()
    async
  {
    await #expect(processExitsWith: .success) {
      await withALSA {
        let bench = try TestALSA.ready()
        // The first run is not measured, because it opens descriptors that stay open.
        try await cancel(in: .sounding, on: bench)
        for state in RecordingState.allCases {
          let before = try ResourceSnapshot()
          let url = try await cancel(in: state, on: bench)
          let (isGone, last) = try await ResourceSnapshot.returned(to: before, atMost: .seconds(15))
          #expect(isGone, "\(state): \(last), not \(before)")
          try check(url, state)
        }
      }
    }
  }
}

/// The states of a recording.
private enum RecordingState: CaseIterable {
  case opening, starting, waitingForSound, sounding, paused, recovering, suspended, hanging
  case waitingForDevice

  /// The card's fault that leads to the state; nil if no fault is needed.
  var script: String? {
    switch self {
    case .opening: "block_in=open block_ms=1500"
    case .starting: "again_in=start again_times=1000000"
    case .recovering: "xrun_at=9600 again_in=prepare again_at=9600 again_times=1000000"
    case .suspended: "suspend_at=9600 resume_again=1000000"
    case .hanging: "block_in=transfer block_at=9600 block_ms=1500"
    case .waitingForSound, .sounding, .paused, .waitingForDevice: nil
    }
  }

  func begins(with event: RecordingEvent) -> Bool {
    switch (self, event) {
    case (.waitingForSound, .waiting), (.sounding, .levels), (.paused, .paused),
      (.waitingForDevice, .deviceLost):
      true
    default: false
    }
  }

  /// Whether audio has been recorded before the state is reached.
  var hasFile: Bool {
    switch self {
    case .opening, .starting, .waitingForSound, .paused: false
    case .sounding, .recovering, .suspended, .hanging, .waitingForDevice: true
    }
  }
}

/// Begins a recording, cancels it in the given state, and returns the URL of its file.
@discardableResult
private func cancel(in state: RecordingState, on bench: TestALSA) async throws -> URL {
  let trouble = try state.script.map { _ in try FaultSignal(in: bench) }
  defer { trouble?.close() }
  let url = bench.directory.appending(path: "\(UUID().uuidString).wav")
  let script =
    state == .waitingForDevice
    ? "gone_at=9600 gone_for_ms=600000"
    : trouble.map { "\(state.script ?? "") tell=\($0.path)" } ?? ""
  var request = RecordingRequest(
    url: url, device: AudioDevice.ID(rawValue: testCard(script)), sampleRate: 48_000,
    channelCount: 1, id: "a", onDeviceLoss: .wait(atMost: .seconds(600)))
  if state == .waitingForSound {
    request.start = .atSound(LevelRule(threshold: Decibels(6), hold: .zero))
  }
  let recorder = AudioRecorderClient.liveValue
  let (begun, begins) = AsyncStream<Void>.makeStream()
  let recording = Task { [request] in
    defer { begins.finish() }
    for try await event in await recorder.recording(request: request) {
      if case .started = event, state == .paused {
        Task { try await recorder.control(id: "a", command: .pause) }
      }
      if state.begins(with: event) { begins.yield() }
    }
  }
  if let trouble {
    try await trouble.begins()
  } else {
    // If the stream ends first, the recording has not reached the state.
    try #require(await begun.first { true } != nil, "\(state)")
  }
  recording.cancel()
  _ = await recording.result
  return url
}

/// Checks that a file exists if audio was captured, and that its header is correct and its audio
/// begins with the ramp.
private func check(_ url: URL, _ state: RecordingState) throws {
  guard FileManager.default.fileExists(atPath: url.path) else {
    #expect(!state.hasFile, "\(state)")
    return
  }
  let reader = try SoundFileReader(url: url)
  let announced = try #require(reader.announcedFrameCount)
  let captured = try reader.read(atMost: 480_000)
  #expect(captured.frameCount == announced && reader.shortfall == nil, "\(state)")
  #expect(!state.hasFile || captured.samples.starts(with: ramp(2_400)), "\(state)")
}
