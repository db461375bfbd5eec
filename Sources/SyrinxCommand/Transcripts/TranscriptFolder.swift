import ArgumentParser
import FilePaths

/// The folder of `--output-dir`, with a transcript per file and format.
struct TranscriptFolder {
  let path: FilePath
  let styles: [TranscriptStyle]

  /// Throws if the transcripts of two named files would have the same name.
  func check(_ files: [FilePath]) throws {
    var owners: [FilePath: FilePath] = [:]
    for file in files where !file.isFolder {
      let name = file.ownPlace.withoutExtension
      if let other = owners.updateValue(file, forKey: name) {
        throw ValidationError(
          "the transcripts of \(other) and \(file) would both be \(name).\(styles[0].pathExtension); "
            + "write them to separate folders.")
      }
    }
  }

  /// Begins the transcripts of an input, in the order of the styles.
  func files(for input: TranscriptionInput) async throws -> [PendingOutput] {
    let files = styles.map { file(for: input, $0) }
    // They differ in their extensions only.
    try await makeFolder(files[0].folder)
    return try files.map { try PendingOutput(path: $0.text) }
  }

  /// Whether all transcripts of an input exist.
  func hasTranscripts(of input: TranscriptionInput) -> Bool {
    styles.allSatisfy { FileVersion(file(for: input, $0).status) != nil }
  }

  /// The list or the manifest of the folder, if a transcript of an input would have its name.
  func ownFile(namedLikeTranscriptsOf input: TranscriptionInput) -> FilePath? {
    let own = [TranscriptArchive.failedName, TranscriptArchive.manifestName].map(path.appending)
    return own.first(where: styles.map { file(for: input, $0) }.contains)
  }

  /// `2024/talk.wav` becomes `2024/talk.txt`.
  func file(for input: TranscriptionInput, _ style: TranscriptStyle) -> FilePath {
    path.appending(
      FilePath(bytes: input.place.withoutExtension.bytes + ".\(style.pathExtension)".utf8))
  }
}
