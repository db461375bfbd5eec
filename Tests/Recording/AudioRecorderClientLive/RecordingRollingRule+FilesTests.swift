import AudioCore
import AudioRecorderClient
import Foundation
import SoundFile
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingRollingRuleFilesTests {
  private let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

  private func files(_ rolling: RecordingRollingRule, _ path: String, _ numbers: [Int]) -> [String]
  {
    numbers.map { rolling.file($0, of: URL(fileURLWithPath: path)).path }
  }

  private func room(
    _ rolling: RecordingRollingRule, frames: FrameCount, bytes: Int,
    _ encoding: SoundFileEncoding = .wav16
  ) -> FrameCount? {
    rolling.room(frames: frames, bytes: bytes, format: stereo, encoding: encoding)
  }

  @Test(arguments: [
    ("/a/b.wav", "/a/b.wav", "/a/b-001.wav", "/a/b-1000.wav"),
    ("/a/b", "/a/b", "/a/b-001", "/a/b-1000"),
    ("/a.b/c-%03d.wav", "/a.b/c-001.wav", "/a.b/c-002.wav", "/a.b/c-1001.wav"),
    ("/a/%d.flac", "/a/1.flac", "/a/2.flac", "/a/1001.flac"),
  ])
  func `files are numbered`(name: String, first: String, second: String, last: String) {
    for rolling in [
      RecordingRollingRule(length: .seconds(1)), RecordingRollingRule(byteCount: 10_000),
    ] {
      #expect(files(rolling, name, [0, 1, 1_000]) == [first, second, last])
    }
  }

  @Test func `without a limit a file name is used unchanged`() {
    #expect(
      files(RecordingRollingRule(), "/a/50%done.wav", [0, 1])
        == ["/a/50%done.wav", "/a/50%done-001.wav"])
  }

  @Test func `a file ends at the frame of its length limit`() {
    let rolling = RecordingRollingRule(length: .seconds(1))
    #expect(room(rolling, frames: 0, bytes: 0) == 48_000)
    #expect(room(rolling, frames: 47_999, bytes: 0) == 1)
    #expect(room(rolling, frames: 48_000, bytes: 0) == 0)
    #expect(room(rolling, frames: 48_001, bytes: 0) == 0)
  }

  @Test func `a file of linear PCM ends before the size is exceeded`() {
    let rolling = RecordingRollingRule(byteCount: 10_003)
    #expect(room(rolling, frames: 0, bytes: 44) == 2_489)
    #expect(room(rolling, frames: 0, bytes: 10_000) == 0)
    #expect(room(rolling, frames: 0, bytes: 44, .wav24) == 1_659)
  }

  @Test func `an encoded file ends when the size is reached`() {
    let rolling = RecordingRollingRule(byteCount: 10_000)
    #expect(room(rolling, frames: 0, bytes: 9_999, .flac16) == nil)
    #expect(room(rolling, frames: 0, bytes: 10_000, .flac16) == 0)
  }

  @Test func `without limits a file never ends`() {
    #expect(room(RecordingRollingRule(), frames: .init(1 << 40), bytes: 1 << 50) == nil)
  }
}
