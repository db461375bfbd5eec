import Foundation
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite struct ModelLocationTests {
  @Test func `a missing model is answered with where it was looked for and Debian's package`() {
    let location = ModelLocation(chosen: URL(filePath: "/nowhere/model"), environment: [:])
    #expect(
      location.availability
        == .unavailable(
          .modelMissing(searched: ["/nowhere/model"], package: "pocketsphinx-en-us")))
  }

  @Test func `the environment's directory comes before Debian's, and a chosen one before both`() {
    let environment = ["SYRINX_POCKETSPHINX_MODEL": "/from/environment"]
    #expect(ModelLocation(chosen: nil, environment: [:]).candidates == [ModelFolder.system])
    #expect(
      ModelLocation(chosen: nil, environment: environment).candidates == ["/from/environment"])
    #expect(
      ModelLocation(chosen: URL(filePath: "/chosen"), environment: environment).candidates
        == ["/chosen"])
  }

  @Test func `an installed model is ready`() {
    #expect(
      ModelLocation(chosen: nil, environment: [:]).availability
        == .ready(SpeechModel(language: "en-US", location: ModelFolder.system)))
  }

  @Test func `a directory without a dictionary is damage, and no other place is tried`() throws {
    let folder = try ModelFolder()
    try folder.remove("cmudict-en-us.dict")
    #expect(
      folder.engine.availability()
        == .unavailable(
          .modelDamaged(path: folder.url.path, reason: "it holds no dictionary (*.dict)")))
  }
}
