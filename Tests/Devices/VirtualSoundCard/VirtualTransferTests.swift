import AudioCore
import SoundCard
import Testing

@testable import VirtualSoundCard

@Suite struct VirtualTransferTests {
  private func transfer(
    _ direction: AudioDevice.Direction, faults: [VirtualFault] = []
  ) -> VirtualTransfer {
    VirtualTransfer(
      direction: direction,
      configuration: PCMConfiguration(
        device: "virtual", format: AudioFormat(sampleRate: 1_000, channelCount: 1),
        sampleFormat: .float32, period: 10, buffer: 40), script: VirtualScript(faults))
  }

  @Test func `playback starts once two periods are written, and a write fills at most the buffer`()
  {
    var device = transfer(.playback)
    #expect(device.write(10) == 10)
    device.tick(10)
    #expect(device.position == 0)
    #expect(device.write(50) == 30)
    device.tick(10)
    #expect(device.position == 10)
    #expect(device.poll(.period) == .ready(10))
  }

  @Test func `after an underrun, a playback reports the missing frames as lost`() {
    var device = transfer(.playback)
    _ = device.write(25)
    device.tick(20)
    device.tick(10)
    device.tick(10)
    #expect(device.poll(.nothing) == .interrupted(PCMInterruption(cause: .xrun, lost: 15)))
    device.tick(10)
    #expect(device.poll(.nothing) == nil)
    #expect(device.position == 25)
  }

  @Test func `after an overrun, a capture loses its buffer and continues`() {
    var device = transfer(.capture)
    device.start()
    device.tick(40)
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .xrun, lost: 50)))
    device.tick(10)
    #expect(device.poll(.period) == .ready(10))
    let read = device.read(10)
    #expect(read.first == 50)
  }

  @Test func `a scripted xrun leaves a gap in the captured frames`() {
    var device = transfer(.capture, faults: [.xrun(at: 10, lost: 7)])
    device.start()
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .xrun, lost: 7)))
    #expect(device.read(10).first == 7)
  }

  @Test func `a suspend of the machine loses the frames of the suspended time`() {
    var device = transfer(.capture, faults: [.suspended(at: 10, lost: 7)])
    device.start()
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .suspended, lost: 7)))
    #expect(device.read(10).first == 7)
  }

  @Test func `during a slow resume, frames are lost until the device continues`() {
    var device = transfer(
      .capture, faults: [.suspended(at: 10, lost: 7, resuming: .milliseconds(20))])
    device.start()
    device.tick(10)
    let asleep = (device.poll(.period), device.ready, device.isAsleep)
    #expect(asleep == (nil, 0, true))
    device.tick(10)
    #expect(device.isAsleep)
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .suspended, lost: 27)))
    #expect(device.read(10).first == 27)
  }

  @Test func `a playback that cannot be resumed loses its buffer and restarts`() {
    var device = transfer(.playback, faults: [.suspended(at: 10, lost: 7, isEmptied: true)])
    _ = device.write(40)
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .suspended, lost: 7)))
    #expect(device.popDiscarded() == 30)
    #expect(device.popDiscarded() == 0)
    _ = device.write(10)
    device.tick(10)
    #expect(device.position == 10)
  }

  @Test func `a suspended capture that cannot be resumed loses the frames in its buffer`() {
    var device = transfer(.capture, faults: [.suspended(at: 20, lost: 7, isEmptied: true)])
    device.start()
    device.tick(20)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .suspended, lost: 27)))
    #expect(device.level == 0)
    device.tick(10)
    #expect(device.read(10).first == 27)
  }

  @Test func `scripted faults limit the frames of each transfer, and refuse every nth transfer`() {
    var device = transfer(
      .playback, faults: [.shortTransfers(atMost: 4), .refusedTransfers(every: 3)])
    let written = (0..<6).map { _ in device.write(10) }
    #expect(written == [4, 4, 0, 4, 4, 0])
    var microphone = transfer(
      .capture, faults: [.shortTransfers(atMost: 4), .refusedTransfers(every: 3)])
    microphone.start()
    microphone.tick(20)
    let read = (0..<4).map { _ in microphone.read(10) }
    #expect(read.map(\.count) == [4, 4, 0, 4])
    #expect(read.map(\.first) == [0, 4, 8, 8])
  }

  @Test func `a scripted delay is reported from its frame on, and nil repeats the last delay`() {
    var device = transfer(
      .playback, faults: [.claimedDelay(-500, at: 10), .claimedDelay(nil, at: 20)])
    _ = device.write(40)
    let before = device.delay()
    device.tick(10)
    let claimed = device.delay()
    device.tick(10)
    let last = device.delay()
    #expect([before, claimed, last] == [40, -500, -500])
  }

  @Test
  func `a scripted failure starts at its frame and repeats as scripted, and a loss is permanent`() {
    let broken = SoundCardError.failed("virtual", operation: "x", code: 5, reason: "y")
    var device = transfer(
      .playback,
      faults: [
        .failing(in: .delay, with: broken, at: 10, times: 2),
        .failing(in: .wait, with: .deviceLost("virtual"), at: 20),
      ])
    _ = device.write(40)
    let early = device.failure(in: .delay)
    device.tick(10)
    let failures = (0..<3).map { _ in device.failure(in: .delay) }
    let isGone = device.isGone
    #expect(early == nil && failures == [broken, broken, nil] && !isGone)
    device.tick(10)
    let loss = device.failure(in: .wait)
    #expect(loss == .deviceLost("virtual"))
    #expect(device.isGone)
  }

  @Test func `a scripted block blocks only the first call of its kind at or after its frame`() {
    var device = transfer(
      .capture,
      faults: [.blocked(in: .transfer, at: 10, for: .seconds(1)), .blocked(in: .drop)])
    device.start()
    let early = device.block(in: .transfer)
    device.tick(10)
    let blocks = [PCMCall.wait, .transfer, .transfer, .drop].map {
      device.block(in: $0)
    }
    #expect(early == nil)
    #expect(blocks == [nil, .seconds(1), nil, VirtualScript.forever])
    #expect(device.happened == [0, 1])
  }

  @Test func `pass(_:) empties a playback's buffer without reporting an underrun`() {
    var device = transfer(.playback)
    _ = device.write(25)
    device.pass(40)
    #expect(device.level == 0)
    #expect(device.ticked == 40)
    #expect(device.poll(.nothing) == nil)
  }

  @Test func `while a device stalls, it neither plays nor underruns, but its time passes`() {
    var device = transfer(.playback, faults: [.stalled(at: 10)])
    #expect(device.write(40) == 40)
    for _ in 0..<5 { device.tick(10) }
    #expect(device.position == 10)
    #expect(device.level == 30)
    #expect(device.ticked == 50)
    #expect(device.poll(.nothing) == nil)
  }

  @Test(arguments: [AudioDevice.Direction.playback, .capture])
  func `a device that is never ready moves no frames, but its time passes`(
    direction: AudioDevice.Direction
  ) {
    var device = transfer(direction, faults: [.neverReady])
    device.start()
    let written = device.write(40)
    for _ in 0..<5 { device.tick(10) }
    let read = device.read(40)
    #expect(written == 0 && read.count == 0)
    #expect(device.ticked == 50)
    let wakeUp = device.poll(.period)
    #expect(wakeUp == nil)
  }

  @Test func `a device that is scripted to be unplugged is lost at that frame, not before`() {
    var device = transfer(.playback, faults: [.unplugged(at: 20)])
    _ = device.write(40)
    device.tick(10)
    #expect(!device.isGone)
    device.tick(10)
    #expect(device.isGone)
  }

  @Test func `dropped frames are not played`() {
    var device = transfer(.playback)
    _ = device.write(30)
    device.tick(10)
    #expect(device.drop() == 20)
    device.tick(10)
    #expect(device.position == 10)
    #expect(device.poll(.nothing) == nil)
  }
}
