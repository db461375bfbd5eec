extension [String: String] {
  /// The value of an environment variable that is set and not empty.
  package func nonEmpty(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
