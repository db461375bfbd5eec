/// How large the parts of a frame may be that a peer sends; a larger one ends the connection before
/// its bytes are waited for.
public struct WyomingLimits: Hashable, Sendable {
  /// The longest first line, in bytes; 1 MiB.
  public var header: Int
  /// The most data behind that line, in bytes; 1 MiB.
  public var data: Int
  /// The most payload behind the data, in bytes; 4 MiB, ten seconds of audio in the largest format.
  public var payload: Int

  /// Limits in bytes; each counts as 1 at least.
  public init(header: Int = 1 << 20, data: Int = 1 << 20, payload: Int = 4 << 20) {
    self.header = header
    self.data = data
    self.payload = payload
  }
}
