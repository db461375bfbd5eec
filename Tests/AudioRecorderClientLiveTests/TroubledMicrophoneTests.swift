import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import Testing
import VirtualSoundCard

/// A virtual microphone that sleeps or stalls.
@Suite struct TroubledMicrophoneTests {
  @Test func `a machine that slept leaves silence of its sleep in the file`() async throws {
    let card = card(.suspended(at: 1_600, lost: 800))
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    let events = try await record(url, on: card)
    #expect(events.contains(.xrun(.milliseconds(100))))
    let samples = try SoundFileReader(url: url).read(atMost: 8_000).samples
    #expect(samples.count == 4_000)
    // What the device still held comes after the silence: it is told as soon as it is known.
    let before = try #require(samples.firstIndex(of: 0))
    #expect(before <= 1_600)
    #expect(samples[before..<(before + 800)].allSatisfy { $0 == 0 })
    #expect(samples[(before + 800)...].allSatisfy { $0 != 0 })
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a microphone that stalls is given up, and what it heard is in the file`()
    async throws
  {
    let card = card(.stalled(at: 1_600))
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    let error = await #expect(throws: AudioRecorderError.self) { try await record(url, on: card) }
    #expect("\(String(describing: error))".contains("it gives no frames"))
    #expect(try SoundFileReader(url: url).read(atMost: 8_000).frameCount == 1_600)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a microphone that is never ready is given up, and its file is complete and empty`()
    async throws
  {
    let card = card(.neverReady)
    let url = temporaryURL()
    defer { try? FileManager.default.removeItem(at: url) }
    await #expect(throws: AudioRecorderError.self) { try await record(url, on: card) }
    #expect(try SoundFileReader(url: url).read(atMost: 8_000).frameCount == 0)
    #expect(card.openDeviceCount == 0)
  }

  /// A card whose microphone hears a constant, so that silence shows.
  private func card(_ fault: VirtualFault) -> VirtualSoundCard {
    let constant = AudioBuffer(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1),
      samples: [Float](repeating: 0.5, count: 8_000))
    return VirtualSoundCard(
      .init(pace: .untimed, microphone: .buffer(constant), faults: [fault]))
  }

  private func temporaryURL() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID().uuidString).wav")
  }

  private func record(_ url: URL, on card: VirtualSoundCard) async throws -> [RecordingEvent] {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      let stream = await recorder.recording(
        request: RecordingRequest(
          url: url, sampleRate: 8_000, channelCount: 1, maximumDuration: .milliseconds(500)))
      return try await stream.reduce(into: []) { $0.append($1) }
    }
  }
}
