import ArgumentParser
import FilePaths

/// The folder of `--output-dir`: a transcript for each file, named after it.
struct TranscriptFolder {
  let path: FilePath
  let style: TranscriptStyle

  /// Refuses files whose transcripts would have the same name.
  func check(_ files: [FilePath]) throws {
    var owners: [FilePath: FilePath] = [:]
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
    do throws(FilePathError) {
      try path.makeFolder()
    } catch {
      throw CommandFailure(description: "cannot make the folder \(path): \(error.reason)")
    }
  }

  func file(for input: FilePath) throws -> TranscriptFile {
    try TranscriptFile(path: path.appending(name(for: input)).text)
  }

  /// `talk.wav` becomes `talk.txt`; standard input is `stdin`.
  func name(for input: FilePath) -> FilePath {
    FilePath("\(input == "-" ? "stdin" : input.stem.text).\(style.pathExtension)")
  }
}
