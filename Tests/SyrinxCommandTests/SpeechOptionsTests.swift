import ArgumentParser
import Foundation
import Testing

import SpeechClient
@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(2)))
struct SpeechOptionsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `the options reach the request`() throws {
    let options = try SpeechOptions.parse([
      "--grammar", "a.gram", "--locale", "en-US", "--end-silence", "1.5", "--longest-utterance",
      "30",
    ])
    let request = options.applied(to: SpeechRequest(url: URL(filePath: "a.wav")))
    #expect(request.grammar == .file(URL(filePath: "a.gram")))
    #expect(request.locale == "en-US")
    #expect(request.endpointPolicy.silence == .milliseconds(1500))
    #expect(request.endpointPolicy.longest == .seconds(30))
  }

  @Test(arguments: [
    ["--end-silence", "0"], ["--end-silence", "nan"], ["--longest-utterance", "0.5"],
  ])
  func `durations that make no sense are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SpeechOptions.parse(arguments) }
  }

  @Test func `with a grammar only its sentences come`() async throws {
    try folder.speech("go.wav")
    try Data("#JSGF V1.0;\ngrammar a;\npublic <a> = go forward ten meters | stop;\n".utf8)
      .write(to: folder.file("a.gram"))
    let run = try await BuiltCommand.run("transcribe", "go.wav", "--grammar", "a.gram", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward ten meters\n")
  }

  @Test func `a bad grammar ends the command with its line, whatever files follow`() async throws {
    try folder.speech("go.wav")
    try Data("#JSGF V1.0;\ngrammar a;\npublic <a> = go blorfle;\n".utf8)
      .write(to: folder.file("a.gram"))
    let run = try await BuiltCommand.run(
      "transcribe", "go.wav", "go.wav", "--grammar", "a.gram", in: folder)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("line 3") && run.error.contains("blorfle"))
  }
}
