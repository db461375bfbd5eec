import Testing
import Wyoming

@Suite struct WyomingAddressTests {
  @Test(arguments: [
    ("tcp://127.0.0.1:10300", WyomingAddress.tcp(host: "127.0.0.1", port: 10_300)),
    ("tcp://homeassistant.local", .tcp(host: "homeassistant.local", port: 10_300)),
    ("TCP://[::1]:80/", .tcp(host: "::1", port: 80)),
    ("tcp://[fe80::1]", .tcp(host: "fe80::1", port: 10_300)),
    ("tcp://localhost:0", .tcp(host: "localhost", port: 0)),
    ("unix:///run/wyoming.sock", .unix(path: "/run/wyoming.sock")),
    ("stdio", .stdio(command: nil)), ("stdio://", .stdio(command: nil)),
    ("stdio:syrinx serve --wyoming stdio", .stdio(command: "syrinx serve --wyoming stdio")),
  ]) func `an address is parsed and formatted`(text: String, address: WyomingAddress) {
    #expect(WyomingAddress(text) == address)
    #expect(WyomingAddress(address.description) == address)
  }

  @Test(arguments: [
    "", "127.0.0.1:10300", "tcp:", "tcp://", "tcp://:10300", "tcp://host:", "tcp://host:x",
    "tcp://host:65536", "tcp://host:-1", "tcp://host/path", "tcp://::1:10300", "tcp://[::1",
    "tcp://[::1]x", "unix://relative.sock", "unix:///", "unix:/path", "http://host",
  ]) func `invalid text is not an address`(text: String) {
    #expect(WyomingAddress(text) == nil)
  }
}
