import AudioCore
import FilePaths
import Logging
import SoundCard

extension AudioDevice {
  /// Creates the device for a sink, a source, or a sink's monitor of a PulseAudio server, as ALSA's
  /// `pulse` opens it; nil if ALSA's syntax cannot express the name.
  init?(pulse name: String, description: String, direction: Direction) {
    // This compares bytes, because as a `Character`, a quote followed by a combining accent is not
    // a quote.
    let isSafe = { (byte: UInt8) in
      byte >= 0x20 && byte != 0x7F && !"'\"\\".utf8.contains(byte)
    }
    guard !name.isEmpty, name.utf8.allSatisfy(isSafe) else { return nil }
    let isPlain = name.utf8.allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || [0x2D, 0x2E, 0x5F].contains($0)
    }
    self.init(
      id: .init(rawValue: isPlain ? "pulse:\(name)" : "pulse:DEVICE='\(name)'"),
      name: description, directions: [direction])
  }
}

/// A connection to a PulseAudio server, or to PipeWire in its place, to list the server's devices.
///
/// It loads libpulse at run time. Where ALSA's `pulse` plug-in is installed, so is libpulse.
final class PulseServer {
  private typealias Object = OpaquePointer
  private typealias Act = @convention(c) (Object) -> Void
  private typealias Query = @convention(c) (Object) -> CInt
  private typealias Report =
    @convention(c) (Object?, UnsafeRawPointer?, CInt, UnsafeMutableRawPointer?) -> Void
  private typealias List = @convention(c) (Object, Report, UnsafeMutableRawPointer?) -> Object?

  private typealias Answer = (
    devices: [AudioDevice], direction: AudioDevice.Direction, isComplete: Bool
  )

  private static let noAutospawn: UInt32 = 1
  private static let ready: CInt = 4
  private static let failed: CInt = 5
  private static let noConnection = SoundCardError.failed(
    "pulse", operation: "pa_context_connect", code: 0, reason: "there is no connection")

  private let library: LoadedLibrary
  private let loop: Object
  private let context: Object
  private let deadline: ContinuousClock.Instant
  /// The devices that the server has reported, and the state of the current list.
  private let answer: UnsafeMutablePointer<Answer>

  /// Returns the server's devices, playback first; none if the server does not respond in time.
  ///
  /// - Parameters:
  ///   - address: the address of the server; nil for the user's server.
  ///   - limit: the time limit for the connection and the list.
  static func devices(
    at address: String? = nil, within limit: Duration = .seconds(1)
  ) -> [AudioDevice] {
    do {
      let server = try PulseServer(library: LoadedLibrary("libpulse.so.0"), within: limit)
      return try server.list(at: address)
    } catch {
      Logger.alsa.debug("the sound server's devices are not listed: \(error)")
      return []
    }
  }

  private init(library: LoadedLibrary, within limit: Duration) throws {
    let makeLoop: @convention(c) () -> Object? = try library.required("pa_mainloop_new")
    let makeContext: @convention(c) (Object, UnsafePointer<CChar>) -> Object? =
      try library.required("pa_context_new")
    let interface: @convention(c) (Object) -> Object? =
      try library.required("pa_mainloop_get_api")
    let freeLoop: Act = try library.required("pa_mainloop_free")
    guard let loop = makeLoop() else { throw Self.noConnection }
    guard let api = interface(loop), let context = makeContext(api, "syrinx") else {
      freeLoop(loop)
      throw Self.noConnection
    }
    (self.library, self.loop, self.context) = (library, loop, context)
    deadline = .now + limit
    answer = .makeCallbackMemory(([], .playback, false))
  }

  deinit {
    let calls: [(String, Object)] = [
      ("pa_context_disconnect", context), ("pa_context_unref", context), ("pa_mainloop_free", loop),
    ]
    for (name, object) in calls {
      let act: Act? = library.optional(name)
      act?(object)
    }
    answer.releaseCallbackMemory()
  }

  private func list(at address: String?) throws -> [AudioDevice] {
    let connect: @convention(c) (Object, UnsafePointer<CChar>?, UInt32, UnsafeRawPointer?) -> CInt =
      try library.required("pa_context_connect")
    let state: Query = try library.required("pa_context_get_state")
    guard connect(context, address, Self.noAutospawn, nil) >= 0 else {
      throw Self.noConnection
    }
    try run { state(context) >= Self.ready }
    guard state(context) == Self.ready else { throw Self.noConnection }
    for (direction, name) in [
      (AudioDevice.Direction.playback, "pa_context_get_sink_info_list"),
      (.capture, "pa_context_get_source_info_list"),
    ] {
      (answer.pointee.direction, answer.pointee.isComplete) = (direction, false)
      try request(name)
      try run { answer.pointee.isComplete || state(context) >= Self.failed }
    }
    return answer.pointee.devices
  }

  private func request(_ name: String) throws {
    let list: List = try library.required(name)
    let release: Act = try library.required("pa_operation_unref")
    let operation = list(
      context,
      { _, info, end, memory in
        guard let answer = memory?.assumingMemoryBound(to: Answer.self) else { return }
        guard let info, end == 0 else { return answer.pointee.isComplete = true }
        PulseServer.add(info, to: &answer.pointee)
      }, answer)
    guard let operation else { throw Self.noConnection }
    release(operation)
  }

  /// Adds a device from its `pa_sink_info` or `pa_source_info`.
  private static func add(_ info: UnsafeRawPointer, to answer: inout Answer) {
    // Both structures begin with a name, a 32-bit index, and a description, in every version of
    // libpulse; the index is padded to the size of a pointer.
    let texts = info.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
    guard let name = texts[0].map({ String(cString: $0) }) else { return }
    let description = texts[2].map { String(cString: $0) } ?? name
    let device = AudioDevice(pulse: name, description: description, direction: answer.direction)
    if let device { answer.devices.append(device) }
  }

  /// Runs the server's loop until a condition holds; throws after the deadline.
  private func run(until isDone: () -> Bool) throws {
    let prepare: @convention(c) (Object, CInt) -> CInt = try library.required("pa_mainloop_prepare")
    let poll: Query = try library.required("pa_mainloop_poll")
    let dispatch: Query = try library.required("pa_mainloop_dispatch")
    while !isDone() {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw SoundCardError.notResponding("pulse", operation: "list") }
      let microseconds = CInt(clamping: left.inNanoseconds / 1_000 + 1)
      guard prepare(loop, microseconds) >= 0, poll(loop) >= 0, dispatch(loop) >= 0 else {
        throw Self.noConnection
      }
    }
  }
}
