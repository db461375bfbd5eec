/// What goes wrong when a recording is replayed.
public enum ReplayError: Error, Equatable {
  /// The file cannot be read, is no recording of that kind, or has what only a newer version
  /// knows; the reason names the file and the line.
  case unreadable(reason: String)
  /// There was one call more than while it was recorded; record anew.
  case noMoreTasks(recorded: Int)
  /// An error that was recorded, by its sentence.
  case recorded(String)
}

extension ReplayError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .unreadable(let reason): reason
    case .noMoreTasks(let recorded):
      "the recording has \(recorded) tasks, and one more was started; record it anew"
    case .recorded(let sentence): sentence
    }
  }
}
