import AudioCore
import FilePaths

extension AudioDevice {
  /// A sink, a source, or the monitor of a sink of a PulseAudio server, as ALSA's `pulse` opens it; nil
  /// if ALSA's syntax cannot express its name.
  init?(pulse name: String, description: String, direction: Direction) {
    // Compares bytes, because a quote with a combining accent is a different character.
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

/// A connection to a PulseAudio server, or PipeWire's in its place, to list its devices.
///
/// It uses libpulse, which is loaded at run time: ALSA's plug-in for the server needs it, too.
struct PulseServer: ~Copyable {
  private typealias Object = OpaquePointer
  private typealias Act = @convention(c) (Object) -> Void
  private typealias Answer = @convention(c) (Object) -> CInt
  private typealias Report =
    @convention(c) (Object?, UnsafeRawPointer?, CInt, UnsafeMutableRawPointer?) -> Void
  private typealias List = @convention(c) (Object, Report, UnsafeMutableRawPointer?) -> Object?

  /// The first fields of `pa_sink_info` and of `pa_source_info`.
  private struct Info {
    var name: UnsafePointer<CChar>?
    var index: UInt32
    var description: UnsafePointer<CChar>?
  }

  /// The devices that the server has reported; a reference for its callbacks.
  private final class Listing {
    var devices: [AudioDevice] = []
    var direction = AudioDevice.Direction.playback
    var isComplete = false

    func add(_ info: UnsafeRawPointer) {
      // Both structures begin with these fields, in every version of libpulse.
      let info = info.assumingMemoryBound(to: Info.self).pointee
      guard let name = info.name.map({ String(cString: $0) }) else { return }
      let description = info.description.map { String(cString: $0) } ?? name
      devices += [AudioDevice(pulse: name, description: description, direction: direction)]
        .compactMap(\.self)
    }
  }

  private static let noAutospawn: UInt32 = 1
  private static let ready: CInt = 4
  private static let failed: CInt = 5

  private let library: LoadedLibrary
  private let loop: Object
  private let context: Object
  private let deadline: ContinuousClock.Instant

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
      ALSALog.note("the sound server's devices are not listed: \(error)")
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
    guard let loop = makeLoop() else { throw PulseFailure.noConnection }
    guard let api = interface(loop), let context = makeContext(api, "syrinx") else {
      freeLoop(loop)
      throw PulseFailure.noConnection
    }
    (self.library, self.loop, self.context) = (library, loop, context)
    deadline = .now + limit
  }

  deinit {
    let calls: [(String, Object)] = [
      ("pa_context_disconnect", context), ("pa_context_unref", context), ("pa_mainloop_free", loop),
    ]
    for (name, object) in calls {
      let act: Act? = library.optional(name)
      act?(object)
    }
  }

  private borrowing func list(at address: String?) throws -> [AudioDevice] {
    let connect: @convention(c) (Object, UnsafePointer<CChar>?, UInt32, UnsafeRawPointer?) -> CInt =
      try library.required("pa_context_connect")
    let state: Answer = try library.required("pa_context_get_state")
    // A closure cannot capture `self`, which is noncopyable.
    let context = context
    guard connect(context, address, Self.noAutospawn, nil) >= 0 else {
      throw PulseFailure.noConnection
    }
    try run { state(context) >= Self.ready }
    guard state(context) == Self.ready else { throw PulseFailure.noConnection }
    let listing = Listing()
    for (direction, name) in [
      (AudioDevice.Direction.playback, "pa_context_get_sink_info_list"),
      (.capture, "pa_context_get_source_info_list"),
    ] {
      (listing.direction, listing.isComplete) = (direction, false)
      try request(name, into: listing)
      try run { listing.isComplete || state(context) >= Self.failed }
    }
    return listing.devices
  }

  private borrowing func request(_ name: String, into listing: Listing) throws {
    let list: List = try library.required(name)
    let release: Act = try library.required("pa_operation_unref")
    // The listing outlives the callbacks, because the loop runs only while `list(at:)` retains it.
    let operation = list(
      context,
      { _, info, end, listing in
        guard let listing else { return }
        let target = Unmanaged<Listing>.fromOpaque(listing).takeUnretainedValue()
        if let info, end == 0 { target.add(info) } else { target.isComplete = true }
      }, Unmanaged.passUnretained(listing).toOpaque())
    guard let operation else { throw PulseFailure.noConnection }
    release(operation)
  }

  /// Runs the server's loop until a condition holds; throws after the deadline.
  private borrowing func run(until isDone: () -> Bool) throws {
    let prepare: @convention(c) (Object, CInt) -> CInt = try library.required("pa_mainloop_prepare")
    let poll: Answer = try library.required("pa_mainloop_poll")
    let dispatch: Answer = try library.required("pa_mainloop_dispatch")
    while !isDone() {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw PulseFailure.noAnswer }
      let microseconds = CInt(clamping: left.inNanoseconds / 1_000 + 1)
      guard prepare(loop, microseconds) >= 0, poll(loop) >= 0, dispatch(loop) >= 0 else {
        throw PulseFailure.noConnection
      }
    }
  }
}

/// The reason that the devices of a PulseAudio server cannot be listed.
private enum PulseFailure: Error {
  case noConnection
  case noAnswer
}
