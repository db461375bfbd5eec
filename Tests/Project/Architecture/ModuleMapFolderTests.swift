import Testing

/// Finds files in the folders of C modules other than module maps and shims, so that no C code
/// hides there.
enum ModuleMapFolders {
  /// The target that may also contain headers: they forward to PocketSphinx's system headers, which
  /// a single shim cannot include.
  private static let mayHoldHeaders: Set = ["CPocketSphinx"]
  /// The target that may contain C++ code: it gives TagLib a C interface, because TagLib's own C
  /// interface lacks pictures.
  private static let mayHoldCode = "CTagLib"

  static func strangers(in files: [SourceFile]) -> [String] {
    let folders = Set(files.filter { $0.name == "module.modulemap" }.compactMap(\.target))
    return files.filter { file in
      guard let target = file.target, folders.contains(target) else { return false }
      if target == mayHoldCode, file.name.hasSuffix(".h") || file.name.hasSuffix(".cpp") {
        return false
      }
      let mayStay = mayHoldHeaders.contains(target) && file.name.hasSuffix(".h")
      return !mayStay && file.name != "module.modulemap" && !file.name.hasSuffix("shim.h")
    }.map(\.path)
  }
}

@Suite struct ModuleMapFolderTests {
  @Test func `C modules except CTagLib contain only a module map and shims`()
    throws
  {
    let files = try SourceFile.files(below: "Sources")
    #expect(ModuleMapFolders.strangers(in: files) == [])
  }

  @Test
  func `an additional file is reported, and a forwarding header of PocketSphinx is permitted`() {
    let files = [
      "Sources/CLibraries/CALSA/module.modulemap", "Sources/CLibraries/CALSA/shim.h",
      "Sources/CLibraries/CALSA/code.c",
      "Sources/CLibraries/CALSA/other.h", "Sources/CLibraries/CPocketSphinx/module.modulemap",
      "Sources/CLibraries/CPocketSphinx/forward.h", "Sources/CLibraries/CPocketSphinx/code.c",
      "Sources/CLibraries/CTagLib/include/module.modulemap",
      "Sources/CLibraries/CTagLib/CTagLib.cpp",
      "Sources/CLibraries/CTagLib/code.c", "Sources/CLibraries/CTagLib/include/CTagLib.h",
      "Sources/Audio/AudioCore/A.swift",
    ].map { SourceFile(path: $0, text: "") }
    #expect(
      ModuleMapFolders.strangers(in: files) == [
        "Sources/CLibraries/CALSA/code.c", "Sources/CLibraries/CALSA/other.h",
        "Sources/CLibraries/CPocketSphinx/code.c",
        "Sources/CLibraries/CTagLib/code.c",
      ])
  }
}
