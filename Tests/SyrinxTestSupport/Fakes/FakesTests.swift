import Foundation
import TestTools
import Testing

/// Checks the same behaviors of the live clients and of the fakes that replace them in tests.
///
/// The page of `SyrinxTestSupport` lists the behaviors that each fake lacks. A fake must fail at
/// those, and succeed at all other behaviors.
///
/// One test runs at a time, because a test clock advances when the process is idle.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FakesTests {
  /// The fakes that lack each behavior, from the table in the documentation of `SyrinxTestSupport`.
  private static let leftOut: [String: Set<Implementation>] = {
    let page = try? String(contentsOf: Checkout.file(pagePath), encoding: .utf8)
    let parts = (page ?? "").components(separatedBy: "| behavior | left out by |")
    let rows = parts[1...].joined().matches(of: /(?m)^\| (.+?) \| ([a-z, ]+) \|$/)
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let fakes = row.2.split(separator: ", ").compactMap { Implementation(rawValue: String($0)) }
        return (String(row.1), Set(fakes))
      })
  }()

  private static let pagePath =
    "Sources/SyrinxTestSupport/SyrinxTestSupport.docc/SyrinxTestSupport.md"

  /// Tests a behavior; the test must fail if the documentation lists the implementation as lacking
  /// it.
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

  @Test func `each behavior that the documentation lists is tested`() throws {
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
  /// Returns all elements, to the end of the sequence.
  func all() async throws -> [Element] { try await reduce(into: []) { $0.append($1) } }
}
