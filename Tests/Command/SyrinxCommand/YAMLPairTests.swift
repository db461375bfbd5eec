import Testing

@testable import SyrinxCommand

@Suite struct YAMLPairTests {
  private func pairs(_ text: String) throws(CommandFailure) -> [YAMLPair]? {
    try YAMLPair.all(in: Array(text.utf8))
  }

  @Test func `pairs keep their order and line numbers, and duplicates are kept`() throws {
    let text = """
      # Two of one kind.
      jobs: 2

      "jobs": '3'
      ü: é
      """
    #expect(
      try pairs(text) == [
        YAMLPair(key: "jobs", value: "2", line: 2), YAMLPair(key: "jobs", value: "3", line: 4),
        YAMLPair(key: "ü", value: "é", line: 5),
      ])
  }

  @Test(arguments: ["", "\n", "# nothing\n", "{}", "---\n{}\n...\n"])
  func `a text without a pair is an empty mapping`(text: String) throws {
    #expect(try pairs(text) == [])
  }

  @Test(arguments: ["- a", "[a, b]", "a", "~", "---\n"])
  func `a root that is not a mapping has no pairs`(text: String) throws {
    #expect(try pairs(text) == nil)
  }

  @Test(arguments: [
    ("a: ~", "~"), ("a:", ""), ("a: null", "null"), ("a: !!int 2", "2"), ("a: !own b", "b"),
    ("\u{FEFF}a: 2", "2"), (#"a: "x\0y""#, "x\0y"), ("a: |\n  b\n  c", "b\nc"),
    ("a: [b]", ""), ("a: {b: c}", ""), ("a: &a [*a]", ""), ("a: &b c\nd: *b", "c"),
  ])
  func `a value is the text of a scalar, and empty for anything else`(
    text: String, value: String
  ) throws {
    let last = try #require(try pairs(text)?.last)
    #expect(last.value == value)
  }

  @Test func `a key that is a list, a mapping, or an alias has an empty text`() throws {
    let text = "? [a]\n: b\n? {c: d}\n: e"
    #expect(
      try pairs(text) == [
        YAMLPair(key: "", value: "b", line: 1), YAMLPair(key: "", value: "e", line: 3),
      ])
    #expect(try pairs("&a {*a : b}") == [YAMLPair(key: "", value: "b", line: 1)])
  }

  @Test(arguments: [
    (
      "a: 'b\n",
      "while scanning a quoted scalar in line 1, found unexpected end of stream in line 2"
    ),
    ("a: b\nc: \0", "control characters are not allowed in line 2"),
    ("a: b\nc: *d", "found undefined alias in line 2"),
    ("a: b\nc: !d!e f", "while parsing a node in line 2, found undefined tag handle in line 2"),
    ("a: b: c", "mapping values are not allowed in this context in line 1"),
    ("a: b\n---\n", "a second document begins in line 2"),
    ("%YAML 3.0\n--- a", "found incompatible YAML document in line 1"),
  ])
  func `the error for a text that is not YAML contains the line number`(
    text: String, reason: String
  ) {
    #expect(throws: CommandFailure(reason)) { try pairs(text) }
  }

  @Test func `deep nesting that would take libyaml seconds is an error, and other nesting is not`()
    throws
  {
    let error = CommandFailure("it has more than 100 opening brackets, comments included")
    for bracket in ["[", "{", "a: [", "? {"] {
      #expect(throws: error) {
        try pairs(String(repeating: bracket, count: 65_536 / bracket.utf8.count))
      }
    }
    #expect(
      try pairs("a: \(String(repeating: "[", count: 100) + String(repeating: "]", count: 100))")?
        .count == 1)
    #expect(try pairs(String(repeating: "- ", count: 32_768)) == nil)
    #expect(try pairs(String(repeating: "? ", count: 32_768))?.count == 1)
  }
}
