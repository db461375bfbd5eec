import Testing

@testable import SpeechEngine

@Suite struct LanguageTagTests {
  @Test(arguments: [
    ("en-US", "en-US", true), ("en", "en-US", true), ("de-DE", "de", true),
    ("EN_us", "en-US", true),
    ("en-GB", "en-US", false), ("fr", "de", false), ("fr", "und", true), ("", "en-US", false),
    ("-", "en-US", false), ("_", "und", false),
  ])
  func `a model supports its language and equivalent tags`(
    wanted: String, available: String, does: Bool
  ) {
    #expect(LanguageTag.understands(wanted, available: available) == does)
    #expect(LanguageTag.understands(nil, available: available))
  }
}
