import SpeechEngine
import Testing

@Suite struct SpeechEngineErrorTests {
  @Test func `a missing model is explained by where it was looked for and what brings it`() {
    let error = SpeechEngineError.modelMissing(searched: ["/a", "/b"], package: "some-model")
    #expect(
      error.description
        == "no speech model was found in /a or /b; `apt install some-model` brings one")
  }

  @Test func `a file that cannot be used is named with what is wrong in it`() {
    let error = SpeechEngineError.modelDamaged(path: "/a/mdef", reason: "it is empty")
    #expect(
      error.description
        == "cannot use the speech model's file /a/mdef: it is empty; install the model again")
  }

  @Test func `a missing library is explained by where it was looked for and what brings it`() {
    let error = SpeechEngineError.libraryMissing(searched: ["/a", "/b"], remedy: "install it")
    #expect(error.description.contains("in /a or /b: install it"))
  }

  @Test func `a model that no package brings is explained by what helps`() {
    let error = SpeechEngineError.modelNotInstalled(searched: ["/a", "/b"], remedy: "unpack one")
    #expect(error.description == "no speech model was found in /a or /b: unpack one")
  }
}
