import AudioCore
@testable import FilePaths
import Glibc
@testable import MoonshineEngine
@testable import PocketSphinxEngine
import SoundFile
@testable import SpeechEngine
@testable import SyrinxCommand
import SpeechClient
@testable import SpeechServer
@testable import Wyoming

/// The folder of PocketSphinx's own model.
let modelFolder = "/usr/share/pocketsphinx/model/en-us"

/// The maximum number of samples to decode, because a small file may contain hours of silence.
private let mostSamples = 1 << 20

func readAsFile(_ bytes: [UInt8]) {
  withFile(bytes) { descriptor in
    readAll(descriptor, seeks: true)
    _ = try? AudioFileInfo(url: FilePath("/proc/self/fd/\(descriptor)").url)
  }
}

func readAsPipe(_ bytes: [UInt8]) {
  var ends: [CInt] = [-1, -1]
  guard pipe(&ends) == 0 else { fail("no pipe: \(errno)") }
  defer { close(ends[0]) }
  // The write does not block, because a pipe holds 65,536 bytes, the length of the longest input.
  guard write(ends[1], bytes, bytes.count) == bytes.count else { fail("pipe: \(errno)") }
  close(ends[1])
  readAll(ends[0], seeks: false)
}

private func readAll(_ descriptor: CInt, seeks: Bool) {
  guard let reader = try? SoundFileReader(fileDescriptor: descriptor) else { return }
  _ = (reader.metadata, reader.encodingDescription, reader.bitsPerSample)
  var count = 0
  while count < mostSamples, let buffer = try? reader.read(atMost: 4_096), !buffer.isEmpty {
    count += buffer.samples.count
  }
  _ = (reader.shortfall, reader.notices)
  guard seeks, reader.isSeekable else { return }
  for frame in [reader.framesRead, FrameCount(reader.framesRead.rawValue / 2), 0] {
    _ = try? reader.seek(to: frame)
    _ = try? reader.read(atMost: 4_096)
  }
}

/// Reads the bytes of a Wyoming peer, in two pieces.
func readFrames(_ bytes: [UInt8]) {
  var reader = FrameReader()
  let cut = bytes.count * Int(bytes.first ?? 0) / 256
  for piece in [bytes[..<cut], bytes[cut...]] {
    reader.add(piece)
    while let event = (try? reader.next()) ?? nil {
      _ = (event.bytes, WyomingInfo(event.data))
    }
  }
  _ = try? reader.finish()
}

/// Reads a form with the boundary `b`, in two pieces, and its parameters.
func readForm(_ bytes: [UInt8]) {
  guard var reader = try? MultipartReader(contentType: "multipart/form-data; boundary=b") else {
    fail("a boundary is rejected")
  }
  var form = TranscriptionForm(translates: false)
  let cut = bytes.count * Int(bytes.first ?? 0) / 256
  for piece in [bytes[..<cut], bytes[cut...]] {
    reader.add(piece)
    while let part = (try? reader.next()) ?? nil {
      switch part {
      case .field(let name, _): _ = try? form.begin(name)
      case .data(let data): try? form.add(data)
      case .end: break
      }
    }
  }
  _ = try? reader.finish()
  _ = try? TranscriptionParameters(form)
  _ = try? MultipartReader(contentType: String(decoding: bytes, as: UTF8.self))
}

/// Reads a text with the reader that its first byte selects.
func readText(_ bytes: [UInt8]) {
  guard let kind = bytes.first else { return }
  let bytes = Array(bytes.dropFirst())
  let text = String(decoding: bytes, as: UTF8.self)
  switch kind % 8 {
  case 0: _ = try? JSGFGrammar(text).checkExpansion()
  case 1: _ = TranscriptCues(text)
  case 2: readPlaylist(bytes)
  case 3: _ = try? ControlLine(text)?.command(fileCount: 3)
  case 4: _ = WordNormalization.spoken.words(of: text)
  case 5: _ = try? YAMLPair.all(in: bytes)
  case 6: _ = PlaybackKey.keys(in: bytes)
  default: _ = text.printableLine(atMost: 200)
  }
}

private func readPlaylist(_ bytes: [UInt8]) {
  guard !PlaylistFormat.isOfParts(bytes) else { return }
  for format in [PlaylistFormat(head: bytes), .m3u, .pls] { _ = format?.entries(bytes) }
}

/// Reads a model file with the reader that its first byte selects.
func readModel(_ bytes: [UInt8]) {
  guard let kind = bytes.first else { return }
  let bytes = Array(bytes.dropFirst())
  if kind % 10 == 0 {
    _ = try? Tokenizer(bytes)
    return
  }
  withFile(bytes) { descriptor in
    let path = "/proc/self/fd/\(descriptor)"
    if kind % 10 == 1 {
      try? ONNXGraphRewriting.rewrite(
        FilePath(path), to: "/dev/null", headSize: 36, quantizesInputs: true, unshapedInput: "x")
    } else if let file = try? ModelBytes(path: path) {
      readSphinxFile(file, kind: kind % 10)
    }
  }
}

private func readSphinxFile(_ file: ModelBytes, kind: UInt8) {
  switch kind {
  case 2: _ = try? file.voices()
  case 3: _ = try? file.vocabulary()
  case 4: try? file.checkParameters(hasStreams: true)
  case 5: try? file.checkParameters(hasStreams: false)
  case 6: try? file.checkSenones()
  case 7: _ = try? file.featureParameters()
  default: try? file.checkDictionary()
  }
}

/// Runs `body` with a file in memory.
private func withFile(_ bytes: [UInt8], _ body: (CInt) -> Void) {
  var name = Array("/dev/shm/syrinx-fuzz-XXXXXX".utf8CString)
  let descriptor = mkstemp(&name)
  guard descriptor >= 0 else { fail("no file in memory: \(errno)") }
  unlink(name)
  defer { close(descriptor) }
  guard write(descriptor, bytes, bytes.count) == bytes.count else {
    fail("file in memory: \(errno)")
  }
  lseek(descriptor, 0, SEEK_SET)
  body(descriptor)
}
