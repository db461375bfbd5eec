import AudioCore
import AudioRecorderClient
import Foundation
import SoundFile
import Testing

@testable import AudioRecorderClientLive

@Suite struct RollingPlanTests {
  private let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

  private func plan(
    _ rolling: RecordingRollingRule, _ path: String = "/a/b.wav",
    _ encoding: SoundFileEncoding = .wav16
  ) -> RollingPlan {
    RollingPlan(
      rolling, url: URL(fileURLWithPath: path), format: stereo, encoding: encoding)
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
      let plan = plan(rolling, name)
      #expect([0, 1, 1_000].map { plan.file($0).path } == [first, second, last])
    }
  }

  @Test func `without a limit a file name is used unchanged`() {
    let plan = plan(RecordingRollingRule(), "/a/50%done.wav")
    #expect([0, 1].map { plan.file($0).path } == ["/a/50%done.wav", "/a/50%done-001.wav"])
  }

  @Test func `a file ends at the frame of its length limit`() {
    let plan = plan(RecordingRollingRule(length: .seconds(1)))
    #expect(plan.room(frames: 0, bytes: 0) == 48_000)
    #expect(plan.room(frames: 47_999, bytes: 0) == 1)
    #expect(plan.room(frames: 48_000, bytes: 0) == 0)
    #expect(plan.room(frames: 48_001, bytes: 0) == 0)
  }

  @Test func `a file of linear PCM ends before the size is exceeded`() {
    let plan = plan(RecordingRollingRule(byteCount: 10_003))
    #expect(plan.room(frames: 0, bytes: 44) == 2_489)
    #expect(plan.room(frames: 0, bytes: 10_000) == 0)
    let wide = self.plan(RecordingRollingRule(byteCount: 10_003), "/a.wav", .wav24)
    #expect(wide.room(frames: 0, bytes: 44) == 1_659)
  }

  @Test func `an encoded file ends when the size is reached`() {
    let plan = plan(RecordingRollingRule(byteCount: 10_000), "/a.flac", .flac16)
    #expect(plan.room(frames: 0, bytes: 9_999) == nil)
    #expect(plan.room(frames: 0, bytes: 10_000) == 0)
  }

  @Test func `without limits a file never ends`() {
    #expect(plan(RecordingRollingRule()).room(frames: .init(1 << 40), bytes: 1 << 50) == nil)
  }
}
