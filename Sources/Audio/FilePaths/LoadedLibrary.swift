import Glibc

/// A library that is loaded at run time and never unloaded.
package struct LoadedLibrary: Sendable {
  /// The library cannot be loaded.
  package struct Failure: Error, CustomStringConvertible {
    package let reason: String

    package var description: String { "the library cannot be loaded: \(reason)" }
  }

  /// The library lacks a function.
  package struct MissingFunction: Error, CustomStringConvertible {
    package let name: String

    package var description: String { "the library is too old: it has no \(name)" }
  }

  // Safe because the library stays loaded, and dlsym accepts calls from all threads.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  /// Loads a library by its path, or by its name in the system's folders; a loaded library is
  /// reused.
  ///
  /// The corresponding C function is `dlopen`. The thread's floating-point mode is restored,
  /// because a library built with `-ffast-math`, such as SoundTouch, makes the thread flush
  /// denormal numbers to zero.
  package init(_ path: FilePath) throws(Failure) {
    var mode = fenv_t()
    fegetenv(&mode)
    defer { fesetenv(&mode) }
    guard let handle = path.withCString({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }) else {
      throw Failure(reason: dlerror().map { String(cString: $0) } ?? "the cause is unknown")
    }
    self.handle = handle
  }

  /// Returns a function; nil if the library lacks it.
  ///
  /// `Function` must be the function's type in the library's C header. The corresponding C function
  /// is `dlsym`.
  package func optional<Function>(_ name: String) -> Function? {
    // A C function pointer is the function's address, which dlsym returns, so the cast is valid.
    dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
  }

  /// Returns a function that the library must contain.
  package func required<Function>(_ name: String) throws(MissingFunction) -> Function {
    guard let function: Function = optional(name) else { throw MissingFunction(name: name) }
    return function
  }
}

extension UnsafeMutablePointer {
  /// Allocates memory for a value, and returns the pointer to pass to a C callback.
  ///
  /// The memory lives until `releaseCallbackMemory`. The owner calls that when the callback can no
  /// longer run.
  package static func makeCallbackMemory(_ value: Pointee) -> Self {
    let pointer = allocate(capacity: 1)
    pointer.initialize(to: value)
    return pointer
  }

  /// Releases the value and its memory.
  package func releaseCallbackMemory() {
    deinitialize(count: 1).deallocate()
  }
}
