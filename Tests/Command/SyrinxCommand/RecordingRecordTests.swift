import AudioCore
import AudioRecorderClient
import FoundationEssentials
import Testing

@testable import SyrinxCommand

struct RecordingRecordTests {
  /// Returns the line of an event after checking that the help documents its keys.
  private func line(_ event: RecordingEvent) throws -> String {
    let record = JSONRecord(event)
    for key in record.names {
      #expect(JSONRecord.recordingSchema.contains("\"\(key)\""), "\(key)")
    }
    return try record.jsonLine()
  }

  @Test
  func `levels are reported per channel, and the level of digital silence is omitted`() throws {
    let loud = ChannelLevel(
      peak: Decibels(-6.0206), rms: Decibels(-9), heldPeak: Decibels(-3),
      clippedSamples: 2)
    let levels = RecordingLevels(
      recorded: .microseconds(1_500_400), level: AudioLevel(peak: loud.peak, rms: loud.rms),
      channels: [loud, ChannelLevel(peak: .silence, rms: .silence)])
    #expect(
      try line(.levels(levels)) == """
        {"channels":[{"clipped":2,"heldPeak":-3,"peak":-6.02,"rms":-9},{"clipped":0}],\
        "event":"levels","peak":-6.02,"recorded":1.5,"rms":-9}
        """)
  }

  @Test
  func `the started event contains the formats of the file and of the device`() throws {
    let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let start = RecordingStart(device: "hw:0", deviceFormat: .speech, fileFormat: stereo)
    #expect(
      try line(.started(start)) == """
        {"channelCount":2,"device":"hw:0","deviceChannelCount":1,"deviceRate":16000,\
        "event":"started","rate":48000}
        """)
  }

  @Test
  func `the rolled event contains both file names`() throws {
    let rolled = RecordingRollover(
      finished: URL(filePath: "/a.wav"), frameCount: 48_000, next: URL(filePath: "/a-001.wav"))
    #expect(
      try line(.rolled(rolled))
        == #"{"event":"rolled","file":"/a.wav","frames":48000,"next":"/a-001.wav"}"#)
  }

  @Test
  func `the deviceReturned event contains the gap`() throws {
    #expect(try line(.deviceLost) == #"{"event":"deviceLost"}"#)
    #expect(
      try line(.deviceReturned(gap: .milliseconds(1_500)))
        == #"{"event":"deviceReturned","gap":1.5}"#)
  }

  @Test
  func `a single lost frame is not rounded to zero`() throws {
    let frame = FrameCount(1).duration(at: 48_000)
    #expect(
      try line(.xrun(frame)) == #"{"event":"xrun","lost":2.1e-05}"#)
  }

  @Test
  func `the diskLow event contains the remaining time`() throws {
    #expect(
      try line(.diskLow(left: .milliseconds(12_500)))
        == #"{"event":"diskLow","left":12.5}"#)
  }

  @Test
  func `the finished event contains the reason for the end`() throws {
    let finish = RecordingFinish(reason: .silence, frameCount: 800, recorded: .milliseconds(100))
    #expect(
      try line(.finished(finish))
        == #"{"event":"finished","frames":800,"reason":"silence","recorded":0.1}"#)
    #expect(try line(.waiting) == #"{"event":"waiting"}"#)
  }
}
