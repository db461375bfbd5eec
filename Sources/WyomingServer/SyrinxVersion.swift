/// The version of Syrinx, which `syrinx --version` and the server's `info` event report.
public enum SyrinxVersion {
  /// The version that the changelog lists first.
  public static let current = "0.2.0"

  /// The page of Syrinx on the web: a placeholder, until it has one.
  static let homepage = "https://example.com/syrinx"
}
