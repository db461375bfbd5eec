import Foundation
import Syrinx

extension MemosClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  static var testValue: MemosClient { MemosClient() }

  /// A client with two memos that are not on disk, for a player that only pretends to play.
  static var previewValue: MemosClient {
    let nothing = URL(filePath: "/dev/null")
    return MemosClient(
      all: {
        ["Shopping list", "Idea for a song"].enumerated().map { number, title in
          Memo(id: UUID(number), title: title, file: nothing, length: .seconds(3))
        }
      },
      file: { _ in nothing },
      rename: { _, _ in nothing },
      delete: { _ in })
  }
}

extension DependencyValues {
  /// The client that stores memos.
  var memos: MemosClient {
    get { self[MemosClient.self] }
    set { self[MemosClient.self] = newValue }
  }
}
