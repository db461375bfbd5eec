import ClientDependencies
import Foundation
import Testing

@Suite struct DefaultAppStorageTests {
  @Dependency(\.defaultAppStorage) private var storage

  @Test func `a test begins with its own empty storage`() {
    #expect(storage.object(forKey: "number") == nil)
    storage.set(1, forKey: "number")
    #expect(storage.integer(forKey: "number") == 1)
    #expect(UserDefaults.standard.object(forKey: "number") == nil)
  }

  @Test func `a second test also begins with its own empty storage`() {
    #expect(storage.object(forKey: "number") == nil)
    storage.set(2, forKey: "number")
    #expect(storage.integer(forKey: "number") == 2)
  }

  @Test func `every type of value round-trips`() throws {
    storage.set("song", forKey: "text")
    storage.set(true, forKey: "flag")
    storage.set(0.5, forKey: "double")
    storage.set(["a", "b"], forKey: "list")
    storage.set(Data([1, 2]), forKey: "data")
    storage.set(URL(filePath: "/song.wav"), forKey: "url")
    #expect(storage.string(forKey: "text") == "song")
    #expect(storage.bool(forKey: "flag"))
    #expect(storage.double(forKey: "double") == 0.5)
    #expect(storage.stringArray(forKey: "list") == ["a", "b"])
    #expect(storage.data(forKey: "data") == Data([1, 2]))
    #expect(storage.url(forKey: "url")?.path == "/song.wav")
    #expect(storage.dictionaryRepresentation().count == 6)
    #expect(storage.synchronize())
  }

  @Test func `after a stored value is removed, the registered default is read`() {
    storage.register(defaults: ["volume": 3])
    storage.set(5, forKey: "volume")
    #expect(storage.integer(forKey: "volume") == 5)
    storage.removeObject(forKey: "volume")
    #expect(storage.integer(forKey: "volume") == 3)
    #expect(UserDefaults.standard.object(forKey: "volume") == nil)
  }

  @Test func `the live storage is UserDefaults.standard, and the preview storage is in memory`() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(storage === UserDefaults.standard)
    }
    withDependencies {
      $0.context = .preview
    } operation: {
      #expect(storage !== UserDefaults.standard)
    }
  }
}
