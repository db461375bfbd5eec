import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite struct ModelLocationTests {
  @Test(arguments: [
    ("/nowhere/model", "the folder does not exist"), ("/proc/self", "the folder holds no model"),
  ])
  func `a named folder without a model is an error that names it, and no package`(
    folder: String, reason: String
  ) {
    for location in [
      ModelLocation(chosen: URL(filePath: folder), environment: [:]),
      ModelLocation(chosen: nil, environment: ["SYRINX_POCKETSPHINX_MODEL": folder]),
    ] {
      guard case .unavailable(let error) = location.availability else {
        Issue.record("it says that it is ready")
        continue
      }
      #expect("\(error)".contains(folder) && "\(error)".contains(reason))
      #expect(!"\(error)".contains("install"))
    }
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
