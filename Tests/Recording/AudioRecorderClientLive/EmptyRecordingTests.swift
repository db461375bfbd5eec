import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

/// Recordings that are stopped before any audio was recorded.
@Suite(.timeLimit(.minutes(5))) struct EmptyRecordingTests {
  private let folder = RecordingFolder()

  /// Captures silence at full speed, and stops the recording once it waits for a louder sound.
  private func wait(_ request: RecordingRequest) async throws -> RecordingFinish? {
    let card = VirtualSoundCard(pace: .untimed)
    return try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      var finish: RecordingFinish?
      for try await event in await recorder.recording(request: request) {
        if event == .waiting { await recorder.stopRecording() }
        if case .finished(let end) = event { finish = end }
      }
      return finish
    }
  }

  @Test(arguments: ["wav", "flac", "ogg"]) func `a recording without frames leaves no file`(
    format: String
  ) async throws {
    let url = folder.url(format)
    let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))
    let finish = try await wait(RecordingRequest(url: url, start: .atSound(rule)))
    #expect(finish?.frameCount == 0)
    #expect(finish?.reason == .stopped)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(arguments: ["wav", "flac", "ogg"])
  func `a recording without frames keeps the file of an earlier recording`(
    format: String
  ) async throws {
    let url = folder.url(format)
    let old = Data("old".utf8)
    try old.write(to: url)
    let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))
    #expect(try await wait(RecordingRequest(url: url, start: .atSound(rule)))?.frameCount == 0)
    #expect(try Data(contentsOf: url) == old)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.directory.path)
    #expect(names == [url.lastPathComponent])
  }
}
