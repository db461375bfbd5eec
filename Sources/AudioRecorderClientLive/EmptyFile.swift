import FoundationEssentials

/// A file that a recording has made and has put nothing into.
struct EmptyFile: Sendable {
  let url: URL
  let identity: FileIdentity

  /// Nil where it is no regular file.
  init?(_ url: URL, _ identity: FileIdentity?) {
    guard let identity else { return nil }
    (self.url, self.identity) = (url, identity)
  }

  /// The one that the name leads to now.
  init?(_ url: URL) {
    self.init(url, FileIdentity(of: url))
  }

  /// Removes it, unless another has taken its place meanwhile.
  func remove() {
    guard identity == FileIdentity(of: url) else { return }
    try? FileManager.default.removeItem(at: url)
  }
}
