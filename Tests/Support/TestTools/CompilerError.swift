import Foundation

/// An error of the compiler on a line of a source.
package struct CompilerError {
  package let line: Int
  package let message: String

  /// Returns the compiler's errors for a source, with the macros that the tests are built with.
  ///
  /// Errors inside a macro expansion are omitted, because they name no line of the source.
  ///
  /// - Throws: `Tool.Failure` if the compiler fails without an error on a line of the source.
  package static func all(in source: String, options: [String] = []) throws -> [CompilerError] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(source.utf8).write(to: file)
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let plugins = ["ClientDependenciesMacrosPlugin", "ReducersMacrosPlugin"].flatMap {
      ["-load-plugin-executable", "\(products.appending(path: "\($0)-tool").path)#\($0)"]
    }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      ["swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm"]
      + ["-I", products.appending(path: "Modules").path] + plugins + options + [file.path]
    let output = Pipe()
    compiler.standardError = output
    compiler.standardOutput = FileHandle.nullDevice
    try compiler.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    compiler.waitUntilExit()
    let lines = text.split(separator: "\n").filter { $0.hasPrefix(file.path) }
    let errors = lines.filter { $0.contains(": error: ") }.compactMap { error in
      let fields = error.split(separator: ":", maxSplits: 4)
      return Int(fields[1]).map { CompilerError(line: $0, message: String(fields[4])) }
    }
    guard errors.isEmpty == (compiler.terminationStatus == 0) else {
      throw Tool.Failure(description: text)
    }
    return errors
  }
}
