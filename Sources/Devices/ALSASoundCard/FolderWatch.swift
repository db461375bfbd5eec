import AudioThreads
import Glibc

/// Watches folders for added, removed, and changed files on its own thread, with Linux' inotify.
final class FolderWatch: Sendable {
  private static let interest = UInt32(
    IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO)

  private let quit: WakeUp

  /// Starts watching, or returns nil if the system refuses.
  ///
  /// A missing folder is retried at every change of another folder.
  ///
  /// - Parameter changed: called on the watching thread, until `stop`.
  init?(
    _ paths: [String], concerns: @escaping @Sendable (_ name: String) -> Bool,
    changed: @escaping @Sendable () -> Void
  ) {
    guard let quit = try? WakeUp() else { return nil }
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    Self.watch(paths, descriptor)
    self.quit = quit
    let thread = try? DedicatedThread.start(name: "syrinx-devices") {
      while Self.waitForChange(descriptor, quit) {
        guard Self.names(descriptor).contains(where: concerns) else { continue }
        // The new file may be a folder to watch.
        Self.watch(paths, descriptor)
        changed()
      }
      close(descriptor)
    }
    guard thread != nil else {
      close(descriptor)
      return nil
    }
  }

  /// Ends the thread.
  func stop() {
    quit.signal()
  }

  /// Adds watches; existing watches are unchanged.
  private static func watch(_ paths: [String], _ descriptor: Int32) {
    for path in paths { inotify_add_watch(descriptor, path, interest) }
  }

  /// Blocks until a change; returns false at the end.
  private static func waitForChange(_ descriptor: Int32, _ quit: WakeUp) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: quit.fileDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&polled, 2, -1) < 0 {
      if errno != EINTR { return false }
    }
    return polled[1].revents == 0
  }

  /// The names in the pending events.
  private static func names(_ descriptor: Int32) -> [String] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
    defer { buffer.deallocate() }
    var names: [String] = []
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return names }
      names += Self.names(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

/// The layout of inotify events: a 16-byte header, whose last 4 bytes hold the length of the
/// following zero-padded name.
extension FolderWatch {
  private static let headerSize = 16

  static func names(in bytes: UnsafeRawBufferPointer) -> [String] {
    var names: [String] = []
    var rest = bytes[...]
    while rest.count >= headerSize {
      let header = UnsafeRawBufferPointer(rebasing: rest.prefix(headerSize))
      let length = Int(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      rest = rest.dropFirst(headerSize)
      let name = rest.prefix(length).prefix { $0 != 0 }
      names.append(String(decoding: name, as: UTF8.self))
      rest = rest.dropFirst(length)
    }
    return names
  }
}

/// The folders of device files and sound-server sockets.
struct DeviceFolders: Equatable {
  /// The folders to watch, including folders that may not exist yet.
  let paths: [String]

  /// - Parameter variable: returns an environment variable.
  init(user: UInt32, variable: (_ name: String) -> String?) {
    let runtime = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(user)"
    let server = variable("PULSE_SERVER").flatMap(Self.folder(ofServer:))
    let pulse = variable("PULSE_RUNTIME_PATH") ?? runtime + "/pulse"
    let pipeWire = variable("PIPEWIRE_RUNTIME_DIR") ?? runtime
    var seen: Set<String> = []
    // The parent folder reports the creation of a missing folder.
    paths = ["/dev/snd", "/dev", server, pulse, pipeWire, runtime].compactMap(\.self)
      .filter { seen.insert($0).inserted }
  }

  /// Whether a change of a file with this name may be a device change.
  static func concerns(_ name: String) -> Bool {
    name == "snd" || name == "pulse" || name == "native" || name.hasPrefix("pcmC")
      || name.hasPrefix("controlC") || name.hasPrefix("pipewire-")
  }

  private static func folder(ofServer address: String) -> String? {
    guard let path = SoundServer.socketPath(address), let slash = path.lastIndex(of: "/"),
      slash > path.startIndex
    else { return nil }
    return String(path[..<slash])
  }
}
