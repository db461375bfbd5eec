import AudioThreads
import Foundation
import SoundCard
import Synchronization
import Testing

@testable import ALSASoundCard

@Suite(.timeLimit(.minutes(5))) struct FolderWatchTests {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "syrinx-watch-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @Test func `added, removed, and chmodded files are reported`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let stop = try #require(
      watchFolders([folder.path()], concerns: { $0 == "native" }) { change.yield() })
    var iterator = changes.makeAsyncIterator()
    let file = folder.appending(path: "native").path()
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    await iterator.next()
    chmod(file, 0o600)
    await iterator.next()
    unlink(file)
    await iterator.next()
    stop()
  }

  @Test func `moved files are reported, and irrelevant names are not`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let log = Mutex<[String]>([])
    let stop = try #require(
      watchFolders([folder.path()]) { name in
        log.withLock { $0.append(name) }
        return name == "native"
      } changed: {
        log.withLock { $0.append("") }
        change.yield()
      })
    var iterator = changes.makeAsyncIterator()
    let outside = folder.appendingPathExtension("outside").path()
    defer { unlink(outside) }
    _ = FileManager.default.createFile(atPath: outside, contents: nil)
    _ = FileManager.default.createFile(
      atPath: folder.appending(path: "another").path(), contents: nil)
    rename(outside, folder.appending(path: "native").path())
    await iterator.next()
    rename(folder.appending(path: "native").path(), outside)
    await iterator.next()
    stop()
    let names = log.withLock { $0 }
    #expect(names.contains("another"))
    // The log contains the name of each changed file, and "" for each report. The name before a
    // report is its reason.
    let reasons = zip(names, names.dropFirst()).filter { $0.1.isEmpty }.map(\.0)
    #expect(reasons.allSatisfy { $0 == "native" } && reasons.count >= 2)
  }

  @Test func `after the watch ends, its thread releases everything`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let gone = Gate()
    var stop: (@Sendable () -> Void)?
    do {
      let witness = ReleaseProbe(gone)
      stop = watchFolders([folder.path()], concerns: { _ in true }) { _ = witness }
    }
    try #require(stop != nil)
    stop?()
    await gone.wait()
  }

  /// Opens a gate when this object is released.
  private final class ReleaseProbe: Sendable {
    private let gone: Gate
    init(_ gone: Gate) { self.gone = gone }
    deinit { gone.open() }
  }

  @Test func `a folder created later is watched`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let inner = folder.appending(path: "pulse")
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let stop = try #require(
      watchFolders([inner.path(), folder.path()], concerns: SoundServer.isDeviceChange) {
        change.yield()
      })
    var iterator = changes.makeAsyncIterator()
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    await iterator.next()
    _ = FileManager.default.createFile(
      atPath: inner.appending(path: "native").path(), contents: nil)
    await iterator.next()
    stop()
  }

  @Test func `the names of changed files are read from inotify events, including empty names`() {
    func event(_ name: [UInt8]) -> [UInt8] {
      [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, UInt8(name.count), 0, 0, 0] + name
    }
    let bytes = event(Array("snd".utf8) + [0, 0, 0, 0, 0]) + event([]) + event([65, 0, 0, 0])
    bytes.withUnsafeBytes { bytes in
      #expect(changedNames(in: bytes) == ["snd", "", "A"])
      // A truncated event is ignored.
      #expect(changedNames(in: UnsafeRawBufferPointer(rebasing: bytes[..<10])).isEmpty)
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct DeviceChangesTests {
  /// Counts the running watches and lets a test report a change.
  private final class Watches: Sendable {
    struct State {
      var running = 0
      var begun = 0
      var changed: (@Sendable () -> Void)?
    }
    let state = Mutex(State())
    let ended = Gate()

    func start(_ changed: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
      state.withLock {
        ($0.running, $0.begun, $0.changed) = ($0.running + 1, $0.begun + 1, changed)
      }
      return { [self] in
        state.withLock { $0.running -= 1 }
        ended.open()
      }
    }

    func change() { state.withLock { $0.changed }?() }
  }

  @Test func `every stream reports every change, and the watch ends with the last stream`()
    async throws
  {
    let watches = Watches()
    let changes = DeviceChanges { watches.start($0) }
    func notified(_ stream: AsyncStream<Void>) -> Task<Bool, Never> {
      Task {
        for await _ in stream { return true }; return false
      }
    }
    let streams = [changes.stream(), changes.stream()]
    #expect(watches.state.withLock { $0.running } == 1)
    watches.change()
    for stream in streams { #expect(await notified(stream).value) }
  }

  @Test func `a released stream ends the watch`() async {
    let watches = Watches()
    let changes = DeviceChanges { watches.start($0) }
    do {
      let stream = changes.stream()
      withExtendedLifetime(stream) {}
    }
    await watches.ended.wait()
    #expect(watches.state.withLock { $0.running } == 0)
  }

  @Test func `a watch ends after 100,000 changes`() async {
    let watches = Watches()
    let changes = DeviceChanges { watches.start($0) }
    do {
      let stream = changes.stream()
      for _ in 0..<100_000 { watches.change() }
      withExtendedLifetime(stream) {}
    }
    await watches.ended.wait()
    #expect(watches.state.withLock { $0.running } == 0)
  }

  @Test func `a stream ends at once if changes cannot be observed`() async {
    for await _ in DeviceChanges(watching: { _ in nil }).stream() {
      Issue.record("the stream yielded")
    }
  }
}
