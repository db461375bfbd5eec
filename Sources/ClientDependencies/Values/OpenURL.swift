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
  /// The call waits until `xdg-open` tells whether a program took the URL, for three seconds of
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
#endif
