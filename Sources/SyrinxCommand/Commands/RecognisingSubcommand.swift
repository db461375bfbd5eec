import ClientDependencies

/// A subcommand that recognises speech, with the engine that its arguments name.
protocol RecognisingSubcommand: Subcommand {
  var engine: EngineOptions { get }
  var recognition: SpeechOptions { get }
}

extension RecognisingSubcommand {
  func prepare(_ values: inout DependencyValues) throws {
    try engine.apply(to: &values, language: recognition.locale)
  }
}
