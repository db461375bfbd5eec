import FilePaths
import Foundation
import Glibc
import TestTools
import Testing

struct LoadedLibraryTests {
  @Test
  func `loading a library that changes the floating-point mode restores the thread's mode`() throws
  {
    let folder = try TestFolder()
    let (source, library) = (folder.file("mode.c"), folder.file("mode.so"))
    try """
    #include <fenv.h>
    __attribute__((constructor)) static void change(void) { fesetround(FE_UPWARD); }
    int changes(void) { return 1; }
    """.write(to: source, atomically: true, encoding: .utf8)
    try Tool.run(
      "cc", package: "gcc", ["-shared", "-fPIC", "-o", library.path, source.path, "-lm"])

    let loaded = try LoadedLibrary(FilePath(library))
    let mode = fegetround()
    fesetround(FE_TONEAREST)
    #expect(mode == FE_TONEAREST)
    let changes: @convention(c) () -> CInt = try loaded.required("changes")
    #expect(changes() == 1)
  }

  @Test
  func `a missing library and a missing function are errors that contain their names`() throws {
    #expect(throws: LoadedLibrary.Failure.self) { try LoadedLibrary("/nowhere/lib.so") }
    let library = try LoadedLibrary("libc.so.6")
    let error = #expect(throws: LoadedLibrary.MissingFunction.self) {
      let _: @convention(c) () -> Void = try library.required("no_such_function")
    }
    #expect(error?.name == "no_such_function")
    #expect(error?.description == "the library is too old: it has no no_such_function")
  }
}
