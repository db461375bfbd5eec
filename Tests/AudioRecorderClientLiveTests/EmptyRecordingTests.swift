import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import Glibc
import SoundCard
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

/// Recordings that are stopped before there was anything to record.
@Suite(.timeLimit(.minutes(1))) struct EmptyRecordingTests {
  private let folder = RecordingFolder()

  /// Hears silence as fast as it can, and is stopped as soon as it waits for something louder.
  private func wait(_ request: RecordingRequest) async throws -> RecordingFinish? {
    let card = VirtualSoundCard(.init(pace: .untimed))
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

  @Test(arguments: ["wav", "flac", "ogg"]) func `where nothing was recorded there is no file`(
    format: String
  ) async throws {
    let url = folder.url(format)
    let rule = LevelRule(threshold: Decibels(dBFS: -40), hold: .milliseconds(100))
    let finish = try await wait(RecordingRequest(url: url, start: .atSound(rule)))
    #expect(finish?.frameCount == 0)
    #expect(finish?.reason == .stopped)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `an empty file is removed, but none that has taken its place`() throws {
    let (url, other) = (folder.url("a"), folder.url("b"))
    for file in [url, other] { try Data().write(to: file) }
    let empty = try #require(EmptyFile(url))
    try #require(rename(other.path, url.path) == 0)
    empty.remove()
    #expect(FileManager.default.fileExists(atPath: url.path))
    try #require(EmptyFile(url)).remove()
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `a name leads to the file that it led to, until another takes its place`() throws {
    let (url, other) = (folder.url("a"), folder.url("b"))
    for file in [url, other] { try Data([1]).write(to: file) }
    let identity = try #require(FileIdentity(of: url))
    #expect(FileIdentity(of: url) == identity)
    try #require(rename(other.path, url.path) == 0)
    #expect(FileIdentity(of: url) != identity)
    #expect(FileIdentity(of: folder.directory) == nil)
    #expect(FileIdentity(of: folder.url("c")) == nil)
  }
}
