import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

/// The components that Tests/run.sh installs with `syrinx engines install all`, in `.build/engines`
/// or in the folder that `SYRINX_TEST_ENGINES` names.
enum ONNXComponents {
  private static let folder: FilePath = {
    let named = ProcessInfo.processInfo.environment["SYRINX_TEST_ENGINES"].map { URL(filePath: $0) }
    return FilePath((named ?? Checkout.file(".build/engines")).appending(path: "syrinx"))
  }()

  /// Whether all components are installed; false if, for example, PyPI could not be reached.
  static let areInstalled = ["onnxruntime", "moonshine-base-en", "silero"].allSatisfy {
    folder.appending(FilePath($0)).status != nil
  }

  /// Whether Whisper is installed.
  static let haveWhisper = ["libwhisper", "whisper-base"].allSatisfy {
    folder.appending(FilePath($0)).status != nil
  }

  /// Returns the path of a component's file, such as "silero/silero_vad.onnx".
  static func path(_ name: String) throws -> FilePath {
    let path = folder.appending(FilePath(name))
    try #require(path.status != nil, "\(path) is missing: Tests/run.sh installs it")
    return path
  }

  static func library() throws -> ONNXLibrary {
    try ONNXLibrary(path: path("onnxruntime/libonnxruntime.so"))
  }
}

extension Trait where Self == ConditionTrait {
  /// The trait of tests that need the installed library and models.
  static var installedEngines: Self {
    .enabled(if: ONNXComponents.areInstalled, "Tests/run.sh has installed no engines")
  }
}
