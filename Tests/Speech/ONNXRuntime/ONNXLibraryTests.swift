import FilePaths
import Foundation
import TestTools
import Testing

@testable import ONNXRuntime

@Suite(.timeLimit(.minutes(5))) struct ONNXLibraryTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Builds a library that only claims to be ONNX Runtime.
  private func fake(_ flag: String, at name: String = "libonnxruntime.so") throws -> FilePath {
    let source = Checkout.file("Tests/Support/ONNX/fake-onnxruntime.c").path
    let library = folder.file(name)
    try Tool.run(
      "cc", package: "gcc", ["-shared", "-fPIC", flag, "-o", library.path, source])
    return FilePath(library)
  }

  private func failure(_ path: FilePath) -> String? {
    do throws(ONNXError) {
      _ = try ONNXLibrary(path: path)
      return nil
    } catch {
      guard case .libraryUnusable(path, let reason) = error else { return nil }
      return reason
    }
  }

  @Test(.installedEngines) func `the real library is loaded and reports its version`() throws {
    #expect(try ONNXComponents.library().version == "1.28.2")
  }

  @Test(arguments: ["1.15.1", "1.4.0", "0.5", "2.0.0", "", "something else"])
  func `the error for a library with an old or different interface contains the version`(
    version: String
  ) throws {
    let reason = try failure(fake("-DVERSION=\"\(version)\""))
    #expect(reason == "its version is \(version)")
    let error = ONNXError.libraryUnusable(path: "/lib/a.so", reason: "its version is 1.15.1")
    #expect(
      error.description == """
        /lib/a.so cannot be used as ONNX Runtime: its version is 1.15.1; install ONNX Runtime 1.16 \
        or later, or set SYRINX_ONNXRUNTIME_LIBRARY to the path of its library
        """)
  }

  @Test func `isVersion(_:atLeast:) compares the first two numbers of a version`() {
    for (version, isEnough) in [
      ("1.16", true), ("1.28.2", true), ("2.0.0", true), ("1.15.1", false), ("0.16.0", false),
      ("0.99", false), ("1", false),
    ] {
      #expect(ONNXLibrary.isVersion(version, atLeast: 16) == isEnough, "\(version)")
    }
  }

  @Test func `another library, a file that is not a library, and a missing file are errors`()
    throws
  {
    #expect(try failure(fake("-DFOREIGN"))?.contains("OrtGetApiBase") == true)
    try Data("no library".utf8).write(to: folder.file("text.so"))
    #expect(failure(FilePath(folder.file("text.so"))) != nil)
    #expect(failure("/nowhere/a.so")?.contains("No such file") == true)
  }

  @Test(.installedEngines)
  func `if the environment variable names a library, no other library is loaded`() throws {
    let real = try ONNXComponents.path("onnxruntime/libonnxruntime.so")
    let variable = "SYRINX_ONNXRUNTIME_LIBRARY"
    #expect(try ONNXLibrary.load(environment: [variable: real.text]).path == real)
    #expect(throws: ONNXError.libraryUnusable(path: "/nowhere.so", reason: "it is missing")) {
      try ONNXLibrary.load(environment: [variable: "/nowhere.so"])
    }
  }

  @Test func `a library that every user may change is not loaded, even if the caller names it`()
    throws
  {
    let library = try fake("-DFOREIGN")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: library.url.path)
    let unsafe = ONNXError.fileUnsafe(path: library, reason: "every user may change it")
    #expect(throws: unsafe) { try ONNXLibrary.load(chosen: library, environment: [:]) }
    #expect(throws: unsafe) {
      try ONNXLibrary.load(environment: ["SYRINX_ONNXRUNTIME_LIBRARY": library.text])
    }
  }

  @Test(.installedEngines)
  func `an installed library is found, and a changed library is rejected`() throws {
    let component = folder.file("syrinx/onnxruntime")
    try FileManager.default.createDirectory(
      at: folder.file("syrinx"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: ONNXComponents.path("onnxruntime").url, to: component)
    try InstalledFolder.record(
      FilePath(component), component: "onnxruntime", version: "1.28.2",
      files: ["libonnxruntime.so"])
    let environment = ["XDG_DATA_HOME": folder.url.path]
    let path = FilePath(component.appending(path: "libonnxruntime.so"))
    #expect(try ONNXLibrary.load(environment: environment).path == path)
    // Replaced instead of overwritten, because the library is loaded.
    try Data("no library".utf8).write(to: path.url, options: .atomic)
    #expect {
      try ONNXLibrary.load(environment: environment)
    } throws: { error in
      guard case .fileDamaged(path, _) = error as? ONNXError else { return false }
      return true
    }
  }

  @Test func `the error for a missing library lists the searched paths`() throws {
    guard !["libonnxruntime.so", "libonnxruntime.so.1"].contains(where: ONNXLibrary.isThere) else {
      return
    }
    #expect {
      try ONNXLibrary.load(environment: ["XDG_DATA_HOME": folder.url.path])
    } throws: { error in
      "\(error)".contains("\(folder.url.path)/syrinx/onnxruntime, the loader's folders")
    }
  }
}
