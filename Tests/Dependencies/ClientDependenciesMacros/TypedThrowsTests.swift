import ClientDependenciesMacros
import Testing

@Suite struct TypedThrowsTests {
  private let client = ThrowingClient()

  @Test func `an endpoint whose error is an UnimplementedEndpointError throws it`() async {
    expectUnimplemented("ThrowingClient.saying") {
      #expect(throws: ReadError.unimplemented("ThrowingClient.saying")) {
        try client.saying(id: 1)
      }
    }
  }

  @Test func `an endpoint whose error is not an UnimplementedEndpointError returns a placeholder`()
    async throws
  {
    await expectUnimplemented("ThrowingClient.array") {
      let array = try await client.array(id: 1)
      #expect(array == [])
    }
    expectUnimplemented("ThrowingClient.dictionary") {
      let dictionary = try client.dictionary()
      #expect(dictionary == [:])
    }
    expectUnimplemented("ThrowingClient.set") {
      let set = try client.set()
      #expect(set == [])
    }
    expectUnimplemented("ThrowingClient.text") {
      let text = try client.text()
      #expect(text == "")
    }
    expectUnimplemented("ThrowingClient.number") {
      let number = try client.number()
      #expect(number == 0)
    }
    expectUnimplemented("ThrowingClient.vector") {
      let vector = try client.vector()
      #expect(vector == SIMD4(0, 0, 0, 0))
    }
    expectUnimplemented("ThrowingClient.duration") {
      let duration = try client.duration()
      #expect(duration == .zero)
    }
    expectUnimplemented("ThrowingClient.boolean") {
      let boolean = try client.boolean()
      #expect(boolean == false)
    }
    expectUnimplemented("ThrowingClient.optional") {
      let optional = try client.optional()
      #expect(optional == nil)
    }
    expectUnimplemented("ThrowingClient.nothing") { try client.nothing() }
    expectUnimplemented("ThrowingClient.placeholder") {
      let song = try client.placeholder()
      #expect(song == Song(title: "none"))
    }
  }

  @Test func `the placeholder of a stream ends at once`() async {
    await expectUnimplemented("ThrowingClient.stream") {
      for await _ in try client.stream() { Issue.record("an element came") }
    }
  }

  @Test func `without a placeholder, the first case of a CaseIterable error type is thrown`() {
    expectUnimplemented("ThrowingClient.listed") {
      #expect(throws: Listed.first) { try client.listed() }
    }
  }

  @Test func `a call that can neither return nor throw anything ends the process with a message`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      withKnownIssue { _ = try ThrowingClient().nothingToDo() }
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("'ThrowingClient.nothingToDo' is unimplemented"))
    #expect(text.contains("'UnimplementedEndpointError'"))
  }
}

private struct OpaqueFailure: Error {}
private enum Listed: Error, CaseIterable { case first, second }
private struct Song: Equatable, UnimplementedPlaceholder {
  var title: String
  static var unimplementedPlaceholder: Song { Song(title: "none") }
}

@DependencyClient
private struct ThrowingClient: Sendable {
  var saying: @Sendable (_ id: Int) throws(ReadError) -> Song
  var array: @Sendable (_ id: Int) async throws(OpaqueFailure) -> [Int]
  var dictionary: @Sendable () throws(OpaqueFailure) -> [String: Int]
  var set: @Sendable () throws(OpaqueFailure) -> Set<Int>
  var text: @Sendable () throws(OpaqueFailure) -> String
  var number: @Sendable () throws(OpaqueFailure) -> UInt16
  var vector: @Sendable () throws(OpaqueFailure) -> SIMD4<Float>
  var duration: @Sendable () throws(OpaqueFailure) -> Duration
  var boolean: @Sendable () throws(OpaqueFailure) -> Bool
  var optional: @Sendable () throws(OpaqueFailure) -> Song?
  var nothing: @Sendable () throws(OpaqueFailure) -> Void
  var placeholder: @Sendable () throws(OpaqueFailure) -> Song
  var stream: @Sendable () throws(OpaqueFailure) -> AsyncStream<Int>
  var listed: @Sendable () throws(Listed) -> Box
  var nothingToDo: @Sendable () throws(OpaqueFailure) -> Box
}
