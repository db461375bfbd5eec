import ArgumentParser
import SpeechClient

/// The value of `--key-phrase`: `TEXT` or `TEXT:THRESHOLD`.
struct KeyPhraseOption: ExpressibleByArgument {
  let phrase: KeyPhrase

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts[0].allSatisfy(\.isWhitespace) else { return nil }
    guard parts.count == 2 else {
      phrase = KeyPhrase(String(parts[0]))
      return
    }
    guard let threshold = Double(parts[1]), threshold > 0, threshold <= 1 else { return nil }
    phrase = KeyPhrase(String(parts[0]), threshold: threshold)
  }
}

/// The value of `--engine-option`: `NAME=VALUE`.
struct EngineSettingOption: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
      return nil
    }
    name = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}
