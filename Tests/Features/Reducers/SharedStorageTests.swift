import ClientDependencies
import Foundation
import Reducers
import Testing

@Suite struct AppStorageTests {
  private enum Theme: String { case dark, light }

  @Dependency(\.defaultAppStorage) private var store

  /// Checks that a default is stored, and that the value and the user defaults reflect each change.
  private func check<Value: AppStorageValue & Equatable>(_ first: Value, _ second: Value) {
    @Shared(.appStorage("value")) var value = first
    #expect(Value.value(forKey: "value", in: store) == first)
    second.set(forKey: "value", in: store)
    #expect(value == second)
    $value.withLock { $0 = first }
    #expect(Value.value(forKey: "value", in: store) == first)
    store.removeObject(forKey: "value")
    #expect(value == first)
  }

  @Test func `values of every supported type are stored, and external changes are read`() {
    check(true, false)
    check(1, 2)
    check(0.5, 1.5)
    check("a", "b")
    check(["a"], ["b", "c"])
    check(Data([1]), Data([2, 3]))
    check(Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
    check(URL(filePath: "/a"), URL(filePath: "/b"))
  }

  @Test func `a web URL keeps its scheme and query, and a stored path is read as a file URL`()
    async throws
  {
    let page = try #require(URL(string: "https://example.com/a%20b?c=d#e"))
    check(page, URL(filePath: "/a b"))
    @Shared(.appStorage("page")) var url = URL(filePath: "/a")
    $url.withLock { $0 = page }
    try await $url.load()
    #expect(url == page)
    store.set("/c d", forKey: "page")
    #expect(url.isFileURL && url.path == "/c d")
  }

  @Test func `a raw value is stored, and an unknown raw value is read as the default`() {
    @Shared(.appStorage("theme")) var theme = Theme.dark
    #expect(store.string(forKey: "theme") == "dark")
    store.set("light", forKey: "theme")
    #expect(theme == .light)
    store.set("blue", forKey: "theme")
    #expect(theme == .dark)
    @Shared(.appStorage("accent")) var accent: Theme?
    $accent.withLock { $0 = .light }
    #expect(store.string(forKey: "accent") == "light")
    $accent.withLock { $0 = nil }
    #expect(store.object(forKey: "accent") == nil)
  }

  @Test func `removing a stored value restores the default, and setting nil removes the value`() {
    @Shared(.appStorage("flag")) var flag: Bool? = true
    #expect(store.bool(forKey: "flag"))
    store.set(false, forKey: "flag")
    #expect(flag == false)
    store.removeObject(forKey: "flag")
    #expect(flag == true)
    $flag.withLock { $0 = nil }
    #expect(flag == nil)
    #expect(store.object(forKey: "flag") == nil)
  }

  @Test func `a default does not replace a stored value`() {
    store.set(7, forKey: "number")
    @Shared(.appStorage("number")) var number = 1
    #expect(number == 7)
    store.removeObject(forKey: "number")
    #expect(number == 1)
  }

  @Test func `the same key in another UserDefaults is a separate value`() {
    let other = withDependencies {
      $0.context = .preview
    } operation: {
      @Dependency(\.defaultAppStorage) var other
      return UncheckedSendable(other)
    }
    @Shared(.appStorage("number")) var number = 1
    @Shared(.appStorage("number", store: other.value)) var otherNumber = 2
    $number.withLock { $0 = 5 }
    #expect(otherNumber == 2)
    #expect(other.value.integer(forKey: "number") == 2)
  }

  @Test func `a change in the user defaults is not lost if SIGKILL follows immediately`() async {
    let suite = "syrinx-\(UUID().uuidString)"
    await #expect(processExitsWith: .signal(SIGKILL)) { [suite = suite as String] in
      @Shared(.appStorage("text", store: UserDefaults(suiteName: suite))) var text = "default"
      $text.withLock { $0 = "survives" }
      kill(getpid(), SIGKILL)
    }
    #expect(UserDefaults(suiteName: suite)?.string(forKey: "text") == "survives")
    let home = FileManager.default.homeDirectoryForCurrentUser
    try? FileManager.default.removeItem(at: home.appending(path: ".config/\(suite).plist"))
  }
}

@Suite struct FileStorageTests {
  private let files = LockIsolated<[URL: Data]>([:])
  private let url = URL(filePath: "/memos.json")

  @Test func `a change is written to the file at once, and a default value is not written`() {
    withDependencies {
      $0.defaultFileStorage = .inMemory(fileSystem: files)
    } operation: {
      @Shared(.fileStorage(url)) var numbers: [Int] = []
      #expect(files.value.isEmpty)
      $numbers.withLock { $0.append(1) }
      #expect(files.value == [url: Data("[1]".utf8)])
    }
  }

  @Test func `a file is decoded and encoded by an app's own functions`() {
    files.setValue([url: Data("old".utf8)])
    withDependencies {
      $0.defaultFileStorage = .inMemory(fileSystem: files)
    } operation: {
      @Shared(.text(url)) var text = ""
      #expect(text == "old")
      $text.withLock { $0 += "er" }
      #expect(files.value == [url: Data("older".utf8)])
    }
  }

  @Test func `a damaged file is reported, and the default is used until the next change`() {
    files.setValue([url: Data("corrupt".utf8)])
    withDependencies {
      $0.defaultFileStorage = .inMemory(fileSystem: files)
    } operation: {
      withKnownIssue {
        @Shared(.fileStorage(url)) var numbers = [3]
        #expect(numbers == [3])
        #expect($numbers.loadError is DecodingError)
        $numbers.withLock { $0.append(4) }
        #expect($numbers.loadError == nil)
      } matching: {
        "\($0)".contains("could not be loaded") && "\($0)".contains("memos.json")
      }
    }
  }

  @Test func `tests and storages do not share files`() {
    @Shared(.fileStorage(url)) var number = 1
    $number.withLock { $0 = 2 }
    let other = withDependencies {
      $0.defaultFileStorage = .inMemory
    } operation: {
      @Shared(.fileStorage(url)) var number = 1
      return $number
    }
    #expect(other.wrappedValue == 1)
  }

  @Test
  func `a file is replaced as a whole and keeps its mode, and a missing directory is created`()
    throws
  {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "new/memos.json")
    try withDependencies {
      $0.defaultFileStorage = .fileSystem
    } operation: {
      @Shared(.fileStorage(file)) var numbers: [Int] = []
      $numbers.withLock { $0 = [1] }
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      // If the file is replaced as a whole, an open handle still reads the old content.
      let before = try FileHandle(forReadingFrom: file)
      $numbers.withLock { $0 = [1, 2] }
      #expect(try before.readToEnd() == Data("[1]".utf8))
      #expect(try Data(contentsOf: file) == Data("[1,2]".utf8))
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      let names = try FileManager.default.contentsOfDirectory(
        atPath: file.deletingLastPathComponent().path)
      #expect(names == ["memos.json"])
    }
  }

  @Test func `a file that cannot be replaced is reported, and keeps its content`() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "memos.json")
    // A folder in the place of the file cannot be replaced by a file, even by root.
    try FileManager.default.createDirectory(
      at: file.appending(path: "inside"), withIntermediateDirectories: true)
    withDependencies {
      $0.defaultFileStorage = .fileSystem
    } operation: {
      withKnownIssue {
        @Shared(.fileStorage(file)) var numbers: [Int] = []
        $numbers.withLock { $0 = [1] }
        #expect($numbers.saveError != nil)
        #expect(numbers == [1])
      } matching: {
        "\($0)".contains("could not be saved") || "\($0)".contains("could not be loaded")
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names == ["memos.json"])
  }

  @Test func `a change in a file is not lost if SIGKILL follows immediately`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "memos.json")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
      withDependencies {
        $0.context = .live
      } operation: {
        @Shared(.fileStorage(URL(filePath: path))) var numbers: [Int] = []
        for number in 0..<100 { $numbers.withLock { $0.append(number) } }
      }
      kill(getpid(), SIGKILL)
    }
    withDependencies {
      $0.defaultFileStorage = .fileSystem
    } operation: {
      @Shared(.fileStorage(file)) var numbers: [Int] = []
      #expect(numbers == Array(0..<100))
    }
  }
}

extension SharedKey where Self == FileStorageKey<String> {
  fileprivate static func text(_ url: URL) -> Self {
    .fileStorage(url, decode: { String(decoding: $0, as: UTF8.self) }, encode: { Data($0.utf8) })
  }
}

/// A folder for one test.
private final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
