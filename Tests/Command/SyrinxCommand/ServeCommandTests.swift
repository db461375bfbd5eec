import Foundation
import Glibc
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServeCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [
    ["--wyoming", "http://localhost"], ["--wyoming", "tcp://localhost:x"],
    ["--wyoming", "stdio", "--alternatives", "5"],
    ["--http", "localhost"], ["--http", "unix:///tmp/x"], ["--http", "tcp://127.0.0.1"],
    ["--http", "tcp://0.0.0.0:0", "--allow-remote"], ["--api-key-file", "keys"], ["--no-api-key"],
    ["--http", "--api-key-file", "keys", "--no-api-key"], ["--http", "--cors-origin", "x"],
    ["--http", "--upload-limit", "x"], ["--http", "--zeroconf"], ["--cors-origin", "'*'"],
    ["--wyoming", "stdio", "--zeroconf"], ["--zeroconf", "\"\""], ["--log-format", "xml"],
    ["--wyoming", "stdio:cat"], ["--wyoming", "stdio", "--connections", "0"],
    ["--wyoming", "stdio", "--idle-timeout", "0"], ["--wyoming", "stdio", "--payload-limit", "x"],
    ["--metrics", "127.0.0.1:9400"], ["--metrics", "tcp://127.0.0.1"],
    ["--metrics", "unix:///tmp/metrics"],
  ]) func `invalid arguments are a usage error`(arguments: [String]) async throws {
    let line = (["syrinx", "serve"] + arguments).joined(separator: " ")
    #expect(try await BuiltCommand.shell(line, in: folder).status == 64)
  }

  @Test func `an address that other machines can reach requires --allow-remote`() async throws {
    let run = try await BuiltCommand.run("serve", "--wyoming", "tcp://0.0.0.0:0", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("tcp://0.0.0.0:0 can be reached from other machines"))
    #expect(run.error.contains("--allow-remote"))
  }

  @Test func `an HTTP client reads the metrics at the address that the server reports`()
    async throws
  {
    let server = try RunningCommand(
      "serve", "--wyoming", "unix://\(folder.file("s").path)", "--metrics", "tcp://127.0.0.1:0",
      in: folder, watching: .error)
    let line = try #require(await server.lines.first(containing: "metrics are at http://127.0.0.1"))
    let address = try #require(line.split(separator: " ").last)
    let script = """
      from urllib.request import *
      print(build_opener(ProxyHandler({})).open('\(address)').read().decode())
      """
    let run = try await BuiltCommand.shell("python3 -c \"\(script)\"", in: folder)
    #expect(run.outputLines.contains("syrinx_requests_total 0"), "\(run.output)")
    server.send(SIGTERM)
    #expect(await server.status() == 0)
  }

  @Test func `a metrics port that is in use ends the server with an error`() async throws {
    let first = try RunningCommand(
      "serve", "--wyoming", "tcp://127.0.0.1:0", in: folder, watching: .error)
    let line = try #require(await first.lines.first(containing: "listening on tcp://127.0.0.1:"))
    let taken = try #require(line.split(separator: " ").first { $0.hasPrefix("tcp://") })
      .prefix { $0 != ";" }
    let run = try await BuiltCommand.run(
      "serve", "--wyoming", "unix://\(folder.file("s").path)", "--metrics", String(taken),
      in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("\(taken) is in use"), "\(run.error)")
    first.send(SIGTERM)
    #expect(await first.status() == 0)
  }

  @Test func `a file as standard input of a server is an error`() async throws {
    let run = try await BuiltCommand.shell(
      "echo x > file; syrinx serve --wyoming stdio < file", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("must be pipes or sockets"), "\(run.error)")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends the server with status 0 and removes its socket`(signal: Int32)
    async throws
  {
    let socket = folder.file("s").path
    let server = try RunningCommand(
      "serve", "--wyoming", "unix://\(socket)", in: folder, watching: .error)
    #expect(await server.lines.first(containing: "listening on unix://") != nil)
    #expect(FileManager.default.fileExists(atPath: socket))
    server.send(signal)
    #expect(await server.status() == 0)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `a server on standard input answers every request and ends with its input`()
    async throws
  {
    let run = try await BuiltCommand.shell(
      #"printf '{"type":"ping","data":{"text":"x"}}\n{"type":"describe"}\n' | syrinx serve --wyoming stdio | cat"#,
      in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.first?.contains(#""type":"pong""#) == true)
    #expect(run.output.contains(#""languages":["en-US"]"#))
    #expect(run.error.isEmpty)
  }

  @Test func `malformed input gets an error event and ends a server on standard input`()
    async throws
  {
    let run = try await BuiltCommand.shell(
      "echo garbage | syrinx serve --wyoming stdio | cat", in: folder)
    #expect(run.status == 0)
    #expect(run.output.contains(#""code":"malformed""#))
  }
}
