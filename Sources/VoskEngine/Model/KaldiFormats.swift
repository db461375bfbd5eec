/// Checks of the formats that a model's files have.
enum KaldiFormat: Equatable {
  /// An object that begins with this token, in Kaldi's binary or text form.
  case object(String)
  /// A finite-state transducer of OpenFst.
  case transducer
  /// Options, a line each.
  case options
  /// Options, or none at all.
  case optionsIfAny
  /// Anything that is not empty.
  case anything

  func check(_ file: ModelFile) throws(VoskModelDamage) {
    guard file.size > 0 || self == .optionsIfAny else {
      throw VoskModelDamage(reason: "it is empty")
    }
    switch self {
    case .object(let token):
      let content =
        file.head.starts(with: [0, UInt8(ascii: "B")]) ? file.head.dropFirst(2) : file.head[...]
      guard content.starts(with: Array(token.utf8)) else {
        throw VoskModelDamage(reason: "it does not begin with \(token)")
      }
    case .transducer: try TransducerHeader.check(file)
    case .options, .optionsIfAny: try Self.checkOptions(file)
    case .anything: return
    }
  }

  /// libvosk prints pages of help about a line that is no option.
  private static func checkOptions(_ file: ModelFile) throws(VoskModelDamage) {
    let text = String(decoding: file.head, as: UTF8.self)
    for line in text.split(whereSeparator: \.isNewline).dropLast(file.isWhole ? 0 : 1) {
      let content = line.drop { $0 == " " || $0 == "\t" }
      guard content.isEmpty || content.hasPrefix("#") || content.hasPrefix("--") else {
        throw VoskModelDamage(reason: "its line \"\(line.prefix(40))\" is no option")
      }
    }
  }
}

extension ModelFile {
  /// Whether all of it is in the head.
  var isWhole: Bool { head.count == size }
}

/// The header of a transducer, which tells how much has to follow.
struct TransducerHeader: Equatable {
  private static let magic: UInt64 = 2_125_659_606

  let kind: String
  let stateCount: Int
  let arcCount: Int

  init(_ bytes: [UInt8]) throws(VoskModelDamage) {
    var rest = bytes[...]
    guard try Self.number(&rest, bytes: 4) == Self.magic else {
      throw VoskModelDamage(reason: "it is no transducer of OpenFst")
    }
    kind = try Self.text(&rest)
    _ = try Self.text(&rest)
    // Version, flags, properties, first state.
    for width in [4, 4, 8, 8] { _ = try Self.number(&rest, bytes: width) }
    stateCount = Int(truncatingIfNeeded: try Self.number(&rest, bytes: 8))
    arcCount = Int(truncatingIfNeeded: try Self.number(&rest, bytes: 8))
  }

  static func check(_ file: ModelFile) throws(VoskModelDamage) {
    let header = try TransducerHeader(file.head)
    guard let least = header.leastSize, file.size < least else { return }
    throw VoskModelDamage(reason: "it has \(file.size) bytes and should have \(least) or more")
  }

  /// How much the states and arcs take at least; nil for kinds that store them otherwise.
  private var leastSize: Int? {
    // A state of a vector has a weight and a count, one of a constant transducer five numbers.
    let widths = ["vector": 12, "const": 20]
    guard let width = widths[kind], stateCount >= 0, arcCount >= 0 else { return nil }
    let (states, isTooMuch) = stateCount.multipliedReportingOverflow(by: width)
    let (arcs, isTooMuchToo) = arcCount.multipliedReportingOverflow(by: 16)
    let (sum, isTooBig) = states.addingReportingOverflow(arcs)
    return isTooMuch || isTooMuchToo || isTooBig ? Int.max : sum
  }

  private static func number(
    _ rest: inout ArraySlice<UInt8>, bytes count: Int
  ) throws(VoskModelDamage) -> UInt64 {
    guard rest.count >= count else { throw VoskModelDamage(reason: "it ends within its header") }
    let value = rest.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest = rest.dropFirst(count)
    return value
  }

  private static func text(_ rest: inout ArraySlice<UInt8>) throws(VoskModelDamage) -> String {
    let length = try number(&rest, bytes: 4)
    guard length <= 64, rest.count >= Int(length) else {
      throw VoskModelDamage(reason: "its header makes no sense")
    }
    defer { rest = rest.dropFirst(Int(length)) }
    return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
  }
}
