import ClientDependencies
import Foundation
import Testing

@Suite struct VolatileDefaultsTests {
  @Dependency(\.defaultAppStorage) private var storage
  private let own = ProcessInfo.processInfo.processName
  private let name = "VolatileDefaultsTests-\(UUID().uuidString)"

  @Test func `a persistent domain is visible only in the storage that set it`() {
    storage.setPersistentDomain(["k": 1], forName: name)
    #expect(storage.persistentDomain(forName: name) as? [String: Int] == ["k": 1])
    #expect(storage.object(forKey: "k") == nil)
    #expect(UserDefaults(suiteName: name)?.object(forKey: "k") == nil)
    storage.removePersistentDomain(forName: name)
    #expect(storage.persistentDomain(forName: name) == nil)
  }

  @Test func `in-memory defaults write no file`() throws {
    storage.setPersistentDomain(["k": 1], forName: name)
    storage.setVolatileDomain(["k": 1], forName: name)
    storage.addSuite(named: name)
    storage.set(1, forKey: name)
    #expect(storage.synchronize())
    let environment = ProcessInfo.processInfo.environment
    let folder = environment["XDG_CONFIG_HOME"] ?? NSHomeDirectory() + "/.config"
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name).plist"))
    #expect(UserDefaults.standard.object(forKey: name) == nil)
  }

  @Test func `set(_:forKey:) stores values in the program's domain`() {
    storage.set(1, forKey: "k")
    #expect(storage.persistentDomain(forName: own) as? [String: Int] == ["k": 1])
    storage.setPersistentDomain(["l": 2], forName: own)
    #expect(storage.object(forKey: "k") == nil)
    #expect(storage.integer(forKey: "l") == 2)
    storage.removePersistentDomain(forName: own)
    #expect(storage.object(forKey: "l") == nil)
  }

  @Test
  func `an added suite is searched after the storage's own values until the suite is removed`() {
    storage.setPersistentDomain(["k": 1, "l": 1], forName: name)
    storage.set(2, forKey: "l")
    storage.addSuite(named: name)
    #expect(storage.integer(forKey: "k") == 1)
    #expect(storage.integer(forKey: "l") == 2)
    #expect(storage.dictionaryRepresentation() as? [String: Int] == ["k": 1, "l": 2])
    storage.removeSuite(named: name)
    #expect(storage.object(forKey: "k") == nil)
  }

  @Test func `the argument domain takes precedence, and the registration domain comes last`() {
    #expect(
      storage.volatileDomainNames.sorted()
        == [UserDefaults.argumentDomain, UserDefaults.registrationDomain].sorted())
    storage.register(defaults: ["k": 1])
    #expect(
      storage.volatileDomain(forName: UserDefaults.registrationDomain) as? [String: Int]
        == ["k": 1])
    storage.set(2, forKey: "k")
    #expect(storage.integer(forKey: "k") == 2)
    storage.setVolatileDomain(["k": 3], forName: UserDefaults.argumentDomain)
    #expect(storage.integer(forKey: "k") == 3)
    storage.removeVolatileDomain(forName: UserDefaults.argumentDomain)
    #expect(storage.integer(forKey: "k") == 2)
  }
}
