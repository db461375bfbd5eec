extension TestFolder {
  /// Runs `syrinx play` with these arguments on the virtual card.
  func play(_ arguments: String...) async throws -> BuiltCommand.Outcome {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    return try await BuiltCommand.shell("syrinx play \(words) -d virtual", in: self)
  }
}
