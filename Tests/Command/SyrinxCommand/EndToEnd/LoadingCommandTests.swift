import AudioThreads
import Foundation
import TestTools
import Testing

/// Runs commands with a fake ONNX Runtime, which loads the model for as long as the test requires.
@Suite(.timeLimit(.minutes(5))) struct LoadingCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.speech("speech.wav")
    try Data("#JSGF V1.0; public <go> = go forward;".utf8).write(to: folder.file("go.gram"))
    try FileManager.default.createDirectory(
      at: folder.file("model"), withIntermediateDirectories: true)
    for name in ["encoder_model.ort", "decoder_model_merged.ort"] {
      try Data("model".utf8).write(to: folder.file("model/\(name)"))
    }
    let tokens = ["<unk>", "<s>", "</s>"].map { [UInt8($0.utf8.count)] + Array($0.utf8) }
    try Data(tokens.joined()).write(to: folder.file("model/tokenizer.bin"))
  }

  private func library() throws -> String {
    let source = Checkout.file("Tests/Support/ONNX/fake-onnxruntime.c").path
    let library = folder.file("libonnxruntime.so").path
    try Tool.run(
      "cc", package: "gcc",
      ["-shared", "-fPIC", "-DGATE", "-DVERSION=\"1.28.2\"", "-o", library, source])
    return library
  }

  @Test func `a signal ends a command at once while its model loads`()
    async throws
  {
    let gate = folder.file("gate").path
    #expect(mkfifo(gate, 0o600) == 0)
    let run = try RunningCommand(
      arguments: [
        "transcribe", "--engine", "moonshine", "--model", "model", "--grammar", "go.gram",
        "--output-dir", "out", "speech.wav",
      ], in: folder,
      environment: [
        "SYRINX_ONNXRUNTIME_LIBRARY": try library(), "SYRINX_TEST_GATE": gate,
      ], watching: .error)
    // The thread blocks in `open` until the library has begun to load the model.
    let opened = Gate()
    let file = try DedicatedThread.start(name: "gate") {
      let file = open(gate, O_WRONLY)
      opened.open()
      _ = file
    }
    await opened.wait()
    await file.join()
    run.send(SIGINT)
    #expect(await run.status() == 130)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/speech.txt").path))
  }
}
