import Glibc

/// The code to fuzz: a reader of untrusted bytes.
enum Harness: String, CaseIterable {
  /// Overflows the small stack on purpose, so that a run can check that crashes are detected.
  case fault
  case file, pipe, frames, forms, texts, models

  /// The environment variable that selects the harness; an argument cannot, because libFuzzer
  /// parses all arguments.
  private static let variable = "SYRINX_FUZZ"

  /// The harness of this process; nil if the environment names none.
  static let current = getenv(variable).flatMap { Self(rawValue: String(cString: $0)) }

  func read(_ bytes: [UInt8]) {
    switch self {
    case .fault: onSmallStack { _ = nest(bytes[...]) }
    case .file: readAsFile(bytes)
    case .pipe: readAsPipe(bytes)
    case .frames: onSmallStack { readFrames(bytes) }
    case .forms: onSmallStack { readForm(bytes) }
    case .texts: readText(bytes)
    case .models: readModel(bytes)
    }
  }
}

/// Recurses forever if the bytes begin with `!`.
private func nest(_ bytes: ArraySlice<UInt8>) -> Int {
  guard bytes.first == UInt8(ascii: "!") else { return bytes.count }
  return nest(bytes) + nest(bytes.dropFirst())
}

@main enum Fuzz {
  static func main() {
    guard let harness = Harness.current else {
      print("SYRINX_FUZZ names none of", Harness.allCases.map(\.rawValue).joined(separator: ", "))
      exit(64)
    }
    let words = CommandLine.arguments
    if words.count == 3, words[1] == "--seeds" {
      exit(writeSeeds(of: harness, to: words[2]) ? 0 : 1)
    }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(
      runDriver(&count, &arguments) { start, count in
        Harness.current?.read(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
      })
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_silgen_name("LLVMFuzzerMutate")
private func mutateAsUsual(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int
) -> Int

/// libsndfile skips an Ogg page whose checksum is wrong, so each mutated page gets a new checksum.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: CUnsignedInt
) -> Int {
  let count = mutateAsUsual(bytes, count, room)
  if [.file, .pipe].contains(Harness.current) {
    OggPages.repairChecksums(UnsafeMutableBufferPointer(start: bytes, count: count))
  }
  return count
}

/// Work for a thread.
private final class Work {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// Runs work on a thread with a stack of 1 MiB, and waits for its end.
private func onSmallStack(_ body: @escaping () -> Void) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 1 << 20)
  defer { pthread_attr_destroy(&attributes) }
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body))
  let code = pthread_create(
    &thread, &attributes,
    { work in
      // A crash may leave the stack full, so the crash handler gets a stack of its own.
      let room = UnsafeMutableRawPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { room.deallocate() }
      var stack = stack_t(ss_sp: room, ss_flags: 0, ss_size: 1 << 18)
      sigaltstack(&stack, nil)
      if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
      stack.ss_flags = CInt(SS_DISABLE)
      sigaltstack(&stack, nil)
      return nil
    }, work.toOpaque())
  guard code == 0 else { fail("no thread: \(code)") }
  pthread_join(thread, nil)
}

/// Ends the fuzzer because of an error that is not a reader's fault.
func fail(_ reason: String) -> Never {
  let line = "fuzz: \(reason)\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  abort()
}
