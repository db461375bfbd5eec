import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite struct ALSADeviceCaptureTests {
  @Test func `a raw file is captured bit-exactly and followed by silence`() async throws {
    let file = try TestALSA.ready().file()
    let samples = ramp(10_000)
    try samples.withUnsafeBytes { Data($0) }.write(to: file)
    let pcm = try ALSADevice(.capture, request("syrinxinfile:FILE='\(file.path())'"))
    let account = await pcm.record(20_000)
    #expect(account.error == nil)
    let isWhole = Array(account.frames.prefix(10_000)) == samples
    #expect(isWhole)
    let isSilentAfter = account.frames.dropFirst(10_000).allSatisfy { $0 == 0 }
    #expect(isSilentAfter)
  }

  @Test(arguments: ["FLOAT", "S32", "S24", "S16"])
  func `a microphone of any format captures the same continuous ramp`(format: String) async throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.capture, request(testCard("format=\(format)"), channels: 2))
    let account = await pcm.record(9_600)
    #expect(account.error == nil && account.interruptions.isEmpty)
    #expect(account.frames.count >= 2 * 9_600)
    let left = stride(from: 0, to: account.frames.count, by: 2).map { account.frames[$0] }
    #expect(left.first == 0 && left.missingInRamp.isEmpty)
    let right = stride(from: 1, to: account.frames.count, by: 2).map { account.frames[$0] }
    let isSame = right == left
    #expect(isSame)
  }

  @Test func `waiting for frames starts a capture that has not been started`() async throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.capture, request(testCard("")))
    let ready = try pcm.wait(for: .period, atMost: .seconds(5))
    guard case .ready(let frames) = ready else {
      Issue.record("\(ready)")
      return
    }
    #expect(frames >= pcm.configuration.period)
  }

  @Test func `a read without available frames returns none`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(
      .capture, request(testCard("again_every=1"), period: .seconds(10), count: 2))
    try pcm.start()
    var block = [Float](repeating: 7, count: 100)
    let transfer = try block.withUnsafeMutableBufferPointer { try pcm.read(into: $0) }
    #expect(transfer == .frames(0))
    #expect(try pcm.wait(for: .period, atMost: .zero) == .timedOut)
  }

  @Test func `every call on a closed device throws deviceLost`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.capture, request(testCard("")))
    pcm.close()
    pcm.close()
    pcm.drop()
    let lost = SoundCardError.deviceLost(pcm.configuration.device)
    #expect(throws: lost) { try pcm.start() }
    #expect(throws: lost) { try pcm.wait(for: .period, atMost: nil) }
  }
}
