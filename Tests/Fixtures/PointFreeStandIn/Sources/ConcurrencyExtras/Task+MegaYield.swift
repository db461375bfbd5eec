extension Task where Success == Never, Failure == Never {
  /// Lets other tasks run, again and again.
  public static func megaYield(count: Int = 20) async {
    for _ in 0..<count { await Task<Void, Never>.detached(priority: .background) {}.value }
  }
}
