import Foundation
import TestTools
import Testing

/// The same behaviors for the live clients and for what replaces them in tests.
///
/// The page of `SyrinxTestSupport` lists what a fake leaves out. A behavior on the list must fail
/// for that fake, and every other one must succeed.
///
/// One test runs at a time: a test clock advances when the process is idle.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FakesTests {
  /// The fakes that leave out a behavior, by the table on the page.
  private static let leftOut: [String: Set<Implementation>] = {
    let page = try? String(contentsOf: Checkout.file(pagePath), encoding: .utf8)
    let rows = (page ?? "").matches(of: /(?m)^\| (.+?) \| ([a-z, ]+) \|$/)
      .filter { $0.2 != "left out by" }
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let fakes = row.2.split(separator: ", ").compactMap { Implementation(rawValue: String($0)) }
        return (String(row.1), Set(fakes))
      })
  }()

  private static let pagePath =
    "Sources/SyrinxTestSupport/SyrinxTestSupport.docc/SyrinxTestSupport.md"

  /// Tests a behavior, which must fail if the page lists it for this implementation.
  static func check(
    _ implementation: Implementation, _ function: String = #function,
    _ body: () async throws -> Void
  ) async throws {
    let behavior = function.replacing("`", with: "").prefix { $0 != "(" }
    guard leftOut[String(behavior)]?.contains(implementation) == true else {
      return try await body()
    }
    await withKnownIssue("\(implementation) leaves this out") { try await body() }
  }

  @Test func `each behavior that the page lists is tested`() throws {
    #expect(!Self.leftOut.isEmpty)
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let suite = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    let untested = Self.leftOut.filter { !suite.contains("func `\($0.key)`(") || $0.value.isEmpty }
    #expect(untested.keys.sorted() == [])
  }
}

/// An implementation of a client.
enum Implementation: String {
  /// The live client, on the virtual card or the scripted engine.
  case live
  /// `previewValue`.
  case preview
  /// `SpeechClient.scripted`.
  case script
  /// A recording of a client.
  case replay
}

extension AsyncSequence {
  /// All elements, to the end of the sequence.
  func all() async throws -> [Element] { try await reduce(into: []) { $0.append($1) } }
}
