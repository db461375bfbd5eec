import SpeechEngine
import Testing

@Suite struct SpeechEngineErrorTests {
  @Test func `the error for a missing model contains the remedy, but not the searched places`() {
    let error = SpeechEngineError.modelMissing(searched: ["/a", "/b"], package: "some-model")
    #expect(
      error.description == "no speech model was found; `apt install some-model` installs one")
    #expect(error.searchedPlaces == ["/a", "/b"])
  }

  @Test func `the error contains the search path that the user chose`() {
    let error = SpeechEngineError.modelMissing(searched: ["/a"], package: "some-model")
    #expect(error.description.hasPrefix("no speech model was found in /a; "))
  }

  @Test func `the error for an unusable file contains its name and its damage`() {
    let error = SpeechEngineError.modelDamaged(path: "/a/mdef", reason: "it is empty")
    #expect(
      error.description
        == "cannot use the speech model's file /a/mdef: it is empty; install the model again")
  }

  @Test func `the error for a missing library contains the remedy`() {
    let error = SpeechEngineError.libraryMissing(searched: ["/a", "/b"], remedy: "install it")
    #expect(error.description.contains("has no usable library: install it"))
  }

  @Test func `the error for a model that no package provides contains the given remedy`() {
    let error = SpeechEngineError.modelNotInstalled(searched: ["/a", "/b"], remedy: "unpack one")
    #expect(error.description == "no speech model was found: unpack one")
  }
}
