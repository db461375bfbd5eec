import Foundation
import TestTools

extension Tool {
  /// Returns the number of frames that Python's `wave` announces, and the number that it reads.
  static func pythonFrames(_ path: String) throws -> (announced: Int, read: Int) {
    let script = """
      import sys, wave
      file = wave.open(sys.argv[1])
      count = file.getnframes()
      read = len(file.readframes(count)) // (file.getnchannels() * file.getsampwidth())
      print(count, read)
      """
    let output = try run("python3", package: "python3", ["-c", script, path])
    let numbers = String(decoding: output, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2 else { throw Failure(description: "Python's wave says \(numbers)") }
    return (numbers[0], numbers[1])
  }
}
