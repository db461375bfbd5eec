import AudioThreads
import Glibc
import Synchronization

extension StreamInput {
  /// A pipe of our own with the same bytes, the first ones included.
  ///
  /// A thread carries them over. It costs little, and gives what a read of the stream itself
  /// cannot: the first bytes can be looked at, and libsndfile, blocked in a read, sees the end when
  /// we say so.
  ///
  /// - Parameter pass: is given what comes, and gives what is to be passed on, or nil at the end.
  func pumped(
    after firstBytes: [UInt8],
    _ pass: @escaping @Sendable ([UInt8]) -> (bytes: [UInt8], isEnd: Bool) = { ($0, false) }
  ) throws(SoundFileError) -> Descriptor {
    let (outlet, inlet) = try Descriptor.pipe(path: path)
    do {
      _ = try DedicatedThread.start(name: "syrinx-pipe") {
        pump(into: inlet, firstBytes: firstBytes, pass)
      }
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
    return outlet
  }

  /// Ends with the stream, when interrupted, or when nobody reads any more; signals are blocked on
  /// this thread, so a pipe without a reader is an error code and no SIGPIPE.
  private func pump(
    into inlet: Descriptor, firstBytes: [UInt8], _ pass: ([UInt8]) -> (bytes: [UInt8], isEnd: Bool)
  ) {
    var bytes = firstBytes
    while true {
      let (passed, isEnd) = pass(bytes)
      let code = passed.withUnsafeBytes { writeAll($0, to: inlet.number) }
      guard code == 0, !isEnd, wait(outlet: inlet.number),
        let more = try? next(atMost: 1 << 16), !more.isEmpty
      else { return }
      bytes = more
    }
  }
}

/// The links of an Ogg stream, each of them as a pipe of its own.
final class OggLinkPipes: Sendable {
  private struct State {
    var links = OggLinks()
    /// What has come and has not been passed on: the head of a page, or the next link.
    var pending: [UInt8]
    /// What of the current page is still to come.
    var rest = 0
    var isOgg = true
    var hasNext = true
  }

  private let stream: StreamInput
  // Held to part what has come into pages, by the thread of one pipe at a time.
  private let state: Mutex<State>

  init(_ head: StreamHead) {
    stream = head.stream
    state = Mutex(State(pending: head.takeAll()))
  }

  /// Whether the last page is not all there.
  var isCutOff: Bool { state.withLock { $0.isOgg && ($0.rest > 0 || !$0.pending.isEmpty) } }

  /// The next link; nil behind the last one.
  ///
  /// - Parameter previous: what this gave before. A decoder may stop before its end, which tells
  ///   whether there is another link.
  func next(after previous: Descriptor?) throws(SoundFileError) -> Descriptor? {
    previous?.drain()
    let hasNext = state.withLock { state in
      defer { state.hasNext = false }
      return state.hasNext
    }
    guard hasNext else { return nil }
    return try stream.pumped(after: []) { [self] in pass($0) }
  }

  private func pass(_ bytes: [UInt8]) -> (bytes: [UInt8], isEnd: Bool) {
    state.withLock { state in
      state.pending += bytes
      var passed = 0
      while passed < state.pending.count, state.isOgg {
        if state.rest == 0 {
          let head = state.pending[passed...]
          guard let page = OggPage(head) else {
            if !head.isIncompleteHead { state.isOgg = false }
            break
          }
          if state.links.begins(with: page, at: 0) { state.hasNext = true }
          state.rest = page.byteCount
          if state.hasNext { break }
        }
        let count = min(state.rest, state.pending.count - passed)
        state.rest -= count
        passed += count
      }
      if !state.isOgg { passed = state.pending.count }
      defer { state.pending.removeFirst(passed) }
      return (Array(state.pending[..<passed]), state.hasNext)
    }
  }
}

extension Descriptor {
  /// Drops what is left in a pipe, up to its end.
  fileprivate func drain() {
    var rest = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = read(number, &rest, rest.count)
      guard count > 0 || (count < 0 && errno == EINTR) else { return }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether it may yet be the head of a page.
  fileprivate var isIncompleteHead: Bool {
    count < OggPage.longestHead && "OggS".utf8.starts(with: prefix(4))
  }
}
