import Testing

@Suite struct ImportRulesTests {
  private let rules = ImportRules.ofSyrinx

  @Test func `each C module is allowed to its owner alone`() {
    for (module, owner) in rules.owners {
      let importers = rules.allowed.filter { $0.value.contains(module) }.keys
      #expect(Array(importers) == [owner])
    }
  }

  @Test(arguments: [
    "AudioPlayerClient", "AudioRecorderClient", "SpeechClient", "SoundCard", "SpeechEngine",
    "VirtualSoundCard", "SyrinxTestSupport",
  ])
  func `interfaces, seams and fakes know neither C nor a live value`(target: String) throws {
    let allowed = try #require(rules.allowed[target])
    #expect(allowed.isDisjoint(with: rules.owners.keys))
    // A recording for tests has its audio beside it as WAV, by way of the seam to files.
    let files: Set = target == "SyrinxTestSupport" ? ["SoundFile"] : []
    let owners = Set(rules.owners.values).subtracting(["AudioThreads"]).subtracting(files)
    #expect(allowed.isDisjoint(with: owners))
    #expect(allowed.filter { $0.hasSuffix("Live") } == [])
  }

  @Test func `the vocabulary is free of Foundation`() throws {
    let allowed = try #require(rules.allowed["AudioCore"])
    #expect(allowed.filter { $0.hasPrefix("Foundation") } == [])
  }

  @Test func `every allowed import is in Package.swift or comes with Swift`() throws {
    let manifest = SwiftTokenizer.tokens(of: try Repository().text(of: "Package.swift"))
    let named = manifest.compactMap { token in
      if case .string(let name) = token { name } else { nil }
    }
    let ofSwift: Set = [
      "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl",
      "Observation", "Testing", "XCTest",
    ]
    for (target, modules) in rules.allowed {
      #expect(modules.subtracting(named).subtracting(ofSwift) == [], "\(target)")
    }
  }

  @Test func `each target may import exactly the targets that it depends on in Package.swift`()
    throws
  {
    let manifest = PackageManifest.mentions(in: try Repository().text(of: "Package.swift"))
    let targets = Set(rules.allowed.keys).union(rules.owners.keys)
    #expect(targets == Set(try Repository().folders(in: "Sources")))
    for (target, modules) in rules.allowed {
      let dependencies = try #require(manifest["Sources/\(target)"])
      #expect(
        modules.intersection(targets) == dependencies.intersection(targets).subtracting([target]),
        "\(target)")
    }
  }

  /// That package is built at night only.
  @Test func `the engines' package declares the same dependencies as Package.swift`()
    throws
  {
    let targets = Set(rules.allowed.keys).union(rules.owners.keys)
    func dependencies(_ manifest: String) throws -> [String: Set<String>] {
      PackageManifest.mentions(in: try Repository().text(of: manifest))
        .mapValues(targets.intersection)
    }
    let whole = try dependencies("Package.swift")
    let engines = try dependencies("Tests/Fixtures/Engines/Package.swift")
      .filter { $0.key.hasPrefix("Sources/") && whole[$0.key] != nil }
    #expect(engines.count > 20)
    for (target, dependencies) in engines { #expect(dependencies == whole[target], "\(target)") }
  }

  @Test func `no two targets may import each other, directly or through others`() {
    for target in rules.allowed.keys {
      #expect(!reachable(from: target).contains(target), "\(target) reaches itself")
    }
  }

  private func reachable(from target: String) -> Set<String> {
    var found: Set<String> = []
    var open = [target]
    while let next = open.popLast() {
      for module in rules.allowed[next] ?? [] where found.insert(module).inserted {
        open.append(module)
      }
    }
    return found
  }
}
