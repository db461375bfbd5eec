import ArgumentParser

/// The option `--json`, and `--format json`, which is the same.
struct JSONOption: ParsableArguments {
  /// The value of `--format`.
  enum Format: String, CaseIterable, ExpressibleByArgument { case json }

  @Flag(name: .customLong("json"), help: "Print JSON, one object per line; also --format json.")
  var flag = false

  @Option(help: .hidden)
  var format: Format?

  var isOn: Bool { flag || format == .json }
}
