import AudioCore

/// The header of a sound file: the announced length, and whether libsndfile can read the file from
/// a pipe.
struct SoundFileHeader: Equatable {
  /// The announced end of the audio in bytes; nil if the header announces none.
  ///
  /// A recorder that streams writes 0 or the largest number instead.
  private(set) var promisedLength: Int?
  /// Whether libsndfile can read the audio from a pipe.
  ///
  /// libsndfile must not need to seek. The whole header must be available, because some parsers of
  /// libsndfile never return at the end of a pipe.
  private(set) var isStreamable = false
  /// Whether the encoding needs seeking, or is unknown to libsndfile.
  private var needsSeeking = false

  /// - Parameter bytes: returns up to `count` bytes of the file at an offset.
  init(
    bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let start = try bytes(0, 24)
    let mark = String(decoding: start.prefix(4), as: UTF8.self)
    switch mark {
    case "RIFF" where start.dropFirst(8).starts(with: "AVI ".utf8):
      // The size in an AVI header should exclude the file's first eight bytes, but some writers
      // count them, so the size is not increased by 8.
      promise(Self.number(start[4..<8].reversed()), at: 0)
    case "RIFF", "RF64": try readChunks(bytes, from: 12)
    case "RIFX": try readChunks(bytes, from: 12, isBigEndian: true)
    case "FORM": try readChunks(bytes, from: 12, isBigEndian: true, audio: ["SSND", "BODY"])
    case "caff":
      try readChunks(bytes, from: 8, isBigEndian: true, sizeLength: 8, alignment: 1)
    case "riff":
      try readChunks(
        bytes, from: 40, nameLength: 16, sizeLength: 8, countsHead: true, alignment: 8)
    case ".snd": readAU(start)
    case "OggS": isStreamable = true
    case "Crea": try readVOC(bytes)
    case "NIST": try readNIST(bytes)
    case "2BIT": try readAVR(bytes)
    case "ALaw": try readWVE(bytes)
    case "MATL": try readMAT5(bytes)
    case "FLV\u{1}": try readFLV(bytes)
    case _ where start.starts(with: Self.asf): try readASF(bytes)
    default: try readMAT4(start, bytes)
    }
  }

  private mutating func promise(_ size: Int, at offset: Int, widest: Int = 0x7FFF_F000) {
    guard size > 0, size < widest, (0..<1 << 50).contains(offset) else { return }
    promisedLength = offset + size
  }
}

extension SoundFileHeader {
  /// Reads chunks up to the audio.
  ///
  /// `start` is the offset of the first chunk, and `audio` contains the possible names of the audio
  /// chunk. If `countsHead` is true, a chunk's size includes its header.
  private mutating func readChunks(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8], from start: Int,
    isBigEndian: Bool = false, nameLength: Int = 4, sizeLength: Int = 4, countsHead: Bool = false,
    alignment: Int = 2, audio: [String] = ["data"]
  ) throws(SoundFileError) {
    let headLength = nameLength + sizeLength
    let number = { (bytes: ArraySlice<UInt8>) in
      Self.number(isBigEndian ? Array(bytes) : bytes.reversed())
    }
    var offset = start
    var longSize: Int?
    // There are few chunks before the data; the limit prevents an endless loop in a damaged file.
    for _ in 0..<64 {
      let head = try bytes(offset, headLength)
      guard head.count == headLength else { return }
      let name = String(decoding: head.prefix(4), as: UTF8.self)
      var size = number(head[nameLength...])
      // A size that overflows wraps to a value that is out of range, so it is rejected below.
      if countsHead { size &-= headLength }
      let content = offset + headLength
      if audio.contains(name) {
        isStreamable = !needsSeeking
        let isLong = longSize != nil || sizeLength == 8
        return promise(
          longSize ?? size, at: content, widest: isLong ? 1 << 50 : 0x7FFF_F000)
      }
      guard (0..<1 << 32).contains(size) else { return }
      if name == "ds64" { longSize = number(try bytes(content + 8, 8)[...]) }
      if name == "fmt " { needsSeeking = Self.needsSeeking(try bytes(content, 16)) }
      let end = content + size
      offset = (end + alignment - 1) / alignment * alignment
    }
  }

  /// Returns whether the encoding needs seeking: false for PCM of up to 32 bits, float, A-law,
  /// µ-law, and the two kinds of ADPCM.
  private static func needsSeeking(_ format: [UInt8]) -> Bool {
    guard format.count == 16 else { return false }
    let tag = Int(format[0]) | Int(format[1]) << 8
    let isInteger = tag == 1 || tag == 0xFFFE
    return ![1, 2, 3, 6, 7, 0x11, 0xFFFE].contains(tag) || (isInteger && format[14] > 32)
  }

  private mutating func readAU(_ start: [UInt8]) {
    guard start.count == 24 else { return }
    isStreamable = true
    let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
    promise(number(start[8..<12]), at: number(start[4..<8]))
  }

  /// Reads blocks with a type and a three-byte size.
  ///
  /// Only the first audio block is used: SoX writes sizes that are too small, so later blocks
  /// cannot be found.
  private mutating func readVOC(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let start = try bytes(20, 2)
    guard start.count == 2 else { return }
    var offset = Int(start[0]) | Int(start[1]) << 8
    for _ in 0..<64 {
      let head = try bytes(offset, 4)
      guard head.count == 4, head[0] != 0 else { return }
      offset += 4 + (Int(head[1]) | Int(head[2]) << 8 | Int(head[3]) << 16)
      if [1, 9].contains(head[0]) { return promisedLength = offset }
    }
  }

  /// Reads a text header: its length in the second line, then lines with a name, a type, and a
  /// value.
  private mutating func readNIST(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let lines = String(decoding: try bytes(0, 1_024), as: UTF8.self).split(separator: "\n")
    guard lines.count > 1, let length = Int(lines[1].filter { $0 != " " }) else { return }
    let value = { (name: String) -> Int? in
      let line = lines.first { $0.hasPrefix("\(name) -i ") }
      return line?.split(separator: " ").last.flatMap { Int($0) }
    }
    guard let count = value("sample_count"), let size = value("sample_n_bytes"),
      (0..<1 << 40).contains(count), (1...8).contains(size),
      let channels = value("channel_count"), (1...64).contains(channels)
    else { return }
    promise(count * size * channels, at: length, widest: 1 << 50)
  }
}

extension SoundFileHeader {
  private static func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The GUIDs of the ASF header object, which begins a file, and of the file properties object.
  private static let asf: [UInt8] = [
    0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
  ]
  private static let asfProperties: [UInt8] = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]

  /// Reads the size of an ASF file (WMA, WMV) from its properties, unless it is a broadcast.
  private mutating func readASF(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    var offset = 30
    for _ in 0..<64 {
      let head = try bytes(offset, 24)
      guard head.count == 24 else { return }
      let size = Self.number(head[16..<20].reversed())
      if head.starts(with: Self.asfProperties) {
        let properties = try bytes(offset + 24, 80)
        guard properties.count == 80, properties[64] & 1 == 0 else { return }
        return promise(Self.number(properties[16..<24].reversed()), at: 0, widest: 1 << 50)
      }
      guard size >= 24 else { return }
      offset += size
    }
  }

  /// Reads the `filesize` value of an FLV file's metadata, if it is in the first 16 KiB.
  private mutating func readFLV(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let values = try bytes(24, 1 << 14)
    let name = [0, 8] + Array("filesize".utf8) + [0]
    guard let start = values.firstRange(of: name)?.upperBound, values.count >= start + 8 else {
      return
    }
    let bits = values[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    promise(Int(clamping: Double(bitPattern: bits)), at: 0, widest: 1 << 50)
  }

  /// Reads the channels, bits, and frames of AVR, a format of the Atari ST.
  private mutating func readAVR(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let start = try bytes(12, 18)
    guard start.count == 18 else { return }
    let channels = start[0] == 0 && start[1] == 0 ? 1 : 2
    let size = Self.number(start[2..<4]) == 8 ? 1 : 2
    promise(Self.number(start[14..<18]) * channels * size, at: 128, widest: 1 << 40)
  }

  /// Reads the size of a WVE file, which contains A-law audio of Psion organizers.
  private mutating func readWVE(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let size = try bytes(18, 4)
    guard size.count == 4 else { return }
    promise(Self.number(size), at: 32)
  }

  /// Reads the two matrices of a MAT 5 file: the sample rate and the audio.
  ///
  /// A matrix consists of elements with a type and a size. libsndfile writes a wrong size for the
  /// second matrix, but the right size for its samples.
  private mutating func readMAT5(
    _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let isBigEndian = try bytes(126, 2) == Array("MI".utf8)
    func size(_ offset: Int) throws(SoundFileError) -> Int? {
      let size = try bytes(offset + 4, 4)
      return size.count == 4 ? Self.number(isBigEndian ? size : size.reversed()) : nil
    }
    guard let rateSize = try size(128) else { return }
    // The flags and the dimensions of the second matrix have 16 bytes each.
    var offset = 128 + 8 + rateSize + 8 + 32
    // A name of up to four bytes is stored in the head of its element, without further content.
    let head = try bytes(offset, 4)
    guard head.count == 4, let nameSize = try size(offset) else { return }
    let isShort = (isBigEndian ? head[..<2] : head[2...]).contains { $0 != 0 }
    offset += isShort ? 8 : 8 + (nameSize + 7) / 8 * 8
    guard let length = try size(offset) else { return }
    promise(length, at: offset + 8)
  }

  /// Reads the headers of the two matrices of MAT 4: the type, the rows, the columns, a flag for an
  /// imaginary part, and the length of the name.
  private mutating func readMAT4(
    _ start: [UInt8], _ bytes: (Int, Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let isBigEndian = start.starts(with: [0, 0, 0x03, 0xE8])
    guard isBigEndian || start.starts(with: [0, 0, 0, 0]) else { return }
    var offset = 0
    for index in 0..<2 {
      let head = try bytes(offset, 20)
      guard head.count == 20 else { return }
      let fields = stride(from: 0, to: 20, by: 4).map { field in
        let bytes = head[field..<field + 4]
        return Self.number(isBigEndian ? Array(bytes) : bytes.reversed())
      }
      let (rows, columns) = (fields[1], fields[2])
      guard (1...1_024).contains(rows), columns > 0, (1...64).contains(fields[4]) else { return }
      // The tens digit of the type selects the width: double, float, 32-bit integer, or 16-bit
      // integer.
      let width = [8, 4, 4, 2][min(3, fields[0] % 100 / 10)]
      let content = offset + 20 + fields[4]
      if index == 1 { return promise(rows * columns * width, at: content, widest: 1 << 45) }
      offset = content + rows * columns * width
    }
  }
}
