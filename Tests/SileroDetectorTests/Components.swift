import Foundation

/// The real library and model, which are fetched once.
enum Components {
  private static let folder = Result {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Support/ONNX/components.sh")
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", script.path]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileNoSuchFile) }
    return URL(filePath: text.trimmingCharacters(in: .newlines))
  }

  static func library() throws -> URL {
    try folder.get().appending(path: "onnxruntime/libonnxruntime.so")
  }

  static func model() throws -> URL { try folder.get().appending(path: "silero/silero_vad.onnx") }

  /// A model of another kind.
  static func otherModel() throws -> URL {
    try folder.get().appending(path: "moonshine-base-en/encoder_model.ort")
  }
}
