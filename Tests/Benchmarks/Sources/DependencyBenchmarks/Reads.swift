import ClientDependencies

extension Benchmark {
  /// Reads of one value, compared with the read of a task-local value.
  static var reads: [Benchmark] {
    [bareRead]
      + reads("stored @Dependency(\\.x)") { feature in use(feature.volume) }
      + reads("stored @Dependency(Key.self)", limit: Peer.readByKey) { use($0.volumeByKey) }
      + reads("stored @Dependency(\\.client.endpoint)") { use($0.play) }
      // The property wrapper is a local variable, so each read also creates a wrapper.
      + reads("local @Dependency(\\.x)") { _ in
        @Dependency(\.volume) var volume
        use(volume)
      }
      + reads("local @Dependency(Key.self)", limit: Peer.readByKey) { _ in
        @Dependency(VolumeKey.self) var volume
        use(volume)
      }
      + [madeInOtherScope]
      + reads("DependencyValues._current.x", limit: Peer.readOfCurrent) { _ in
        use(DependencyValues._current.volume)
      }
  }

  static let bareRead = Benchmark("a bare TaskLocal", per: .read) { count in
    for _ in 0..<count { use(Bare.value) }
  }

  private static let madeInOtherScope = Benchmark(
    "stored @Dependency(\\.x), made in another scope", per: .read
  ) { count in
    let feature = withDependencies {
      $0.volume = opaque(4)
    } operation: {
      Feature()
    }
    withDependencies {
      $0.player = opaque(Player.testValue)
    } operation: {
      for _ in 0..<count { use(feature.volume) }
    }
  }

  @inline(__always)
  private static func reads(
    _ name: String, limit: Double = Peer.read, _ read: @escaping @Sendable (Feature) -> Void
  ) -> [Benchmark] {
    let feature = opaque(Feature())
    return [
      Benchmark("\(name), live", per: .read, limit: limit) { count in
        for _ in 0..<count { read(feature) }
      },
      Benchmark("\(name), overridden", per: .read, limit: Peer.overriddenRead) { count in
        withDependencies {
          $0.volume = opaque(3)
          $0.player = opaque(Player.testValue)
        } operation: {
          for _ in 0..<count { read(feature) }
        }
      },
    ]
  }
}
