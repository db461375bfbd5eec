import AudioCore
import AudioRecorderClient
import Foundation
import SoundFile
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingRequestOutputTests {
  private func url(_ name: String) -> URL { URL(fileURLWithPath: name) }

  @Test(arguments: [("a.wav", "WAV, 16 bit"), ("a.FLAC", "FLAC, 16 bit"), ("a.opus", "Opus")])
  func `the extension selects the format`(name: String, encoding: String) throws {
    let found = try RecordingRequest(url: url(name)).checkedEncoding()
    #expect("\(found)" == encoding)
  }

  @Test func `a requested encoding takes precedence over the extension`() throws {
    let request = RecordingRequest(url: url("a.wav"), encoding: .wav24)
    #expect(try request.checkedEncoding() == .wav24)
  }

  @Test func `an unknown extension is refused`() {
    #expect(throws: AudioRecorderError.unknownFileFormat(url("a.txt"))) {
      _ = try RecordingRequest(url: url("a.txt")).checkedEncoding()
    }
  }

  @Test func `an impossible format is refused with an error that contains its value`() {
    let refused = [
      RecordingRequest(url: url("a.wav"), channelCount: 0),
      RecordingRequest(url: url("a.wav"), channelCount: 33),
      RecordingRequest(url: url("a.wav"), maximumDuration: .zero),
      RecordingRequest(url: url("a.opus"), sampleRate: 44_100),
      RecordingRequest(url: url("a.flac"), sampleRate: 700_000),
      RecordingRequest(url: url("a.ogg"), sampleRate: 768_000),
      RecordingRequest(url: url("a.mp3"), channelCount: 3),
    ]
    let values = ["0", "33", "0.0 s", "44100 Hz", "655350 Hz", "768000 Hz", "3"]
    for (request, value) in zip(refused, values) {
      let error = #expect(throws: AudioRecorderError.self) { _ = try request.checkedEncoding() }
      #expect(error.map { "\($0)".contains(value) } == true)
    }
  }

  @Test func `the file has the device's rate, or the next rate that its container supports`() throws
  {
    let device = AudioFormat(sampleRate: 44_100, channelCount: 1)
    for (name, rate) in [("a.wav", 44_100), ("a.opus", 48_000)] as [(String, SampleRate)] {
      let request = RecordingRequest(url: url(name))
      #expect(
        request.fileFormat(try request.checkedEncoding(), on: device)
          == AudioFormat(sampleRate: rate, channelCount: 1))
    }
  }

  @Test(arguments: SoundFileEncoding.Container.allCases)
  func `every container can be recorded with its default samples`(
    container: SoundFileEncoding.Container
  ) throws {
    let format = SoundFileEncoding(container)
    let request = RecordingRequest(url: url("a"), encoding: format)
    let encoding = try request.checkedEncoding()
    #expect(encoding.container.rawValue == container.rawValue)
    let device = AudioFormat(sampleRate: 48_000, channelCount: 6)
    let channels = request.fileFormat(encoding, on: device).channelCount
    #expect(channels == (container == .mp3 ? 2 : 6))
  }
}
