import ArgumentParser
package import FilePaths

/// A file's name as an argument: any but an empty one.
extension FilePath: ExpressibleByArgument {
  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(argument)
  }

  /// What the help says about names in JSON.
  static let jsonHelp = "bytes that are not UTF-8 become U+EF00 + byte"
}
