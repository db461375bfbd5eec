import ArgumentParser
import Foundation

/// The folder of `--output-dir`: a transcript for each file, named after it.
struct TranscriptFolder {
  let path: String
  let style: TranscriptStyle

  /// Refuses files whose transcripts would have the same name.
  func check(_ files: [String]) throws {
    var owners: [String: String] = [:]
    for file in files {
      if let other = owners.updateValue(file, forKey: name(for: file)) {
        throw ValidationError(
          "\(other) and \(file) would both be transcribed to \(name(for: file)); "
            + "give them folders of their own.")
      }
    }
  }

  /// Makes the folder where there is none.
  func make() throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        at: URL(filePath: path), withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(description: "cannot make the folder \(path): \(error.reasonText)")
    }
  }

  func file(for input: String) throws -> TranscriptFile {
    try TranscriptFile(path: URL(filePath: path).appending(path: name(for: input)).path)
  }

  /// `talk.wav` becomes `talk.txt`; standard input is `stdin`.
  func name(for input: String) -> String {
    let name = URL(filePath: input).deletingPathExtension().lastPathComponent
    return "\(input == "-" ? "stdin" : name).\(style.pathExtension)"
  }
}

extension Error {
  /// What the system says, without Foundation's wording where it has none.
  fileprivate var reasonText: String {
    let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return underlying?.localizedDescription ?? localizedDescription
  }
}
