#if !PointFreeDependencies
public import Foundation

extension DependencyValues {
  /// What opens a URL in the program that the desktop has for it, by `xdg-open`.
  ///
  /// ```swift
  /// @Dependency(\.openURL) var openURL
  /// await openURL(help)
  /// ```
  ///
  /// The call waits until `xdg-open` reports whether a program took the URL, for three seconds of
  /// `\.continuousClock` at most: where the desktop is unknown, `xdg-open` stays as long as the
  /// browser that it started, and the URL is taken. It ends as well, with `false`, as soon as its
  /// task is cancelled; the program goes on.
  ///
  /// A test that opens a URL without an override gets an issue and `false`.
  public var openURL: OpenURLEffect {
    get { self[OpenURLKey.self] }
    set { self[OpenURLKey.self] = newValue }
  }
}

enum OpenURLKey: DependencyKey {
  static let liveValue = OpenURLEffect { url in
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    @Dependency(\.continuousClock) var clock
    return await DesktopOpener(path: path, clock: clock).open(url)
  }
  static var testValue: OpenURLEffect {
    OpenURLEffect { [origin = IssueOrigin.current] _ in
      reportUnimplemented("@Dependency(\\.openURL)", from: origin)
      return false
    }
  }
}

/// What opens URLs.
public struct OpenURLEffect: Sendable {
  private let handler: @Sendable (URL) async -> Bool

  /// Opens URLs with a closure, which returns whether the URL was taken.
  public init(handler: @escaping @Sendable (URL) async -> Bool) {
    self.handler = handler
  }

  /// Opens a URL.
  ///
  /// - Returns: whether a program took it.
  @discardableResult
  public func callAsFunction(_ url: URL) async -> Bool {
    await handler(url)
  }

  /// Opens a URL, in a closure that returns nothing.
  @_disfavoredOverload
  public func callAsFunction(_ url: URL) async {
    _ = await handler(url)
  }
}

/// Runs `xdg-open`, as a child process and without a shell.
struct DesktopOpener {
  /// The folders to look for the program in, with colons between them.
  var path: String
  var clock: any Clock<Duration>
  /// How long `xdg-open` may run until that means that it is itself the browser's parent.
  var patience = Duration.seconds(3)

  /// Opens a URL, and waits until `xdg-open` is done, patience is over or the task is cancelled.
  ///
  /// - Returns: whether it reports that a program took the URL, or still runs; false for a task that
  ///   was cancelled.
  func open(_ url: URL) async -> Bool {
    // Without a scheme `xdg-open` would take the text for a file, or for one of its options.
    guard url.scheme != nil, let program else { return false }
    let success = run(program, url)
    return await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await success.first { _ in true } }
      group.addTask { (try? await clock.sleep(for: patience)).map { true } }
      defer { group.cancelAll() }
      return (await group.next() ?? nil) ?? false
    }
  }

  /// Starts the program.
  ///
  /// - Returns: a stream of one element, whether the program succeeded. Foundation waits for the
  ///   process also without a reader of the stream.
  private func run(_ program: URL, _ url: URL) -> AsyncStream<Bool> {
    let (success, continuation) = AsyncStream<Bool>.makeStream()
    let process = Process()
    process.executableURL = program
    process.arguments = [url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.terminationHandler = { continuation.yield($0.isSuccess) }
    do { try process.run() } catch { continuation.yield(false) }
    return success
  }

  private var program: URL? {
    path.split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: "xdg-open") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}

extension Process {
  fileprivate var isSuccess: Bool { terminationReason == .exit && terminationStatus == 0 }
}
#endif
