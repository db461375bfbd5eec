/// The options of the command line.
package enum Options {
  package static func value(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), arguments.indices.contains(index + 1) else {
      return nil
    }
    return arguments[index + 1]
  }

  package static func number(_ name: String, or usual: Int) -> Int {
    value(name).flatMap { Int($0) } ?? usual
  }
}
