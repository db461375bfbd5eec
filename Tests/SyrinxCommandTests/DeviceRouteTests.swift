import AudioCore
import FilePaths
import Testing

@testable import SyrinxCommand

struct DeviceRouteTests {
  @Test(
    arguments: [
      (nil, DeviceRoute.hardware), ("default", .hardware), ("virtually", .hardware),
      ("hw:CARD=virtual", .hardware), ("virtual", .virtualPlayback),
      ("virtual:a.wav", .virtualMicrophone(path: "a.wav")),
      ("virtual:a:b.wav", .virtualMicrophone(path: "a:b.wav")),
    ] as [(AudioDevice.ID?, DeviceRoute)])
  func `only the two virtual names lead away from the hardware`(
    device: AudioDevice.ID?, route: DeviceRoute
  ) {
    #expect(DeviceRoute(device) == route)
  }

  @Test
  func `each virtual device has one direction, and a microphone needs its file`() {
    #expect(DeviceRoute("virtual").obstacle(to: .playback) == nil)
    #expect(DeviceRoute("virtual").obstacle(to: .capture) != nil)
    #expect(DeviceRoute("virtual:a.wav").obstacle(to: .capture) == nil)
    #expect(DeviceRoute("virtual:a.wav").obstacle(to: .playback) != nil)
    #expect(DeviceRoute("virtual:").obstacle(to: .capture) != nil)
    #expect(DeviceRoute("hw:0").obstacle(to: .capture) == nil)
  }
}
