import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct DeviceCatalogTests {
  let card = AudioDevice(
    id: "hw:CARD=PCH,DEV=0", name: "HDA Intel PCH, ALC257 Analog",
    directions: [.playback, .capture])

  @Test func `each card is listed twice: as hw, and as plughw with conversions`() {
    let devices = catalog(hardware: [card]).devices
    #expect(
      devices.map(\.id) == ["hw:CARD=PCH,DEV=0", "plughw:CARD=PCH,DEV=0"])
    #expect(
      devices.map(\.name) == [
        "HDA Intel PCH, ALC257 Analog", "HDA Intel PCH, ALC257 Analog, with conversions",
      ])
  }

  @Test func `null, plug-in building blocks, and redundant names of sound cards are not listed`() {
    let names = [
      "null", "samplerate", "lavrate_high", "upmix", "oss", "hw", "dmix:CARD=PCH,DEV=0",
      "surround51:CARD=PCH,DEV=0", "hdmi:CARD=HDMI,DEV=1", "front:CARD=PCH,DEV=0", "sysdefault",
    ]
    #expect(catalog(hints: names).devices.isEmpty)
  }

  @Test func `user-defined devices are listed`() {
    #expect(catalog(hints: ["kitchen", "null"]).devices.map(\.id) == ["kitchen"])
  }

  @Test func `a device hint without a direction stands for both directions`() {
    let hints = [
      AudioDevice(hint: "both"), AudioDevice(hint: "out", direction: "Output"),
      AudioDevice(hint: "in", direction: "Input"),
    ]
    #expect(
      hints.map(\.directions) == [[.playback, .capture], [.playback], [.capture]])
  }

  @Test func `a server's device is listed if the server's socket exists`() {
    #expect(catalog(hints: ["pulse"]).devices.isEmpty)
    #expect(catalog(hints: ["pulse"], servers: ["pulse"]).devices.map(\.id) == ["pulse"])
  }

  @Test func `without a card, there is no default device`() {
    #expect(catalog(hints: ["default"], route: .firstCard).devices.isEmpty)
    #expect(catalog(route: .missing).devices.isEmpty)
  }

  @Test
  func `a card's default device is first, is marked as default, and has the card's directions`() {
    let microphone = AudioDevice(id: card.id, name: card.name, directions: [.capture])
    let devices = catalog(hardware: [microphone], hints: ["kitchen"], route: .firstCard).devices
    #expect(devices.first?.id == "default")
    #expect(devices.first?.directions == [.capture])
    #expect(devices.filter(\.isDefault).map(\.id) == ["default"])
  }

  @Test func `a server's default device is listed only if the server is available`() {
    let route = DefaultRoute.server(plugin: "pulse")
    #expect(catalog(route: route).devices.isEmpty)
    #expect(catalog(route: route, servers: ["pulse"]).devices.map(\.isDefault) == [true])
  }

  @Test func `a user-defined default is always listed`() {
    #expect(catalog(route: .userDefined).devices.map(\.id) == ["default"])
  }

  @Test func `a server's sinks, sources, and monitors are listed by the names that open them`() {
    var catalog = catalog(hints: ["pulse"], servers: ["pulse"])
    catalog.served = [
      AudioDevice(pulse: "alsa_output.usb-1.analog", description: "USB", direction: .playback),
      AudioDevice(pulse: "a b,c.monitor", description: "Monitor", direction: .capture),
      AudioDevice(pulse: "it's", description: "No name for ALSA", direction: .playback),
    ].compactMap(\.self)
    let devices = catalog.devices
    #expect(
      devices.map(\.id) == [
        "pulse", "pulse:alsa_output.usb-1.analog", "pulse:DEVICE='a b,c.monitor'",
      ])
    #expect(devices.map(\.name).dropFirst() == ["USB", "Monitor"])
    #expect(devices.dropFirst().map(\.directions) == [[.playback], [.capture]])
  }

  @Test func `a description of several lines becomes one line`() {
    #expect(AudioDevice(hint: "x", description: "PCH\nDirect").name == "PCH, Direct")
    #expect(AudioDevice(hint: "x").name == "x")
  }

  private func catalog(
    hardware: [AudioDevice] = [], hints: [String] = [], route: DefaultRoute = .missing,
    servers: Set<String> = []
  ) -> DeviceCatalog {
    DeviceCatalog(
      hardware: hardware, hints: hints.map { AudioDevice(hint: $0) }, defaultRoute: route,
      isServerAvailable: servers.contains)
  }
}
