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
        sampleFormat: .float32, period: 10, buffer: 40), faults: faults)
  }

  @Test func `playback starts at two periods and takes no more than the buffer holds`() {
    var device = transfer(.playback)
    #expect(device.write(10) == 10)
    device.tick(10)
    #expect(device.position == 0)
    #expect(device.write(50) == 30)
    device.tick(10)
    #expect(device.position == 10)
    #expect(device.poll(.period) == .ready(10))
  }

  @Test func `playback that runs dry is interrupted by the frames it lacked`() {
    var device = transfer(.playback)
    _ = device.write(25)
    device.tick(20)
    device.tick(10)
    #expect(device.poll(.nothing) == .interrupted(PCMInterruption(cause: .xrun, lost: 5)))
    #expect(device.poll(.nothing) == nil)
    #expect(device.position == 25)
  }

  @Test func `capture that runs full loses what it held and goes on after it`() {
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

  @Test func `a scripted xrun leaves a gap in what is heard`() {
    var device = transfer(.capture, faults: [.xrun(at: 10, lost: 7)])
    device.start()
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .xrun, lost: 7)))
    #expect(device.read(10).first == 7)
  }

  @Test func `a machine that slept has missed what passed meanwhile`() {
    var device = transfer(.capture, faults: [.suspended(at: 10, lost: 7)])
    device.start()
    device.tick(10)
    #expect(device.poll(.period) == .interrupted(PCMInterruption(cause: .suspended, lost: 7)))
    #expect(device.read(10).first == 7)
  }

  @Test func `a device that stalls neither plays nor runs dry, and its time passes`() {
    var device = transfer(.playback, faults: [.stalled(at: 10)])
    #expect(device.write(40) == 40)
    for _ in 0..<5 { device.tick(10) }
    #expect(device.position == 10)
    #expect(device.level == 30)
    #expect(device.ticked == 50)
    #expect(device.poll(.nothing) == nil)
  }

  @Test(arguments: [AudioDevice.Direction.playback, .capture])
  func `a device that is never ready takes and gives nothing, and its time passes`(
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

  @Test func `an unplugged device is gone at its frame and not before`() {
    var device = transfer(.playback, faults: [.unplugged(at: 20)])
    _ = device.write(40)
    device.tick(10)
    #expect(!device.isGone)
    device.tick(10)
    #expect(device.isGone)
  }

  @Test func `what is dropped is not played`() {
    var device = transfer(.playback)
    _ = device.write(30)
    device.tick(10)
    #expect(device.drop() == 20)
    device.tick(10)
    #expect(device.position == 10)
    #expect(device.poll(.nothing) == nil)
  }
}
