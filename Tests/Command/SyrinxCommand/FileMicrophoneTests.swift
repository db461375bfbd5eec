import AudioCore
import FilePaths
import FoundationEssentials
import SoundCard
import SoundFile
import TestTools
import Testing
import VirtualSoundCard

@testable import SyrinxCommand

struct FileMicrophoneTests {
  let folder: TestFolder
  let problems = FileProblems()

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `a virtual microphone delivers its file once, in the file's format, and ends`() async throws
  {
    try folder.tone("a.wav", .milliseconds(250))
    #expect(try await captured("a.wav") == folder.samples("a.wav"))
    #expect(problems.all.isEmpty)
  }

  @Test
  func `a truncated file is reported as exactly one problem`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_000)
    #expect(try await captured("cut.wav").count == 1_000)
    let shortfall = SoundFileShortfall(
      announced: 16_000, decoded: 1_000, sampleRate: 16_000)
    #expect(problems.all == [.shortfall(shortfall, file: FilePath(folder.file("cut.wav")))])
  }

  @Test
  func `a file without audio is refused when it is opened`() async throws {
    await #expect(throws: SoundFileError.self) { try await captured("missing.wav") }
  }

  private func captured(_ name: String) async throws -> [Float] {
    let path = FilePath(folder.file(name))
    let file = try await FileMicrophone.open(path: path) { [problems] in problems.append($0) }
    let card = VirtualSoundCard(pace: .untimed, microphone: file.microphone).soundCard
    let pcm = try await card.openCapture(
      request: PCMRequest(format: AudioFormat(sampleRate: 8_000, channelCount: 2)))
    defer { pcm.close() }
    #expect(pcm.configuration.format == .speech)
    try pcm.start()
    return try samples(of: pcm)
  }

  private func samples(of pcm: any CapturePCM) throws -> [Float] {
    var samples: [Float] = []
    var block = [Float](repeating: 0, count: 300)
    while try pcm.wait(for: .period, atMost: nil) != .ended {
      let transfer = try block.withUnsafeMutableBufferPointer { try pcm.read(into: $0) }
      if case .frames(let count) = transfer { samples += block.prefix(count.rawValue) }
    }
    return samples
  }
}
