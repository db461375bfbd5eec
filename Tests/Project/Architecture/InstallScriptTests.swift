import Foundation
import TestTools
import Testing

/// Runs `Packaging/manual/make.sh` and `Packaging/install.sh` with a fake command and a fake
/// generator, which only print.
@Suite struct InstallScriptTests {
  /// A manual page as swift-argument-parser generates it.
  private static let page = #"""
    .Dt SYRINX.PLAY 1
    .Nm "syrinx play"
    .Sh SYNOPSIS
    .Nm
    .Sh DESCRIPTION
    Examples:
      syrinx play a.wav
      syrinx play b.wav \

    Keys:
      q   quit

    Some prose.

    More prose.
    .Sh "EXIT STATUS"
    .Ex -std
    """#

  private static let script = """
    mkdir "$0" "$0/bin"
    printf '%s\\n' '#!/bin/sh' 'echo "built: $*" >&2' 'exit 1' >"$0/bin/swift"
    printf '%s\\n' '#!/bin/sh' 'echo "completion $2"' >"$0/bin/syrinx"
    printf '%s\\n' '#!/bin/sh' 'cp "$1.page" "$4/syrinx.play.1"; cp "$1.page" "$4/syrinx.1"' >"$0/bin/generate"
    chmod +x "$0"/bin/*
    printf '%s\\n' "$1" >"$0/bin/syrinx.page"
    export SYRINX_GENERATE_MANUAL=$0/bin/generate PATH=$0/bin:$PATH DESTDIR=$0/tree
    install=(bash Packaging/install.sh --prefix /usr --command "$0/bin/syrinx")
    "${install[@]}" 2>"$0/refusal" && exit 9
    grep -q 'the manual is missing' "$0/refusal"
    bash Packaging/manual/make.sh "$0/bin/syrinx" "$0/bin/syrinx.share"
    "${install[@]}" >&2
    cat "$DESTDIR/usr/share/zsh/site-functions/_syrinx" "$DESTDIR/usr/share/man/man1/syrinx-play.1"
    """

  @Test
  func `a built command is installed without a build, and its manual pages have all sections`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", "-ec", Self.script, folder.path, Self.page]
    process.currentDirectoryURL = Checkout.root
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let text = String(decoding: data, as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"""
        completion zsh
        .Dt SYRINX-PLAY 1
        .Nm syrinx-play
        .Sh SYNOPSIS
        .Nm syrinx play
        .Sh DESCRIPTION
        Keys:
        .Bd -literal -offset indent
        q   quit
        .Ed
        Some prose.
        .Pp
        More prose.
        .Sh ENVIRONMENT
        """#), "\(text)")
    #expect(
      text.hasSuffix(
        #"""
        .Sh EXAMPLES
        .Bd -literal -offset indent
        syrinx play a.wav
        syrinx play b.wav \e
        .Ed
        .Sh SEE ALSO
        .Xr syrinx 1

        """#), "\(text)")
  }
}
