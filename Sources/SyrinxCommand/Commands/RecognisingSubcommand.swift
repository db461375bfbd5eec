import ClientDependencies

/// A subcommand that recognises speech, with the engine that its arguments name.
protocol RecognisingSubcommand: Subcommand {
  var engine: EngineOptions { get }
  var recognition: SpeechOptions { get }

  /// How many utterances it recognizes at once.
  var jobCount: Int { get }
}

extension RecognisingSubcommand {
  var jobCount: Int { 1 }

  func prepare(_ values: inout DependencyValues) throws {
    try engine.apply(to: &values, language: recognition.locale, jobCount: jobCount)
  }
}
