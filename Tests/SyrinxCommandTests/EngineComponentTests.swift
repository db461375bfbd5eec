import Testing

@testable import SyrinxCommand

struct EngineComponentTests {
  @Test
  func `pip is asked for a version, and for the machines that the wheel is for`() throws {
    let wheels = Dictionary(
      EngineComponent.all.flatMap(\.offers).map { ($0.wheel.file, $0.wheel) }
    ) { first, _ in first }
    let moonshine = try #require(wheels["moonshine_cpp-0.1.4-py3-none-manylinux2014_x86_64.whl"])
    #expect(moonshine.requirement == "moonshine_cpp==0.1.4")
    #expect(moonshine.platform == "manylinux2014_x86_64")
    #expect(moonshine.size == "55 MB")
    #expect(wheels["silero_vad-6.2.3-py3-none-any.whl"]?.platform == "any")
  }

  @Test
  func `each component has one name, known hashes, and files of plain names`() {
    #expect(Set(EngineComponent.all.map(\.name)).count == EngineComponent.all.count)
    for offer in EngineComponent.all.flatMap(\.offers) {
      #expect(offer.wheel.sha256.count == 64 && offer.wheel.bytes > 1_000_000)
      #expect(offer.files.keys.allSatisfy { !$0.contains("/") } && !offer.machines.isEmpty)
    }
  }
}
