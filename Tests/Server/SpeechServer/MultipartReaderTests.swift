import NIOHTTP1
import TestTools
import Testing

@testable import SpeechServer

@Suite struct MultipartReaderTests {
  private static let type = "multipart/form-data; boundary=b1"

  /// Returns the parts of a body that arrives in pieces, with the data of each field joined.
  private func parts(
    _ pieces: [some Sequence<UInt8>], type: String = type
  ) throws(HTTPFault) -> [MultipartReader.Part] {
    var reader = try MultipartReader(contentType: type)
    var parts: [MultipartReader.Part] = []
    for piece in pieces {
      reader.add(piece)
      while let part = try reader.next() {
        if case .data(let more) = part, case .data(let data) = parts.last {
          parts[parts.count - 1] = .data(data + more)
        } else {
          parts.append(part)
        }
      }
    }
    try reader.finish()
    return parts
  }

  private func parts(_ text: String, type: String = type) throws(HTTPFault) -> [MultipartReader
    .Part]
  {
    try parts([Array(text.utf8)], type: type)
  }

  private func message(_ body: String, type: String = type) -> String? {
    do throws(HTTPFault) {
      _ = try parts(body, type: type)
      return nil
    } catch {
      return error.message
    }
  }

  private static let form = """
    preamble
    --b1x is not in the preamble of --b1
    --b1 \t
    Content-Disposition: form-data; name="model"

    syrinx
    --b1
    content-disposition: FORM-DATA; name=file ; filename="a \\"b\\";c.wav"
    Content-Type: audio/wav
    X-Other: 1



    --b
    --b1
    Content-Disposition: form-data; name="empty"; filename="C:\\x.wav"; filename*=UTF-8''caf%C3%A9.wav


    --b1--
    epilogue --b1
    """.replacing("\n", with: "\r\n").replacing("--b1x is", with: "b1x is")

  private static let fields: [MultipartReader.Part] = [
    .field(name: "model", fileName: nil), .data(Array("syrinx".utf8)), .end,
    .field(name: "file", fileName: "a \"b\";c.wav"), .data(Array("\r\n\r\n--b".utf8)), .end,
    .field(name: "empty", fileName: "café.wav"), .end,
  ]

  @Test func `a form is read however its bytes are cut`() throws {
    let bytes = Array(Self.form.utf8)
    #expect(try parts([bytes]) == Self.fields)
    #expect(try parts(bytes.map { [$0] }) == Self.fields)
    for cut in 0...bytes.count {
      #expect(try parts([bytes[..<cut], bytes[cut...]]) == Self.fields)
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `data that resembles delimiters passes unchanged`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let pieces = ["\r", "\n", "-", "--", "\r\n", "\r\n--", "\r\n--b", "b1", "1", "\r\n\r\n", "x"]
    var expected: [MultipartReader.Part] = []
    var body = ""
    for index in 0..<Int.random(in: 1...4, using: &numbers) {
      let count = Int.random(in: 0...12, using: &numbers)
      var data = (0..<count).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
      while data.contains("\r\n--b1") { data.replace("\r\n--b1", with: "\r\n--b") }
      body += "--b1\r\nContent-Disposition: form-data; name=f\(index)\r\n\r\n\(data)\r\n"
      expected.append(.field(name: "f\(index)", fileName: nil))
      if !data.isEmpty { expected.append(.data(Array(data.utf8))) }
      expected.append(.end)
    }
    var rest = Array((body + "--b1--").utf8)[...]
    var cut: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      cut.append(rest.prefix(Int.random(in: 1...9, using: &numbers)))
      rest = rest.dropFirst(cut.last?.count ?? 0)
    }
    #expect(try parts(cut) == expected)
  }

  @Test func `a form that ends early is a fault wherever it ends`() throws {
    let bytes = Array(Self.form.utf8)
    let end = try #require(Self.form.firstRange(of: "--b1--"))
    let complete = Self.form.utf8.distance(from: Self.form.startIndex, to: end.upperBound)
    for count in 0..<complete {
      #expect(throws: HTTPFault.self) { try parts([bytes.prefix(count)]) }
    }
    #expect(throws: Never.self) { try parts([bytes.prefix(complete)]) }
  }

  @Test func `data is passed on as it arrives, except what may be a delimiter`() throws {
    var reader = try MultipartReader(contentType: Self.type)
    reader.add(Array("--b1\r\nContent-Disposition: form-data; name=file\r\n\r\n".utf8))
    #expect(try reader.next() == .field(name: "file", fileName: nil))
    var passed = 0
    for count in 1...100 {
      reader.add([UInt8](repeating: 13, count: 65_536))
      while case .data(let data) = try reader.next() { passed += data.count }
      #expect(passed > 65_536 * count - 6)
    }
  }

  @Test(arguments: [
    ("multipart/form-data; boundary=b1", true), ("Multipart/Form-Data;BOUNDARY=\"b1\"", true),
    ("multipart/form-data; charset=utf-8; boundary=b1;", true),
    ("multipart/form-data; boundary=\"b1", false), ("multipart/form-data", false),
    ("multipart/form-data; boundary=", false),
    ("multipart/form-data; boundary=b1; boundary=b1", false),
    ("multipart/form-data; boundary=\(String(repeating: "b", count: 71))", false),
  ])
  func `the boundary is quoted or not, and neither missing nor too long`(
    type: String, isValid: Bool
  ) throws {
    let body = "--b1\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b1--"
    #expect((message(body, type: type) == nil) == isValid)
  }

  @Test(arguments: ["application/json", "multipart/mixed; boundary=b1", ""])
  func `another content type has the status 415`(type: String) {
    let fault = #expect(throws: HTTPFault.self) { try MultipartReader(contentType: type) }
    #expect(fault?.status == .unsupportedMediaType)
    let missing = #expect(throws: HTTPFault.self) { try MultipartReader(contentType: nil) }
    #expect(missing?.status == .unsupportedMediaType)
  }

  @Test(arguments: [
    ("--b1\nContent-Disposition: form-data; name=a\n\n1\n--b1--\n", "line end of CR and LF"),
    ("--b1x\r\n\r\n", "line end of CR and LF"),
    ("--b1\r\n\r\n1\r\n--b1--", "lacks its name"),
    ("--b1\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b1--", "lacks its name"),
    ("--b1\r\nContent-Disposition: file; name=a\r\n\r\n1\r\n--b1--", "lacks its name"),
    ("--b1\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1\r\n--b1--", "lacks its name"),
    ("--b1\r\nno colon\r\n\r\n1\r\n--b1--", "\"no colon\" is not a line"),
    ("--b1\r\na: \u{0}\r\n\r\n1\r\n--b1--", "is not a line"),
    (
      "--b1\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: x\r\n\r\n",
      "two dispositions"
    ),
    (
      "--b1\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n",
      "encoded as"
    ),
    ("--b1\r\na: \(String(repeating: "x", count: 8_200))\r\n\r\n", "longer than 8192 bytes"),
    (
      String(
        repeating: "--b1\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n", count: 257),
      "more than 256 fields"
    ),
    ("", "ends before its last boundary"), ("no form", "ends before its last boundary"),
  ])
  func `a malformed form is a fault that says what is wrong`(body: String, reason: String) {
    #expect(message(body)?.contains(reason) == true, "\(message(body) ?? "no fault")")
  }

  @Test func `a reader repeats its fault and ignores more bytes`() throws {
    var reader = try MultipartReader(contentType: Self.type)
    reader.add(Array("--b1\n\n".utf8))
    let fault = try #require(throws: HTTPFault.self) { try reader.next() }
    reader.add(Array(Self.form.utf8))
    #expect(throws: fault) { try reader.next() }
    #expect(throws: fault) { try reader.finish() }
  }
}
