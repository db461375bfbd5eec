import Testing

/// Checks that each definition in a C header has a comment on why Swift needs it.
enum ShimComments {
  /// Returns the lines of a shim that define a name with `syrinx_` and do not follow a comment.
  static func uncommented(in file: SourceFile) -> [String] {
    let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return zip([""] + lines, lines).compactMap { before, line in
      let isOurs = line.contains("syrinx_") && !line.hasPrefix(" ") && !line.hasPrefix("//")
      return isOurs && !before.hasPrefix("//") ? line : nil
    }
  }
}

@Suite struct ShimCommentTests {
  @Test func `each function in a C shim has a comment on why it is needed`() throws {
    let shims = try SourceFile.files(below: "Sources").filter { $0.name.hasSuffix("shim.h") }
    #expect(shims.count >= 4)
    #expect(shims.flatMap(ShimComments.uncommented) == [])
  }

  @Test func `a shim function without a comment is reported`() {
    let text = """
      // Swift cannot call it.
      static inline int syrinx_one(void) {
        return syrinx_other();
      }

      static inline int syrinx_two(void) { return 2; }
      """
    let file = SourceFile(path: "Sources/CLibraries/CALSA/shim.h", text: text)
    #expect(
      ShimComments.uncommented(in: file) == ["static inline int syrinx_two(void) { return 2; }"])
  }
}
