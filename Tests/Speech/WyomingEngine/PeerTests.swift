import AudioCore
import Foundation
import SpeechEngine
import Testing
import Wyoming
import WyomingEngine

/// Recognizes speech with a server from the PyPI package `wyoming`.
@Suite struct PeerTests {
  private let socket = URL.temporaryDirectory.appending(path: "\(UUID().uuidString).sock").path

  private func check(_ address: WyomingAddress) throws {
    let engine = SpeechEngine.patient(address)
    let session = try engine.session(language: "en-US")
    for tenths in [3, 5] {
      let hypothesis = try session.recognize(tenths: tenths)
      #expect(hypothesis.text == "heard \(tenths * 3200) bytes at 16000 2 1 in en")
      #expect(hypothesis.words.allSatisfy { $0.confidence == nil })
    }
  }

  @Test(arguments: [["closing"], ["plain"], []])
  func `a TCP server gets every sample, whether or not it streams text or keeps connections`(
    modes: [String]
  ) throws {
    let address = WyomingAddress.tcp(host: "127.0.0.1", port: 0)
    let peer =
      switch modes.first {
      case let mode?: try Peer(on: address, mode)
      case nil: try Peer(on: address)
      }
    try withExtendedLifetime(peer) { try check(peer.address) }
  }

  @Test func `a server on a Unix socket gets every sample`() throws {
    let peer = try Peer(on: .unix(path: socket))
    try withExtendedLifetime(peer) { try check(peer.address) }
  }

  @Test(arguments: ["", " closing"])
  func `a server on a child's standard input and output gets every sample`(mode: String)
    throws
  {
    try Peer.install()
    try check(.stdio(command: Peer.overStdio + mode))
  }

  @Test func `the server's description determines the languages and models`() throws {
    let peer = try Peer(on: .tcp(host: "127.0.0.1", port: 0))
    defer { withExtendedLifetime(peer) {} }
    let engine = SpeechEngine.patient(peer.address)
    let model = SpeechModel(language: "en", location: peer.address.description)
    #expect(engine.availability() == .ready(model))
    #expect(engine.models().map(\.language) == ["en", "de_AT"])
    #expect(try engine.session(language: "de-AT").recognize(tenths: 1).text.hasSuffix("in de_AT"))
    #expect(
      engineError { _ = try engine.session(language: "fr") }
        == .languageMissing(wanted: "fr", available: "en, de_AT"))
    var options = SpeechSessionOptions()
    options.engineOptions = ["model": "other"]
    #expect(
      engineError { try engine.makeSession(options).prepare() }
        == .optionInvalid(name: "model", reason: "the server has counter, and not other"))
  }
}
