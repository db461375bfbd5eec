import AudioCore
import Foundation
import SoundFile
@testable import Wyoming

/// Writes the initial inputs, including the kinds of damage that the tests use.
func writeSeeds(of harness: Harness, to folder: String) -> Bool {
  let folder = URL(filePath: folder)
  do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, seed) in try harness.seeds().enumerated() {
      try Data(seed.prefix(65_536)).write(to: folder.appending(path: "seed-\(index)"))
    }
    return true
  } catch {
    print("cannot write the seeds of \(harness.rawValue): \(error)")
    return false
  }
}

extension Harness {
  fileprivate func seeds() throws -> [[UInt8]] {
    switch self {
    case .fault: [Array("!".utf8)]
    case .file, .pipe: try fileSeeds()
    case .frames: frameSeeds()
    case .forms: formSeeds()
    case .texts: textSeeds()
    case .models: try modelSeeds()
    }
  }
}

/// Returns short files of each encoding: complete, truncated, with an unfinished header, and
/// chained.
private func fileSeeds() throws -> [[UInt8]] {
  let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  var files: [Data] = []
  for (index, encoding) in SoundFileEncoding.allCases.enumerated() {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1 + index % 2)
    let file = url.appending(path: "\(index).\(encoding.container.pathExtensions[0])")
    let writer = try SoundFileWriter(url: file, format: format, encoding: encoding)
    try writer.write(AudioSignal.sine(440).buffer(.milliseconds(80), format: format))
    try writer.close()
    files.append(try Data(contentsOf: file))
  }
  let cut = files.flatMap { [$0.prefix($0.count / 2), $0.prefix($0.count * 97 / 100)] }
  let unfinished = files.filter { $0.starts(with: Data("RIFF".utf8)) }.flatMap { file in
    [withSizes(0, file), withSizes(0xFF, file)]
  }
  let chained = files.filter { $0.starts(with: Data("OggS".utf8)) }.map { file in
    let link = OggPages.with(lastPosition: 1 << 62, file)
    return link + link
  }
  // A tag whose footer looks like another kind of file.
  let tag = Data("ID3\u{4}\0\u{10}\0\0\0\0MAC \0\0\0\0\0\0".utf8)
  return (files + cut + unfinished + chained + files.map { tag + $0 }).map { Array($0) }
}

/// Returns a whole form, a form that ends early, and a value of `Content-Type`.
private func formSeeds() -> [[UInt8]] {
  let fields = [
    #"name="model""#: "x", #"name="language""#: "de_CH", #"name="keywords[]""#: "a b",
    #"name=chunking_strategy"#: #"{"type":"server_vad","threshold":0.5}"#,
    #"name=file; filename="a\"b.wav"; filename*=UTF-8''%C3%A9"#: "RIFF\r\n--",
  ]
  let form = fields.reduce("preamble") {
    $0 + "\r\n--b \t\r\nContent-Disposition: form-data; \($1.key)\r\nA: b\r\n\r\n\($1.value)"
  }
  let type = #"multipart/form-data; charset=utf-8; boundary="a b\"c""#
  return [form + "\r\n--b--epilogue", form, type].map { Array($0.utf8) }
}

private func frameSeeds() -> [[UInt8]] {
  let event = WyomingEvent(
    "transcript", ["text": "a", "words": [1, true, ["a": ["b"]]]], payload: [1, 2, 3])
  let texts = [
    #"{"type":"info","data":{"asr":[{"models":[{"name":"m","languages":["en"]}]}]}}"#,
    #"{"type":"x","data_length":9}"# + "\n" + #"{"a":"b"}"#,
    #"{"type":"\ud83d\ude00","data":[[[[{"a":{"#,
    #"{"type":"x","payload_length":-1}"#,
  ]
  return [event.bytes, event.bytes + event.bytes] + texts.map { Array(($0 + "\n").utf8) }
}

/// Returns a WAV file in which every byte of the file's size and of the audio's size is `byte`.
private func withSizes(_ byte: UInt8, _ file: Data) -> Data {
  var file = file
  for index in Array(4..<8) + Array(40..<44) { file[index] = byte }
  return file
}

/// Returns texts whose first byte selects the reader.
private func textSeeds() -> [[UInt8]] {
  let texts = [
    "#JSGF V1.0;\ngrammar g;\npublic <a> = (one | /2/ two {tag})+ [<b>] \"x y\" ;\n<b> = <NULL> *;",
    "WEBVTT\n\n00:01.000 --> 00:02.000 align:start\n<v A>one &amp; two\n\n1\n00:00:03,5 --> 9\nx",
    "[playlist]\nFile10=b.wav\nfile9 = a.wav\nNumberOfEntries=2\n", "seek 1:30 2\n",
    "Two hundred and fifty-first, isn't $5.50 % U.S. nineteen eighty-four 1,000.5",
    "a: b\nc: {d: [e, \"f\\n\"]}\n---\n&x y: *x\n", "\u{1B}[A\u{1B}OC q+-", "\u{202E}\n\u{7F}é",
    "{\"start\":1e400,\"end\":2,\"text\":\"x\"}\n",
    "#EXTM3U\n#EXTINF:1,a\n\u{FEFF}a.wav\r\nhttp://a/\n",
  ]
  return texts.enumerated().map { [$0 < 8 ? UInt8($0) : UInt8($0 - 7)] + Array($1.utf8) }
}

/// Returns truncated, and therefore damaged, files of PocketSphinx's model.
private func modelSeeds() throws -> [[UInt8]] {
  let tokens = ["<unk>", "<s>", "</s>", "\u{2581}ten", "four"].flatMap {
    [UInt8($0.utf8.count)] + Array($0.utf8)
  }
  let graph: [UInt8] = [
    0x08, 7, 0x3A, 0x14, 0x0A, 0x08, 0x0A, 1, 0x61, 0x12, 1, 0x62, 0x22, 0, 0x2A, 8, 0x08, 1, 0x10,
    3,
    0x42, 1, 0x61, 0,
  ]
  let names = [
    (2, "en-us/mdef"), (9, "en-us/noisedict"), (3, "en-us.lm.bin"), (4, "en-us/means"),
    (5, "en-us/transition_matrices"), (6, "en-us/sendump"), (7, "en-us/feat.params"),
    (8, "cmudict-en-us.dict"),
  ]
  let model = URL(filePath: modelFolder)
  let files = try names.flatMap { kind, name in
    let file = try Data(contentsOf: model.appending(path: name))
    return [1_024, 16_384].map { [UInt8(kind)] + file.prefix($0) }
  }
  return [[0] + tokens, [1] + graph] + files
}
