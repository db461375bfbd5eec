/// What others did to a file while it was written; the system tells its writer nothing of it.
enum FileLoss: Equatable {
  /// The file has no name any more: it goes when it is closed.
  case removed
  /// The file was cut; so many bytes are left.
  case cut(Int)

  /// - Parameters:
  ///   - linkCount: the names that the file has.
  ///   - size: in bytes, as the system has it.
  ///   - written: in bytes, as we have it.
  init?(linkCount: Int, size: Int, written: Int) {
    if linkCount == 0 {
      self = .removed
    } else if size < written {
      self = .cut(size)
    } else {
      return nil
    }
  }
}
