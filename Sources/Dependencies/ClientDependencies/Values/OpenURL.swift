#if !PointFreeDependencies
#if Foundation
public import Foundation

extension DependencyValues {
  /// Opens a URL with the desktop's default program, through `xdg-open`.
  ///
  /// ```swift
  /// @Dependency(\.openURL) var openURL
  /// await openURL(help)
  /// ```
  ///
  /// The call waits until `xdg-open` reports whether a program accepted the URL, for at most three
  /// seconds of `\.continuousClock`. On an unknown desktop, `xdg-open` runs as long as the browser,
  /// so the timeout counts as success. Cancellation returns `false` at once; the program continues.
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

/// An effect that is called like a function and opens a URL.
public struct OpenURLEffect: Sendable {
  private let handler: @Sendable (URL) async -> Bool

  /// Opens URLs with a closure, which returns whether a program accepted the URL.
  public init(handler: @escaping @Sendable (URL) async -> Bool) {
    self.handler = handler
  }

  /// Opens a URL.
  ///
  /// - Returns: whether a program accepted the URL.
  @discardableResult
  public func callAsFunction(_ url: URL) async -> Bool {
    await handler(url)
  }

  /// Opens a URL and returns nothing, so that the call can be a closure's only statement.
  @_disfavoredOverload
  public func callAsFunction(_ url: URL) async {
    _ = await handler(url)
  }
}

/// Runs `xdg-open`, as a child process and without a shell.
struct DesktopOpener {
  /// The folders to search for the program, separated by colons.
  var path: String
  var clock: any Clock<Duration>
  /// The time after which a running `xdg-open` counts as a success.
  ///
  /// By then, `xdg-open` only waits for the browser that it has started.
  var timeout = Duration.seconds(3)

  /// Opens a URL, and waits until `xdg-open` ends, the timeout expires, or the task is canceled.
  ///
  /// - Returns: whether a program accepted the URL or `xdg-open` still runs; false after
  ///   cancellation.
  func open(_ url: URL) async -> Bool {
    // A URL without a scheme is rejected, because `xdg-open` would treat it as a file or an option.
    guard url.scheme != nil, let program else { return false }
    let success = run(program, url)
    return await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await success.first { _ in true } }
      group.addTask { (try? await clock.sleep(for: timeout)).map { true } }
      defer { group.cancelAll() }
      return (await group.next() ?? nil) ?? false
    }
  }

  /// Starts the program.
  ///
  /// - Returns: a stream of one element: whether the program succeeded. Foundation reaps the
  ///   process even if nothing reads the stream.
  private func run(_ program: URL, _ url: URL) -> AsyncStream<Bool> {
    let (success, continuation) = AsyncStream<Bool>.makeStream()
    let process = Process()
    process.executableURL = program
    process.arguments = [url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.terminationHandler = {
      continuation.yield($0.terminationReason == .exit && $0.terminationStatus == 0)
    }
    do { try process.run() } catch { continuation.yield(false) }
    return success
  }

  private var program: URL? {
    path.split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: "xdg-open") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
#endif
#endif
