import Testing

@testable import SoundFile

@Suite struct WebRedirectionTests {
  private let homes = [
    "http://127.0.0.1/a", "https://10.1.2.3/", "http://172.16.0.1", "http://192.168.1.1:8080/x",
    "http://169.254.169.254/latest", "http://[::1]/a", "http://[fe80::1]/", "http://[fd00::1]/",
    "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/", "http://100.64.0.1/",
    "http://[64:ff9b::7f00:1]/", "http://2130706433/", "http://0x7f.1/",
    "http://[2002:7f00:1::]/", "http://[fec0::1]/", "http://198.18.0.1/",
  ]
  private let addresses = [
    "http://1.1.1.1/a", "http://172.32.0.1/", "http://[2606:4700::1111]/", "http://9.9.9.9",
  ]

  @Test func `a server on the internet may not redirect into a private network`() {
    for address in addresses {
      for home in homes { #expect(!WebAnswer.mayRedirect(to: home, from: address), "\(home)") }
      for other in addresses { #expect(WebAnswer.mayRedirect(to: other, from: address)) }
    }
  }

  @Test func `a private address that the user typed may redirect anywhere`() {
    for home in homes {
      for other in addresses + homes { #expect(WebAnswer.mayRedirect(to: other, from: home)) }
    }
  }

  @Test(arguments: ["http:///a", "http://:8080/x", "http://@:80/", "http://nowhere.invalid/"])
  func `a redirection to a missing or unknown host is rejected`(address: String) {
    #expect(!WebAnswer.mayRedirect(to: address, from: "http://1.1.1.1/"))
    #expect(!WebAnswer.mayRedirect(to: "http://127.0.0.1/", from: address))
  }
}
