import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import Foundation
import SoundCard
import Testing

/// The test runs in a separate process, so that no other test uses threads or descriptors.
@Suite(.timeLimit(.minutes(5))) struct ManyStartsTests {
  @Test func `five hundred starts and cancels on ALSA leave no thread and no descriptor`() async {
    await #expect(processExitsWith: .success) {
      await withALSA {
        let clients = Clients(url: try TestALSA.ready().directory.appending(path: "left.wav"))
        for index in 0..<20 { try await clients.beginAndCancel(index) }
        let before = try ResourceSnapshot()
        for index in 0..<500 { try await clients.beginAndCancel(index) }
        let (isGone, last) = try await ResourceSnapshot.returned(to: before, atMost: .seconds(15))
        #expect(isGone, "\(last), not \(before)")
      }
    }
  }
}

/// A player and a recorder for all iterations.
///
/// Sharing them is safe, because a client stops only its own recordings.
private struct Clients {
  let player = AudioPlayerClient.liveValue
  let recorder = AudioRecorderClient.liveValue
  /// The file of every recording.
  let url: URL

  /// Starts a playback, a capture, or a recording, and ends it before it begins or at its first
  /// event.
  func beginAndCancel(_ index: Int) async throws {
    let device = AudioDevice.ID(rawValue: testCard(""))
    let isEarly = index / 3 % 2 == 0
    let task = Task { () async throws -> Bool in
      switch index % 3 {
      case 0:
        let sound = AudioBuffer(
          format: AudioFormat(sampleRate: 48_000, channelCount: 1), samples: ramp(4_800))
        let request = PlaybackRequest(
          source: .buffers([sound]), device: device, repetition: .forever)
        for try await _ in await player.playback(request: request) {
          return true
        }
      case 1:
        let request = CaptureRequest(device: device)
        for try await _ in await recorder.capture(request: request) {
          return true
        }
      default:
        let request = RecordingRequest(url: url, device: device)
        for try await _ in await recorder.recording(request: request) {
          return true
        }
      }
      return false
    }
    if isEarly { task.cancel() }
    let result = await task.result
    if !isEarly { try #require(try result.get()) }
    await player.stop()
    await recorder.stopRecording()
  }
}
