import Foundation
import TestTools
import Testing

/// Checks that the allocations of the audio threads do not grow with the length of the audio.
@Suite struct AllocationTests {
  let folder: TestFolder
  let alsa: ALSASetup

  init() async throws {
    folder = try TestFolder()
    alsa = try await ALSASetup(in: folder)
    let source = ALSASetup.support("ALSA/count-allocations.c")
    let built = try await BuiltCommand.shell(
      "cc -shared -fPIC -O1 -o count-allocations.so '\(source)'", in: folder)
    guard built.status == 0 else { throw ToolMissing(description: "\(built.error)") }
  }

  @Test func `the audio thread of a playback does not allocate per period`() async throws {
    let sound = ALSASetup.sample("tone.wav")
    let short = try await allocations("play '\(sound)' --end 1")
    let long = try await allocations("play '\(sound)' --loop 20")
    #expect(short > 0)
    // The longer playback has 2,360 more periods of 25 ms, which must not allocate. The number of
    // allocations at a thread's start varies slightly.
    #expect(abs(long - short) < 20)
  }

  @Test func `the audio thread of a recording does not allocate per period`() async throws {
    let short = try await allocations("record a.wav --seconds 1")
    let long = try await allocations("record b.wav --seconds 60")
    #expect(short > 0)
    // The longer recording has 1,180 more periods of 50 ms, which must not allocate.
    #expect(abs(long - short) < 20)
  }

  /// Runs a command faster than real time, and returns the allocation count of its audio thread.
  private func allocations(_ command: String) async throws -> Int {
    let log = folder.file("allocations")
    let counter = folder.file("count-allocations.so").path
    let device = "syrinxtest:SCRIPT='format=S16 rate=48000 channels=2 speed=0'"
    let run = try await BuiltCommand.shell(
      "LD_PRELOAD='\(counter)' ALLOCATIONS='\(log.path)' syrinx \(command) --device \"\(device)\"",
      in: folder, environment: alsa.environment)
    #expect(run.status == 0, "\(run.error)")
    return try #require(Int(String(contentsOf: log, encoding: .utf8)))
  }
}
