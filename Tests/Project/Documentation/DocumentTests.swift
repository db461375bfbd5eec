import Testing

@Suite struct DocumentTests {
  private let document = Document(
    name: "A.md",
    text: """
      # A
      ```swift
      import B

      let a = 1  // one
      ```
      ```sh
      no
      ```
      ## C
      ```swift
      let c = 3
      ```
      ### D
      """)

  @Test func `the Swift blocks of a document are found, with their line numbers`() {
    #expect(document.snippets.map(\.line) == [3, 12])
    #expect(document.snippets.map(\.code.lines) == [["let a = 1  // one"], ["let c = 3"]])
    #expect(document.snippets.map(\.code.imports) == [["import B"], []])
    #expect(document.faults == [])
  }

  @Test func `a removed section ends at the next heading, and all other lines keep their numbers`()
  {
    #expect(document.without(sections: ["C"]).snippets == [document.snippets[0]])
    #expect(document.without(sections: ["D", "E"]).snippets == document.snippets)
    #expect(document.without(sections: ["A"]).lines == document.lines)
  }

  @Test func `the comments of a source file can be read as a document`() {
    let comments = Document(
      name: "A.swift",
      commentsOf: """
        struct A {
          /// One.
          ///
          /// ```swift
          /// f {
          ///   1
          /// }
          /// ```
          func f() {}  // ```swift
        }
        """)
    #expect(comments.snippets == [Snippet(document: "A.swift", line: 5, code: Code("f {\n1\n}"))])
    #expect(comments.faults == [])
  }

  @Test(arguments: [
    ("```\nlet a = 1\n```", ["A.md:1: '```' is none of [\"```swift\", \"```sh\"]"]),
    ("\n```Swift\n```", ["A.md:2: '```Swift' is none of [\"```swift\", \"```sh\"]"]),
    ("```swift\n  ```", ["A.md:2: '  ```' is none of [\"```\"]"]),
    ("```swift\nlet a = 1", ["A.md:1: a block without an end"]),
    (
      "- ```swift\n  let a = 1\n  ```",
      [
        "A.md:1: '- ```swift' is none of [\"```swift\", \"```sh\"]",
        "A.md:3: '  ```' is none of [\"```\"]",
      ]
    ),
    (
      "~~~swift\nlet a = 1\n~~~",
      [
        "A.md:1: '~~~swift' is none of [\"```swift\", \"```sh\"]",
        "A.md:3: '~~~' is none of [\"```\"]",
      ]
    ),
  ])
  func `a code block that the tests would skip is reported`(text: String, faults: [String]) {
    #expect(Document(name: "A.md", text: text).faults == faults)
  }
}
