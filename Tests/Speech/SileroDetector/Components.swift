import FilePaths
import Foundation

/// The installed library and models, as URLs.
enum Components {
  static func library() throws -> URL {
    try ONNXComponents.path("onnxruntime/libonnxruntime.so").url
  }

  static func model() throws -> URL { try ONNXComponents.path("silero/silero_vad.onnx").url }

  /// Returns the path of a model of another kind.
  static func otherModel() throws -> URL {
    try ONNXComponents.path("moonshine-base-en/encoder_model.ort").url
  }
}
