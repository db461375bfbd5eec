import SpeechEngine
import Testing

@Suite struct InstalledModelTests {
  private struct Model: InstalledModel, Equatable {
    let location = ""
    var language: String
    var fault: SpeechEngineError?

    func validate() throws(SpeechEngineError) {
      if let fault { throw fault }
    }
  }

  private let english = Model(language: "en-US")
  private let german = Model(language: "de")
  private let damaged = Model(
    language: "fr", fault: .modelDamaged(path: "fr", reason: "it is empty"))
  private let unreadable = Model(language: "it", fault: .modelUnreadable(path: "it"))
  private let missing = SpeechEngineError.failed(reason: "there is no model")

  @Test func `invalid models are skipped if another model is valid`() throws {
    #expect(try [damaged, english, german].valid(orThrow: missing) == [english, german])
  }

  @Test func `the first model's error is thrown if no model is valid`() {
    #expect(throws: SpeechEngineError.modelUnreadable(path: "it")) {
      _ = try [unreadable, damaged].valid(orThrow: missing)
    }
  }

  @Test func `the given error is thrown if there are no models`() {
    #expect(throws: missing) { _ = try [Model]().valid(orThrow: missing) }
  }

  @Test func `the first model that supports the language is chosen`() throws {
    #expect(try [german, english].first(for: "en") == english)
    #expect(try [german, english].first(for: nil) == german)
    #expect(throws: SpeechEngineError.languageMissing(wanted: "ja", available: "de, en-US")) {
      _ = try [german, english].first(for: "ja")
    }
  }
}
