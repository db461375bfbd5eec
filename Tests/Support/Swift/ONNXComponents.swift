import FilePaths
import Foundation
import ONNXRuntime

/// The real library and models, which are fetched once.
enum ONNXComponents {
  private static let fetched = Result {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Support/ONNX/components.sh").path
    let path = try Tool.run("bash", package: "bash", [script])
    return FilePath(String(decoding: path, as: UTF8.self).trimmingCharacters(in: .newlines))
  }

  /// A file of a component: "silero/silero_vad.onnx".
  static func path(_ name: String) throws -> FilePath {
    try fetched.get().appending(FilePath(name))
  }

  /// The library: "onnxruntime" is version 1.22.1, which comes with Moonshine.
  static func library(_ component: String = "onnxruntime") throws -> ONNXLibrary {
    try ONNXLibrary(path: path("\(component)/libonnxruntime.so"))
  }
}
