import AudioThreads
import Foundation
import Syrinx

extension MemosClient: DependencyKey {
  /// Stores memos in the folder `memos` in the current folder.
  static var liveValue: MemosClient { .folder(URL(filePath: "memos")) }

  /// Stores memos in a folder, each in a WAV file named after its title.
  static func folder(_ url: URL) -> MemosClient {
    let folder = MemosFolder(url: url)
    return MemosClient(
      all: {
        @Dependency(\.uuid) var uuid
        return try await blocking { [uuid] in try folder.memos(uuid) }
      },
      file: { title in try await blocking { try folder.newFile(title) } },
      rename: { memo, title in
        try await blocking {
          let file = try folder.newFile(title)
          try FileManager.default.moveItem(at: memo.file, to: file)
          return file
        }
      },
      delete: { memo in try await blocking { try FileManager.default.removeItem(at: memo.file) } })
  }
}

/// Runs work that may wait for a disk, on a separate thread.
private func blocking<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await DedicatedThread.run(
    name: "memos", abandoned: .failure(CancellationError()), failed: { .failure($0) }
  ) {
    Result {
      do { return try work() } catch let error as CocoaError {
        throw MemosError.file(reason: error.localizedDescription)
      }
    }
  }.get()
}

private struct MemosFolder: Sendable {
  let url: URL

  func memos(_ uuid: UUIDGenerator) throws -> [Memo] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try FileManager.default
      .contentsOfDirectory(at: url, includingPropertiesForKeys: [.contentModificationDateKey])
      .filter { $0.pathExtension == "wav" }
      .sorted { try date(of: $0) > date(of: $1) }
      .map { file in
        let title = file.deletingPathExtension().lastPathComponent
        // A memo with a damaged file stays in the list, without a length.
        return Memo(id: uuid(), title: title, file: file, length: try? length(of: file))
      }
  }

  func newFile(_ title: String) throws -> URL {
    guard !title.contains("/"), !title.hasPrefix(".") else { throw MemosError.badTitle(title) }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let file = url.appending(path: title + ".wav")
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw MemosError.titleInUse(title)
    }
    return file
  }

  private func length(of file: URL) throws -> Duration? {
    let reader = try SoundFileReader(url: file)
    return reader.announcedFrameCount?.duration(at: reader.format.sampleRate)
  }

  private func date(of file: URL) throws -> Date {
    try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      ?? .distantPast
  }
}

/// The error for an invalid title or an unusable file.
enum MemosError: Error, Equatable, CustomStringConvertible {
  case badTitle(String)
  case titleInUse(String)
  case file(reason: String)

  /// A sentence for users.
  var description: String {
    switch self {
    case .badTitle(let title): "\"\(title)\" cannot be a title: leave out \"/\" and a first \".\""
    case .titleInUse(let title): "there is a memo \"\(title)\" already: choose another title"
    case .file(let reason): reason
    }
  }
}
