/// The version of Syrinx, which `syrinx --version` and the server's `info` event report.
public enum SyrinxVersion {
  /// The version that the changelog lists first.
  public static let current = "0.2.0"
}
