import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// The client's descriptions of the engines.
@Suite struct InstalledEnginesTests {
  private static func engine(
    _ name: String, _ models: [SpeechModel], _ error: SpeechEngineError = .failed(reason: "none")
  ) -> SpeechEngine {
    SpeechEngine(
      name: name,
      availability: { models.first.map { .ready($0) } ?? .unavailable(error) },
      models: { models },
      makeSession: { _ in throw error })
  }

  private let german = SpeechModel(language: "de", location: "/de")
  private let english = SpeechModel(language: "en-US", location: "/en")

  private func client(_ inUse: SpeechEngine, _ all: [SpeechEngine] = []) -> SpeechClient {
    withDependencies {
      $0.speechEngine = inUse
      $0.speechEngines = all
    } operation: {
      SpeechClient.liveValue
    }
  }

  @Test func `each engine is listed with its models or with the reason that it has none`() async {
    let missing = SpeechEngineError.libraryMissing(searched: ["/lib"], remedy: "install it")
    let (one, two) = (
      Self.engine("one", [german, english]), Self.engine("two", [], missing)
    )
    let engines = await client(one, [one, two]).engines()
    #expect(
      engines == [
        SpeechEngineDescription(name: "one", models: [german, english], isInUse: true),
        SpeechEngineDescription(name: "two", models: [], obstacle: missing.description),
      ])
  }

  @Test func `the locales are those of the engine in use, each once and in order`() async {
    let engine = Self.engine("one", [english, german, english])
    let locales = await client(engine, [Self.engine("two", [])]).supportedLocales()
    #expect(locales == ["de", "en-US"])
    #expect(await client(Self.engine("none", [])).supportedLocales() == [])
  }

  @Test func `an engine's capabilities are listed, whether it is ready or not`() async {
    var (ready, missing) = (Self.engine("one", [english]), Self.engine("two", []))
    ready.capabilities = Set(SpeechEngineCapability.allCases)
    missing.capabilities = [.grammar]
    let engines = await client(ready, [ready, missing]).engines()
    #expect(engines.first?.capabilities == Set(SpeechEngineCapability.allCases))
    #expect(engines.last?.capabilities == [.grammar])
  }

  @Test func `an engine that combines engines is listed as the engine that it chooses`() async {
    var (best, one) = (Self.engine("two", [german]), Self.engine("one", [german]))
    (best.capabilities, one.capabilities) = ([.grammar, .keyPhrases], [.grammar])
    best.choose = { [one] _ in one }
    let engines = await client(best, [one, Self.engine("two", [])]).engines()
    #expect(engines.map(\.name) == ["one", "two"] && engines.map(\.isInUse) == [true, false])
    #expect(engines.first?.capabilities == [.grammar])
  }

  @Test func `if no engines are set, only the engine in use is listed`() async {
    let engines = await client(Self.engine("mine", [english])).engines()
    #expect(engines.map(\.name) == ["mine"])
    #expect(engines.map(\.isInUse) == [true])
  }

  @Test func `a model that two engines list is shown only with the engine that it belongs to`()
    async
  {
    let engines = await client(
      Self.engine("one", [german, english]),
      [Self.engine("one", [german]), Self.engine("two", [english])]
    ).engines()
    #expect(engines.map(\.models) == [[german], [english]])
  }

  @Test func `the engine in use replaces the listed engine with the same name`() async {
    let engines = await client(
      Self.engine("one", [german]), [Self.engine("two", []), Self.engine("one", [english])]
    ).engines()
    #expect(engines.map(\.name) == ["two", "one"])
    #expect(engines.last?.models.map(\.language) == ["de"])
  }

  @Test func `an engine created without a list of models lists the model that it reports as ready`()
  {
    let engine = SpeechEngine(
      name: "one", availability: { .ready(SpeechModel(language: "de", location: "/de")) },
      makeSession: { _ in throw SpeechEngineError.failed(reason: "") })
    #expect(engine.models() == [german])
  }
}
