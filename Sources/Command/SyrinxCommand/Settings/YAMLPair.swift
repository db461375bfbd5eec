import CLibYAML

/// A key and its value in a YAML text whose root is a mapping.
struct YAMLPair: Equatable {
  /// The key's text; empty if the key is a list or a mapping.
  let key: String
  /// The value's text; empty if the value is a list or a mapping.
  let value: String
  /// The line of the key; the first is 1.
  let line: Int

  /// Returns the pairs of a UTF-8 text, in order, duplicates included; nil if its root is not a
  /// mapping.
  ///
  /// A text without a document has no pairs.
  ///
  /// - Throws: a sentence with the reason and the line if the text is not YAML.
  static func all(in text: [UInt8]) throws(CommandFailure) -> [YAMLPair]? {
    // libyaml does not limit the depth of nesting, and its time grows with the square of the depth:
    // 7 s for 65,536 brackets.
    guard text.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) <= 100 else {
      throw CommandFailure("it has more than 100 opening brackets, comments included")
    }
    return try text.withUnsafeBufferPointer { bytes throws(CommandFailure) in
      guard let first = bytes.baseAddress else { return [] }
      return try YAMLParser(first, count: bytes.count).pairs()
    }
  }
}

/// The owner of a libyaml parser.
private struct YAMLParser: ~Copyable {
  /// The parser, allocated on the heap: it contains a pointer to itself, so its address must not
  /// change.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeBufferPointer<UInt8>

  /// Creates a parser of a text, which must outlive the parser.
  ///
  /// The corresponding C functions are `yaml_parser_initialize` and `yaml_parser_set_input_string`.
  init(_ first: UnsafePointer<UInt8>, count: Int) throws(CommandFailure) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw CommandFailure("out of memory")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, first, count)
    (self.parser, text) = (parser, UnsafeBufferPointer(start: first, count: count))
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Returns the pairs of the text's only document; nil if the root is not a mapping.
  func pairs() throws(CommandFailure) -> [YAMLPair]? {
    var document = try nextDocument()
    defer { yaml_document_delete(&document) }
    guard let root = yaml_document_get_root_node(&document)?.pointee else { return [] }
    try expectEnd()
    guard root.type == YAML_MAPPING_NODE else { return nil }
    let pairs = root.data.mapping.pairs
    guard let first = pairs.start, let end = pairs.top else { return [] }
    return UnsafeBufferPointer(start: first, count: end - first).map { pair in
      let key = yaml_document_get_node(&document, pair.key)?.pointee
      let value = yaml_document_get_node(&document, pair.value)?.pointee
      return YAMLPair(
        key: key?.text ?? "", value: value?.text ?? "", line: (key?.start_mark.line ?? 0) + 1)
    }
  }

  /// Returns the next document, which the caller deletes; at the end, a document without a root.
  ///
  /// The corresponding C function is `yaml_parser_load`, which deletes the document on failure.
  private func nextDocument() throws(CommandFailure) -> yaml_document_t {
    var document = yaml_document_t()
    guard yaml_parser_load(parser, &document) == 1 else { throw error }
    return document
  }

  private func expectEnd() throws(CommandFailure) {
    var document = try nextDocument()
    defer { yaml_document_delete(&document) }
    guard yaml_document_get_root_node(&document) == nil else {
      throw CommandFailure(
        "a second document begins in line \(document.start_mark.line + 1)")
    }
  }

  /// The reason that the parser has stopped, such as "while scanning a quoted scalar in line 1, found
  /// unexpected end of stream in line 2".
  private var error: CommandFailure {
    let state = parser.pointee
    guard let problem = state.problem else { return CommandFailure("out of memory") }
    let context = state.context.map {
      "\(String(cString: $0)) in line \(state.context_mark.line + 1), "
    }
    // For an invalid character, libyaml reports only a byte offset, so the line is derived from the
    // offset.
    let line =
      state.error == YAML_READER_ERROR
      ? text.prefix(state.problem_offset).count { $0 == UInt8(ascii: "\n") }
      : state.problem_mark.line
    return CommandFailure(
      "\(context ?? "")\(String(cString: problem)) in line \(line + 1)")
  }
}

extension yaml_node_t {
  /// The text of a scalar; nil for a list or a mapping.
  fileprivate var text: String? {
    guard type == YAML_SCALAR_NODE else { return nil }
    let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
    return String(decoding: bytes, as: UTF8.self)
  }
}
