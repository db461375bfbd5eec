import AudioCore
import AudioRecorderClient
import Foundation
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureRequestDeviceTests {
  @Test func `the device is opened with the channels that are picked from it`() {
    let request = CaptureRequest(channelCount: 1, channels: [3, 0])
    #expect(request.deviceRequest.format.channelCount == 4)
    #expect(CaptureRequest(channelCount: 2).deviceRequest.format.channelCount == 2)
  }

  @Test(arguments: [([0], 2), ([1], 2), ([1, 0], 2), ([2], 3), ([3, 0], 4)])
  func `a device is not opened in mono to pick a channel, because a server would mix all channels`(
    picked: [Int], opened: Int
  ) throws {
    let url = URL(filePath: "a.wav")
    let recording = RecordingRequest(url: url, channelCount: 1, channels: picked)
    #expect(recording.deviceRequest.format.channelCount == opened)
    let request = CaptureRequest(channelCount: 1, channels: picked)
    #expect(request.deviceRequest.format.channelCount == opened)
  }

  @Test(
    arguments: [
      (nil, nil, 48_000, 2), (16_000, 1, 48_000, 2), (22_050, 1, 44_100, 2), (8_000, 4, 48_000, 4),
      (44_100, 1, 44_100, 2), (48_000, 2, 48_000, 2), (96_000, 1, 96_000, 2),
    ] as [(SampleRate?, Int?, SampleRate, Int)])
  func `the device is opened in a format that also suits later consumers`(
    rate: SampleRate?, channels: Int?, openedRate: SampleRate, openedChannels: Int
  ) {
    let request = CaptureRequest(sampleRate: rate, channelCount: channels).deviceRequest
    #expect(
      request.format == AudioFormat(sampleRate: openedRate, channelCount: openedChannels))
    #expect(request.prefersNativeRate)
  }

  @Test func `small capture buffers wake the device more often but do not shrink its buffer`() {
    let quick = CaptureRequest(framesPerBuffer: 480).deviceRequest.buffering
    #expect(quick == PCMBuffering(period: .milliseconds(10), periodCount: 20))
    let quickest = CaptureRequest(framesPerBuffer: 1).deviceRequest.buffering
    #expect(quickest == PCMBuffering(period: .milliseconds(5), periodCount: 40))
    #expect(CaptureRequest(framesPerBuffer: 48_000).deviceRequest.buffering == .capture)
  }

  @Test(arguments: [0, -1, 33_554_432])
  func `an impossible buffer size is refused`(frames: FrameCount) {
    #expect(throws: AudioRecorderError.self) {
      try CaptureRequest(framesPerBuffer: frames).check()
    }
  }
}
