import ClientDependencies

extension Benchmark {
  /// Scopes with one override, compared with the scope of a task-local value.
  static var scopes: [Benchmark] {
    [
      Benchmark("a bare withValue", per: .scope) { count in
        repeatSynchronously(count) { Bare.$value.withValue(opaque(2)) { use(0) } }
      },
      Benchmark("withDependencies { $0.x = v }", per: .scope, limit: Peer.scope) { count in
        repeatSynchronously(count) {
          withDependencies {
            $0.volume = opaque(2)
          } operation: {
            use(0)
          }
        }
      },
      Benchmark("withDependencies { $0.x = v } operation: { Model() }", per: .scope) { count in
        repeatSynchronously(count) {
          use(
            withDependencies {
              $0.volume = opaque(2)
            } operation: {
              Model()
            })
        }
      },
      Benchmark("withDependencies(from: model)", per: .scope, limit: Peer.scopeOfModel) { count in
        let model = Model()
        repeatSynchronously(count) { withDependencies(from: model) { use(0) } }
      },
      Benchmark(
        "withDependencies { $0.x = v }, async", per: .scope, limit: Peer.asyncScope
      ) { count in
        for _ in 0..<count {
          await withDependencies {
            $0.volume = opaque(2)
          } operation: {
            await nothing()
          }
        }
      },
    ]
  }

  @inline(__always)
  private static func repeatSynchronously(_ count: Int, _ body: () -> Void) {
    for _ in 0..<count { body() }
  }

  @inline(never)
  private static func nothing() async { use(0) }
}
