import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Counts the disk calls of a recording at the C library.
@Suite(.timeLimit(.minutes(5))) struct DiskCallsTests {
  let folder: TestFolder
  let alsa: ALSASetup

  init() async throws {
    folder = try TestFolder()
    alsa = try await ALSASetup(in: folder)
    let source = ALSASetup.support("file-calls.c")
    let built = try await BuiltCommand.shell(
      "cc -shared -fPIC -O1 -o file-calls.so '\(source)'", in: folder)
    guard built.status == 0 else { throw ToolMissing(description: "\(built.error)") }
  }

  /// There can be fewer syncs than seconds, because requests during a running sync are merged.
  @Test(arguments: ["out.wav", "out.ogg"])
  func `a recording is synced to disk every second`(file: String) async throws {
    let run = try await record("\(file) --seconds 3.1", variables: "SYNCS=syncs")
    #expect(run.status == 0, "\(run.error)")
    let count = try Int(String(contentsOf: folder.file("syncs"), encoding: .utf8))
    #expect((2...3).contains(try #require(count)), "\(count ?? -1)")
  }

  @Test(arguments: ["out.wav", "out.flac", "out.ogg", "out.mp3"])
  func `a recording that loses its write permission fails and keeps the earlier audio`(
    file: String
  ) async throws {
    let most = file == "out.wav" ? 100_000 : 8_000
    let run = try await record("\(file) --seconds 20", variables: "DENY_AT=\(most)")
    #expect(run.status == 1)
    #expect(run.error.contains("permission to do so was lost"), "\(run.error)")
    #expect(run.error.contains(file))
    let reader = try SoundFileReader(url: folder.file(file))
    while try !reader.read(atMost: 4_096).isEmpty {}
    // The last block of an MP3 may be incomplete, but the header never announces more than the file
    // has.
    #expect(reader.framesRead > 4_000 && reader.shortfall?.announced == nil)
    // The header of FLAC has a length only if the encoder was finished.
    #expect((reader.announcedFrameCount ?? reader.framesRead) == reader.framesRead)
  }

  private func record(
    _ arguments: String, variables: String
  ) async throws -> BuiltCommand.Outcome {
    let device = "syrinxtest:SCRIPT='format=S16 rate=48000 channels=1'"
    return try await BuiltCommand.shell(
      "LD_PRELOAD=./file-calls.so \(variables) syrinx record \(arguments) --device \"\(device)\"",
      in: folder, environment: alsa.environment)
  }
}
