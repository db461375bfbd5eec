import FoundationEssentials

/// A file that a recording has made and has put nothing into.
struct EmptyFile: Sendable {
  let url: URL
  let identity: FileIdentity

  /// Removes it, unless another has taken its place meanwhile.
  func remove() {
    guard identity == FileIdentity(of: url) else { return }
    try? FileManager.default.removeItem(at: url)
  }
}
