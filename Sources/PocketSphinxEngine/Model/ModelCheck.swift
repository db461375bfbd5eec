import FilePaths
import Glibc
import SpeechEngine
import Synchronization

/// Validates a model once, and again when one of its files has changed.
final class ModelCheck: Sendable {
  private struct Passed {
    let model: CheckedModel
    let stamps: [FileStamp?]
  }

  // Held while a model is validated, so that decoders that are loaded at once wait for one check
  // and do not make one each.
  private let passed = Mutex<Passed?>(nil)

  /// The model in these files.
  ///
  /// - Throws: `SpeechEngineError` where it is damaged.
  func model(_ files: ModelFiles) throws(SpeechEngineError) -> CheckedModel {
    try passed.withLock { passed throws(SpeechEngineError) in
      // Taken before the files are read: what changes meanwhile is noticed the next time.
      let stamps = files.all.map(FileStamp.init)
      if let passed, passed.model.files == files, passed.stamps == stamps { return passed.model }
      passed = nil
      let model = try files.validate()
      passed = Passed(model: model, stamps: stamps)
      return model
    }
  }
}

/// What is another whenever a file has been written to or replaced.
private struct FileStamp: Equatable {
  private let device: UInt
  private let number: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// The stamp of the file that a path leads to; nil where there is none.
  init?(_ path: String) {
    guard let status = FilePath(path).status else { return nil }
    (device, number, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    // The time of the last change of the file or its description, which nobody can set.
    (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }
}
