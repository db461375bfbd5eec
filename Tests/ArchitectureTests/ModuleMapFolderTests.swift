import Testing

/// Folders of C modules hold a module map and a shim, so that no C code hides in them.
enum ModuleMapFolders {
  /// The headers that PocketSphinx' module map cannot take from the system by one shim.
  private static let mayHoldHeaders: Set = ["CPocketSphinx"]
  /// The target that is C++ with a C interface, because TagLib's own lacks pictures.
  private static let mayHoldCode = "CTagLib"

  static func strangers(in files: [SourceFile]) -> [String] {
    let folders = Set(files.filter { $0.name == "module.modulemap" }.compactMap(\.target))
    return files.filter { file in
      guard let target = file.target, folders.contains(target) else { return false }
      if target == mayHoldCode, file.name.hasSuffix(".h") || file.name.hasSuffix(".cpp") {
        return false
      }
      let mayStay = mayHoldHeaders.contains(target) && file.name.hasSuffix(".h")
      return !mayStay && !["module.modulemap", "shim.h"].contains(file.name)
    }.map(\.path)
  }
}

@Suite struct ModuleMapFolderTests {
  @Test func `C modules except that of TagLib hold a module map and a shim and nothing else`()
    throws
  {
    let files = try Repository().files(below: "Sources")
    #expect(ModuleMapFolders.strangers(in: files) == [])
  }

  @Test func `a planted file is found, a forwarding header of PocketSphinx is none`() {
    let files = [
      "Sources/CALSA/module.modulemap", "Sources/CALSA/shim.h", "Sources/CALSA/code.c",
      "Sources/CALSA/other.h", "Sources/CPocketSphinx/module.modulemap",
      "Sources/CPocketSphinx/forward.h", "Sources/CPocketSphinx/code.c",
      "Sources/CTagLib/include/module.modulemap", "Sources/CTagLib/CTagLib.cpp",
      "Sources/CTagLib/code.c", "Sources/CTagLib/include/CTagLib.h",
      "Sources/AudioCore/A.swift",
    ].map { SourceFile(path: $0, text: "") }
    #expect(
      ModuleMapFolders.strangers(in: files) == [
        "Sources/CALSA/code.c", "Sources/CALSA/other.h", "Sources/CPocketSphinx/code.c",
        "Sources/CTagLib/code.c",
      ])
  }
}
