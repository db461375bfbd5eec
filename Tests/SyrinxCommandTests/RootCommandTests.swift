import Testing

@Suite(.timeLimit(.minutes(1)))
struct RootCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `the version is a line on standard output`() async throws {
    let run = try await BuiltCommand.run("--version", in: folder)
    #expect(run.status == 0)
    #expect(run.outputLines.count == 1)
    #expect(run.output.split(separator: ".").count == 3)
  }

  @Test(arguments: ["devices", "play", "record", "transcribe", "listen", "serve", "wer", "engines"])
  func `every subcommand has help`(subcommand: String) async throws {
    let root = try await BuiltCommand.run("--help", in: folder)
    #expect(root.status == 0)
    #expect(root.output.contains("  \(subcommand) "))
    let help = try await BuiltCommand.run(subcommand, "--help", in: folder)
    #expect(help.status == 0)
    #expect(help.output.contains("--verbose"))
  }

  @Test
  func `no subcommand and an unknown one are wrong usage`() async throws {
    #expect(try await BuiltCommand.run(in: folder).status == 64)
    #expect(try await BuiltCommand.run("sing", in: folder).status == 64)
  }
}
