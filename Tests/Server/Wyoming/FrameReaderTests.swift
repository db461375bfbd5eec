import TestTools
import Testing

@testable import Wyoming

@Suite struct FrameReaderTests {
  private static let chunk = WyomingEvent(
    "audio-chunk", ["rate": 16_000, "width": 2, "channels": 1, "timestamp": .null],
    payload: Array("\n{\n".utf8) + [0, 255, 10])
  private static let stream: [WyomingEvent] = [
    WyomingEvent("describe"), chunk, WyomingEvent("transcript", ["text": "zehn Meter, zé 🐦\n"]),
    WyomingEvent("ping", ["deep": [["a": 1], true, .null, .number(0.5)]]),
    WyomingEvent("audio-stop"),
  ]

  private func events(
    _ bytes: [UInt8], cutAt cut: Int = 0, limits: WyomingLimits = WyomingLimits()
  ) throws(FrameError) -> [WyomingEvent] {
    var reader = FrameReader(limits: limits)
    var events: [WyomingEvent] = []
    for piece in [bytes[..<cut], bytes[cut...]] {
      reader.add(piece)
      while let event = try reader.next() { events.append(event) }
    }
    try reader.finish()
    return events
  }

  @Test func `an event split anywhere into two pieces is read`() throws {
    let bytes = Self.stream.flatMap(\.bytes)
    for cut in 0...bytes.count { #expect(try events(bytes, cutAt: cut) == Self.stream) }
  }

  @Test func `an event that arrives byte by byte is read`() throws {
    var reader = FrameReader()
    var events: [WyomingEvent] = []
    for byte in Self.stream.flatMap(\.bytes) {
      reader.add([byte])
      while let event = try reader.next() { events.append(event) }
    }
    #expect(events == Self.stream)
    try reader.finish()
  }

  @Test(arguments: [1 as UInt64])
  func `random events in random pieces round-trip`(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<200 {
      let written = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        WyomingEvent.random(using: &random)
      }
      var rest = written.flatMap(\.bytes)[...]
      var reader = FrameReader()
      var read: [WyomingEvent] = []
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(rest.count, 100), using: &random)
        reader.add(rest.prefix(count))
        rest = rest.dropFirst(count)
        while let event = try reader.next() { read.append(event) }
      }
      #expect(read == written)
      try reader.finish()
    }
  }

  @Test(arguments: [2 as UInt64])
  func `a header with random bytes as its data length throws an error`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<500 {
      let bytes = [UInt8].random(0...200, using: &random)
      let noise = #"{"type":"x","data_length":"#.utf8 + bytes
      #expect(throws: FrameError.self) { _ = try events(Array(noise) + [10]) }
    }
  }

  @Test func `input that ends between frames is valid, and input that ends within a frame throws`()
    throws
  {
    let first = Self.chunk.bytes
    let bytes = first + Self.stream[0].bytes
    for end in 1..<bytes.count where end != first.count {
      #expect(throws: FrameError.truncated) { _ = try events(Array(bytes[..<end])) }
    }
    #expect(try events(first) == [Self.chunk])
    #expect(try events([]).isEmpty)
  }

  @Test(arguments: [
    (#"{"type":"a","data":null,"data_length":null,"payload_length":null}"#, WyomingEvent("a")),
    (#"{"type":"a","version":"1.5.0","more":[1]}"#, WyomingEvent("a")),
    (#"{"type":"a","data":{"x":1,"y":null}}"#, WyomingEvent("a", ["x": 1, "y": .null])),
    ("  {\"type\" : \"a\"}\r", WyomingEvent("a")),
    (#"{"type":"a","data_length":0,"payload_length":0.0}"#, WyomingEvent("a")),
  ]) func `optional fields may be null`(line: String, event: WyomingEvent) throws {
    #expect(try events(Array("\(line)\n".utf8)) == [event])
  }

  @Test func `data after the header line overrides data in the header line`() throws {
    let data = #"{"text":"behind","new":1}"#
    let frame = #"{"type":"a","data":{"text":"inline","old":2},"data_length":\#(data.utf8.count)}"#
    let read = try events(Array("\(frame)\n\(data)".utf8))
    #expect(read == [WyomingEvent("a", ["text": "behind", "old": 2, "new": 1])])
  }

  @Test(arguments: [
    ("", FrameError.notJSON(part: "first line")),
    ("garbage", .notJSON(part: "first line")),
    ("GET / HTTP/1.1\r", .notJSON(part: "first line")),
    ("[1]", .notJSON(part: "first line")),
    ("null", .notJSON(part: "first line")),
    (#"{"type":"a""#, .notJSON(part: "first line")),
    (#"{"type":"a"} {}"#, .notJSON(part: "first line")),
    ("\u{0}", .notJSON(part: "first line")),
    (String(repeating: "[", count: 5_000), .tooDeep(part: "first line")),
    (#"{}"#, .typeMissing),
    (#"{"type":null}"#, .typeMissing),
    (#"{"type":7}"#, .typeMissing),
    (#"{"type":"a","data":[]}"#, .notJSON(part: "data")),
    (#"{"type":"a","data":"x"}"#, .notJSON(part: "data")),
    (#"{"type":"a","data_length":-1}"#, .lengthInvalid(field: "data_length")),
    (#"{"type":"a","data_length":"5"}"#, .lengthInvalid(field: "data_length")),
    (#"{"type":"a","data_length":true}"#, .lengthInvalid(field: "data_length")),
    (#"{"type":"a","payload_length":1.5}"#, .lengthInvalid(field: "payload_length")),
    (#"{"type":"a","payload_length":{}}"#, .lengthInvalid(field: "payload_length")),
    (
      #"{"type":"a","payload_length":-9223372036854775808}"#,
      .lengthInvalid(field: "payload_length")
    ),
    (#"{"type":"a","payload_length":1e30}"#, .lengthInvalid(field: "payload_length")),
    (
      #"{"type":"a","payload_length":1073741824}"#,
      .tooLong(part: "payload", length: 1 << 30, limit: 4 << 20)
    ),
    (
      #"{"type":"a","data_length":9223372036854775807}"#,
      .tooLong(part: "data", length: .max, limit: 1 << 20)
    ),
    ("{\"type\":\"a\",\"data_length\":3}\n{x}", .notJSON(part: "data")),
    ("{\"type\":\"a\",\"data_length\":4}\nnull", .notJSON(part: "data")),
    ("{\"type\":\"a\",\"data_length\":2}\n[]", .notJSON(part: "data")),
  ]) func `after a malformed frame, every call throws the same error`(
    frame: String, error: FrameError
  ) {
    var reader = FrameReader()
    reader.add(Array("\(frame)\n".utf8))
    #expect(throws: error) { _ = try reader.next() }
    reader.add(WyomingEvent("describe").bytes)
    #expect(throws: error) { _ = try reader.next() }
    #expect(throws: error) { try reader.finish() }
    #expect(!error.description.isEmpty)
  }

  @Test(arguments: ["[", #"{"a":"#, #"[{"a":"#])
  func `JSON nested deeper than 32 levels is rejected both in the header line and after it`(
    opening: String
  ) throws {
    let levels = opening.filter { "[{".contains($0) }.count
    for depth in [32, 33, 340, 100_000] {
      let opened = String(repeating: opening, count: depth / levels)
      let rest = depth % levels == 0 ? "1" : "[1]"
      let closing = opening.filter { "[{".contains($0) }.map { $0 == "[" ? "]" : "}" }.reversed()
      let nested = opened + rest + String(repeating: closing.joined(), count: depth / levels)
      // The enclosing object adds a level.
      let inner = #"{"x":\#(nested)}"#
      let after = "{\"type\":\"a\",\"data_length\":\(inner.utf8.count)}\n\(inner)"
      let limits = WyomingLimits(header: 4 << 20, data: 4 << 20)
      for frame in [#"{"type":"a","data":\#(inner)}"# + "\n", after] {
        let error = #expect(throws: FrameError.self) {
          _ = try events(Array(frame.utf8), limits: limits)
        }
        #expect(error?.description.contains("nested deeper than 32") == true, "\(depth)")
      }
    }
    let brackets = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
    let fits = "{\"x\":\(brackets)}"
    let frame = "{\"type\":\"a\",\"data_length\":\(fits.utf8.count)}\n\(fits)"
    let read = try events(Array(frame.utf8))
    #expect(read.map(\.type) == ["a"])
  }

  @Test func `a text that exceeds one call's limit is returned by a later call without a limit`()
    throws
  {
    let line = #"{"type":"a","data":{"x":"\#(String(repeating: "y", count: 90))"}}"#
    let long = WyomingEvent("b", ["x": .string(String(repeating: "y", count: 90))])
    for bytes in [Array("\(line)\n".utf8), long.bytes] {
      var reader = FrameReader()
      reader.add(WyomingEvent("describe").bytes + bytes)
      #expect(try reader.next(longest: 50) == WyomingEvent("describe"))
      #expect(!reader.hasLongText)
      for _ in 1...2 {
        #expect(try reader.next(longest: 50) == nil)
        #expect(reader.hasLongText)
      }
      #expect(try reader.next()?.data == long.data)
      #expect(try reader.next(longest: 50) == nil)
      #expect(!reader.hasLongText)
      try reader.finish()
    }
  }

  @Test(
    arguments: [
      (#""\u00e9\ud83d\ude00\/\b\f""#, .string("é😀/\u{8}\u{C}")), ("-0", .integer(0)),
      ("-1.5e2", .number(-150)), ("18446744073709551616", .number(0x1p64)), (" [ ] ", []),
      ("[1 , {} ]", [1, [:]]), (#"{"a":1,"a":2}"#, ["a": 2]), ("true", true),
    ] as [(String, JSONValue)]) func `valid JSON is read`(text: String, value: JSONValue) throws
  {
    let frame = "{\"type\":\"a\",\"data\":{\"x\":\(text)}}\n"
    #expect(try events(Array(frame.utf8)) == [WyomingEvent("a", ["x": value])])
  }

  @Test(arguments: [
    "01", "+1", "1.", ".5", "1e", "1e999", "NaN", "tru", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}",
    "{1:2}", "'a'", #""\x""#, #""\u12""#, #""\u+123""#, #""\ud800""#, #""\ud800\u0041""#,
    #""\udc00""#, "\"\t\"", "\"",
  ]) func `invalid JSON is refused`(text: String) {
    let frame = "{\"type\":\"a\",\"data\":{\"x\":\(text)}}\n"
    #expect(throws: FrameError.notJSON(part: "first line")) { _ = try events(Array(frame.utf8)) }
  }

  @Test func `brackets within a string do not count as nesting`() throws {
    let text = String(repeating: #"[{\""#, count: 1_000)
    let event = WyomingEvent("a", ["text": .string(text)])
    #expect(try events(event.bytes) == [event])
  }

  @Test func `a line over the limit is rejected before its end arrives`() {
    let limits = WyomingLimits(header: 20)
    var reader = FrameReader(limits: limits)
    reader.add([UInt8](repeating: 32, count: 21))
    #expect(throws: FrameError.headerTooLong(limit: 20)) { _ = try reader.next() }
    #expect(throws: Never.self) {
      _ = try events(Array("{\"type\":\"01234567\"} \n".utf8), limits: limits)
    }
  }

  @Test func `a length over the limit is rejected before its bytes arrive`() {
    var reader = FrameReader(limits: WyomingLimits(data: 9, payload: 9))
    reader.add(Array("{\"type\":\"a\",\"payload_length\":10}\n".utf8))
    #expect(throws: FrameError.tooLong(part: "payload", length: 10, limit: 9)) {
      _ = try reader.next()
    }
  }
}

extension [UInt8] {
  fileprivate static func random(
    _ count: ClosedRange<Int>, using random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    (0..<Int.random(in: count, using: &random)).map { _ in .random(in: 0...255, using: &random) }
  }
}

extension WyomingEvent {
  fileprivate static func random(using random: inout some RandomNumberGenerator) -> WyomingEvent {
    WyomingEvent(
      String.random(using: &random),
      Bool.random(using: &random) ? [:] : ["x": .random(depth: 3, using: &random)],
      payload: [UInt8].random(0...300, using: &random))
  }
}

extension String {
  fileprivate static func random(using random: inout some RandomNumberGenerator) -> String {
    String(
      (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
        "a\"\\/\n\t é🐦{}\u{0}".randomElement(using: &random)
      })
  }
}

extension JSONValue {
  fileprivate static func random(
    depth: Int, using random: inout some RandomNumberGenerator
  ) -> JSONValue {
    switch Int.random(in: depth > 0 ? 0...6 : 2...6, using: &random) {
    case 0: .array((0..<3).map { _ in .random(depth: depth - 1, using: &random) })
    case 1:
      .object([
        String.random(using: &random): .random(depth: depth - 1, using: &random),
        "k": .random(depth: depth - 1, using: &random),
      ])
    case 2: .null
    case 3: .bool(.random(using: &random))
    case 4: .integer(.random(in: .min ... .max, using: &random))
    case 5: .number(.random(in: -1...1, using: &random) + 0.1)
    default: .string(.random(using: &random))
    }
  }
}
