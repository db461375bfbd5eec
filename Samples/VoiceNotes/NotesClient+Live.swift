public import ClientDependencies
public import Foundation

extension NotesClient: DependencyKey {
  /// Keeps notes in the file that `VOICE_NOTES` names, or in `notes.jsonl` in the current folder.
  public static var liveValue: NotesClient {
    let path = ProcessInfo.processInfo.environment["VOICE_NOTES"] ?? "notes.jsonl"
    return .file(at: URL(fileURLWithPath: path))
  }

  /// Keeps notes in a file, one JSON object per line.
  public static func file(at url: URL) -> NotesClient {
    let file = NotesFile(url: url)
    return NotesClient(
      all: { try await file.notes() },
      add: { try await file.append($0) })
  }
}

/// An actor, so notes that are added at the same time become separate lines.
private actor NotesFile {
  let url: URL

  init(url: URL) {
    self.url = url
  }

  func notes() throws -> [Note] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
      .map { try decoder.decode(Note.self, from: $0) }
  }

  func append(_ note: Note) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = try encoder.encode(note) + Data("\n".utf8)
    guard FileManager.default.fileExists(atPath: url.path) else { return try line.write(to: url) }
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: line)
  }
}
