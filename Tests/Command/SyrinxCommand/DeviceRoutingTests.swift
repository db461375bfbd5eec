import AudioCore
import FilePaths
import SoundCard
import Synchronization
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
  func `all device names except the two virtual ones select the hardware`(
    device: AudioDevice.ID?, route: DeviceRoute
  ) {
    #expect(DeviceRoute(device) == route)
  }

  @Test
  func `each virtual device has one direction, and a virtual microphone needs a file`() {
    #expect(DeviceRoute("virtual").obstacle(to: .playback) == nil)
    #expect(DeviceRoute("virtual").obstacle(to: .capture) != nil)
    #expect(DeviceRoute("virtual:a.wav").obstacle(to: .capture) == nil)
    #expect(DeviceRoute("virtual:a.wav").obstacle(to: .playback) != nil)
    #expect(DeviceRoute("virtual:").obstacle(to: .capture) != nil)
    #expect(DeviceRoute("hw:0").obstacle(to: .capture) == nil)
  }
}

struct SoundCardRoutingTests {
  /// An error with the requested device, thrown by the fake hardware.
  private struct Asked: Error, Equatable {
    let device: AudioDevice.ID?
  }

  private let routed = SoundCard.routing(
    to: SoundCard(
      devices: { [AudioDevice(id: "card", name: "A card", directions: [.playback])] },
      openPlayback: { throw Asked(device: $0.device) },
      openCapture: { throw Asked(device: $0.device) })
  ) { _ in }

  @Test(arguments: [nil, "default", "hw:0"] as [AudioDevice.ID?])
  func `a device name that is not virtual opens the hardware`(device: AudioDevice.ID?) async {
    let request = PCMRequest(device: device, format: .speech)
    await #expect(throws: Asked(device: device)) {
      try await routed.openPlayback(request: request)
    }
    await #expect(throws: Asked(device: device)) { try await routed.openCapture(request: request) }
  }

  @Test
  func `the virtual devices are listed last and are never the default`()
    async throws
  {
    let devices = try await routed.devices()
    #expect(devices.map(\.id) == ["card", "virtual", "virtual:FILE"])
    #expect(devices.map(\.isVirtual) == [false, true, true])
    #expect(!devices.contains { $0.isVirtual && $0.isDefault })
  }

  @Test
  func `the virtual loudspeaker opens in the requested format`() async throws {
    let pcm = try await routed.openPlayback(request: PCMRequest(device: "virtual", format: .speech))
    #expect(pcm.configuration.format == .speech)
    pcm.close()
  }

  @Test
  func `a virtual device refuses the direction that it lacks`() async {
    let loudspeaker = PCMRequest(device: "virtual", format: .speech)
    await #expect(throws: SoundCardError.self) {
      try await routed.openCapture(request: loudspeaker)
    }
    let microphone = PCMRequest(device: "virtual:a.wav", format: .speech)
    await #expect(throws: SoundCardError.self) {
      try await routed.openPlayback(request: microphone)
    }
  }

  @Test
  func `the error for a missing file of a virtual microphone contains the device`() async {
    let request = PCMRequest(device: "virtual:missing.wav", format: .speech)
    await #expect {
      try await routed.openCapture(request: request)
    } throws: { error in
      guard case SoundCardError.unsupported("virtual:missing.wav", let reason) = error else {
        return false
      }
      return reason.contains("missing.wav")
    }
  }
}

struct PartialDeviceNameTests {
  /// An error with the opened device, thrown by the fake hardware.
  private struct Opened: Error, Equatable {
    let device: AudioDevice.ID?
  }

  private let routed = SoundCard.routing(
    to: SoundCard(
      devices: {
        [
          AudioDevice(id: "hw:CARD=Dock", name: "Dock, USB Audio", directions: [.playback]),
          AudioDevice(
            id: "plughw:CARD=Dock", name: "Dock, USB Audio, with conversions",
            directions: [.playback]),
          AudioDevice(
            id: "hw:CARD=Headset", name: "USB Headset, USB Audio", directions: [.playback]),
          AudioDevice(
            id: "plughw:CARD=Headset", name: "USB Headset, USB Audio, with conversions",
            directions: [.playback]),
          AudioDevice(
            id: "pulse:usb.monitor", name: "Monitor of USB Headset",
            directions: [.capture]),
          AudioDevice(id: "pulse:usb", name: "USB Headset", directions: [.playback]),
          AudioDevice(id: "pulse:usb.mic", name: "USB Headset", directions: [.capture]),
          AudioDevice(id: "pulse:hdmi", name: "HDMI", directions: [.playback]),
          AudioDevice(id: "pulse:hdmi2", name: "HDMI 2", directions: [.playback]),
        ]
      },
      openPlayback: { try PartialDeviceNameTests.open($0, .playback) },
      openCapture: { try PartialDeviceNameTests.open($0, .capture) })
  ) { _ in }

  private static func open<Device>(
    _ request: PCMRequest, _ direction: AudioDevice.Direction
  ) throws -> Device {
    guard let device = request.device, device.rawValue.contains(":") else {
      throw SoundCardError.unknownDevice(request.device ?? "default", direction)
    }
    throw Opened(device: device)
  }

  @Test func `a part of a card's name opens ALSA's plughw device, which converts formats`() async {
    let request = PCMRequest(device: "dock", format: .speech)
    await #expect(throws: Opened(device: "plughw:CARD=Dock")) {
      try await routed.openPlayback(request: request)
    }
  }

  @Test func `a part of a monitor's name opens the monitor if no other device matches`() async {
    let request = PCMRequest(device: ".monitor", format: .speech)
    await #expect(throws: Opened(device: "pulse:usb.monitor")) {
      try await routed.openCapture(request: request)
    }
  }

  @Test
  func `a display name selects its device, even if a longer display name contains it`()
    async
  {
    let request = PCMRequest(device: "hdmi", format: .speech)
    await #expect(throws: Opened(device: "pulse:hdmi")) {
      try await routed.openPlayback(request: request)
    }
  }

  @Test(arguments: ["headset", "USB Head", "Headset"])
  func `a part of a name opens the matching device of the sound server`(part: String) async {
    let request = PCMRequest(device: AudioDevice.ID(rawValue: part), format: .speech)
    await #expect(throws: Opened(device: "pulse:usb")) {
      try await routed.openPlayback(request: request)
    }
    await #expect(throws: Opened(device: "pulse:usb.mic")) {
      try await routed.openCapture(request: request)
    }
  }

  @Test func `the full name of a device opens that device, even if a longer name contains it`()
    async
  {
    let request = PCMRequest(device: "pulse:hdmi", format: .speech)
    await #expect(throws: Opened(device: "pulse:hdmi")) {
      try await routed.openPlayback(request: request)
    }
  }

  @Test func `an ambiguous part of a name is an error that lists the devices`() async {
    let request = PCMRequest(device: "hdm", format: .speech)
    await #expect(
      throws: SoundCardError.unsupported(
        "hdm",
        reason: "it is a part of the names of several devices (pulse:hdmi, pulse:hdmi2); "
          + "name one of them")
    ) { try await routed.openPlayback(request: request) }
    await #expect(throws: SoundCardError.unknownDevice("hdm", .capture)) {
      try await routed.openCapture(request: request)
    }
  }
}
