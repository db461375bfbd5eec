import Testing

@testable import Wyoming

@Suite struct WyomingInfoTests {
  @Test func `installed models are listed with their languages`() {
    let info = WyomingInfo([
      "asr": [
        [
          "name": "whisper", "installed": true,
          "models": [
            ["name": "base", "languages": ["en", "de"]],
            ["name": "large", "languages": ["fr"], "installed": false], ["name": .null],
          ],
        ],
        ["name": "gone", "installed": false, "models": [["name": "x", "languages": ["it"]]]],
      ],
      "tts": .null,
    ])
    #expect(info.recognizes)
    #expect(
      info.models == [
        .init(name: "base", languages: ["en", "de"]), .init(name: "", languages: []),
      ])
  }

  @Test(
    arguments: [[:], ["asr": .null], ["asr": []], ["asr": "x"], ["asr": [1, "x"]]]
      as [[String: JSONValue]])
  func `a server without recognition has no models`(data: [String: JSONValue]) {
    #expect(!WyomingInfo(data).recognizes)
    #expect(WyomingInfo(data).models.isEmpty)
  }
}
