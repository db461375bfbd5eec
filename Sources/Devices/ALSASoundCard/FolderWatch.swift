import AudioThreads
import CALSA
import Glibc

/// Watches folders for added, removed, and changed files on its own thread, with inotify.
///
/// A missing folder is retried whenever a file changes in a watched folder.
///
/// - Parameters:
///   - paths: the paths of the folders.
///   - concerns: returns whether to report a change of a file with this name.
///   - changed: called on the watching thread, until the watch ends.
/// - Returns: a closure that ends the watch; nil if the system refuses.
func watchFolders(
  _ paths: [String], concerns: @escaping @Sendable (_ name: String) -> Bool,
  changed: @escaping @Sendable () -> Void
) -> (@Sendable () -> Void)? {
  guard let quit = try? WakeUp() else { return nil }
  let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
  guard number >= 0 else { return nil }
  let descriptor = Descriptor(owning: number)
  addWatches(paths, to: descriptor)
  let thread = try? DedicatedThread.start(name: "syrinx-devices") {
    while waitForChange(of: descriptor, or: quit) {
      guard readNames(from: descriptor).contains(where: concerns) else { continue }
      // The new file may be a folder to watch.
      addWatches(paths, to: descriptor)
      changed()
    }
  }
  guard thread != nil else { return nil }
  return { quit.signal() }
}

/// Adds watches; existing watches are unchanged.
private func addWatches(_ paths: [String], to descriptor: Descriptor) {
  let changes = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO)
  for path in paths { inotify_add_watch(descriptor.number, path, changes) }
}

/// Blocks until a watched file changes; returns false if `quit` is signaled.
private func waitForChange(of descriptor: Descriptor, or quit: WakeUp) -> Bool {
  var polled = [
    pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
    pollfd(fd: quit.fileDescriptor, events: Int16(POLLIN), revents: 0),
  ]
  while poll(&polled, 2, -1) < 0 {
    if errno != EINTR { return false }
  }
  return polled[1].revents == 0
}

/// Reads the pending events and returns the names of the changed files.
private func readNames(from descriptor: Descriptor) -> [String] {
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
  defer { buffer.deallocate() }
  var names: [String] = []
  while true {
    let count = read(descriptor.number, buffer.baseAddress, buffer.count)
    guard count > 0 else { return names }
    names += changedNames(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}

/// Returns the names in inotify events.
///
/// An event is a 16-byte header, whose last 4 bytes hold the length of the following zero-padded
/// name.
func changedNames(in bytes: UnsafeRawBufferPointer) -> [String] {
  let headerSize = 16
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
