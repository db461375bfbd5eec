import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import SyrinxTestSupport
import TestTools
import Testing

@Suite struct VirtualMicrophoneFileTests {
  private let folder: TestFolder
  private let said = AudioSignal.noise(seed: 3).buffer(
    .milliseconds(700), format: AudioFormat(sampleRate: 8_000, channelCount: 2))

  init() throws {
    folder = try TestFolder()
  }

  private func captured(_ microphone: VirtualMicrophone) async throws -> [Float] {
    let card = VirtualSoundCard(pace: .untimed, microphone: microphone)
    return try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let request = CaptureRequest(droppingOldestAfter: .seconds(60))
      return try await AudioRecorderClient.liveValue.capture(request: request)
        .reduce(into: []) { $0 += $1.buffer.samples }
    }
  }

  private func write(_ name: String) async throws -> URL {
    let url = folder.file(name)
    let writer = try SoundFileWriter(url: url, format: said.format, encoding: .wavFloat)
    try writer.write(said)
    try writer.close()
    return url
  }

  @Test func `a microphone that captures a file delivers the whole file to each capture`()
    async throws
  {
    let microphone = try VirtualMicrophone.file(await write("said.wav"))
    #expect(microphone.format == said.format)
    for _ in 0..<2 {
      #expect(try await captured(microphone) == said.samples)
    }
  }

  @Test func `a truncated file fails the capture`() async throws {
    let url = try await write("cut.wav")
    try FileHandle(forWritingTo: url).truncate(atOffset: 20_000)
    let microphone = try VirtualMicrophone.file(url)
    let error = await #expect(throws: AudioRecorderError.self) { try await captured(microphone) }
    #expect(error?.description.contains("the file is truncated") == true)
  }

  @Test func `a file that is not a sound file is rejected at once`() {
    #expect(throws: SoundFileError.self) {
      try VirtualMicrophone.file(folder.file("missing.wav"))
    }
  }
}
