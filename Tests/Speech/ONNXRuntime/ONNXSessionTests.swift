import AudioThreads
import FilePaths
import Foundation
import Synchronization
import TestTools
import Testing

@testable import ONNXRuntime

@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(5))) struct ONNXSessionTests {
  private let library: ONNXLibrary
  private let folder: TestFolder

  init() throws {
    library = try ONNXComponents.library()
    folder = try TestFolder()
  }

  private func session(
    _ model: Message, options: ONNXSessionOptions = ONNXSessionOptions()
  ) throws -> ONNXSession {
    try ONNXSession(
      model: model.write(to: folder.file("model.onnx")), in: library, options: options)
  }

  private func row(_ values: [Float]) throws -> ONNXValue {
    try ONNXValue(values, shape: [1, values.count], in: library)
  }

  @Test func `a real model that is mapped into memory has inputs and outputs, and runs`() throws {
    var options = ONNXSessionOptions()
    options.mapsWeights = true
    let session = try ONNXSession(
      model: ONNXComponents.path("moonshine-base-en/encoder_model.ort"), in: library,
      options: options)
    #expect(session.inputs == [ONNXPort("input_values", .float, [nil, nil])])
    #expect(session.outputs.map(\.name) == ["last_hidden_state"])
    let audio = try ONNXValue(of: Float.self, shape: [1, 16_000], in: library) { memory in
      for index in memory.indices { memory[index] = Float(index % 100) / 1_000 }
    }
    let results = try session.run([("input_values", audio)], outputs: ["last_hidden_state"])
    #expect(results[0].shape == [1, 40, 416])
    let isFinite = try results[0].withElements(of: Float.self) { $0.allSatisfy(\.isFinite) }
    #expect(isFinite)
    session.releasePages()
    let again = try session.run([("input_values", audio)], outputs: ["last_hidden_state"])
    #expect(
      try again[0].withElements(of: Float.self) { Array($0) }
        == results[0].withElements(of: Float.self) { Array($0) })
  }

  @Test func `an output is read without a copy and can be the input of another run`() throws {
    let session = try session(TinyModel.doubling)
    let once = try session.run([("x", row([1, 2, 3]))], outputs: ["y"])
    let twice = try session.run([("x", once[0])], outputs: ["y"])
    #expect(twice[0].shape == [1, 3])
    #expect(
      try twice[0].withElements { (values: UnsafeBufferPointer<Float>) in Array(values) } == [
        4, 8, 12,
      ])
  }

  @Test func `an output outlives its session, and may have no elements`() throws {
    let value = try session(TinyModel.doubling).run([("x", row([21]))], outputs: ["y"])[0]
    #expect(try value.withElements(of: Float.self) { $0[0] } == 42)
    let empty = try session(TinyModel.doubling).run([("x", row([]))], outputs: ["y"])[0]
    #expect(empty.shape == [1, 0])
    #expect(try empty.withElements(of: Float.self) { $0.count } == 0)
  }

  @Test func `several threads can share a session`() async throws {
    let session = try session(TinyModel.doubling)
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          (try? (0..<100).allSatisfy { index in
            let input = try self.row([Float(task * 1_000 + index)])
            let result = try session.run([("x", input)], outputs: ["y"])[0]
            return try result.withElements(of: Float.self) { $0[0] }
              == Float(2 * (task * 1_000 + index))
          }) ?? false
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func `a value of the wrong type or shape is an error, and so is an unknown name`() throws {
    let session = try session(TinyModel.doubling)
    let number = try ONNXValue([Int64(1)], shape: [1, 1], in: library)
    let column = try ONNXValue([Float(1)], shape: [1], in: library)
    for value in [number, column] {
      #expect {
        try session.run([("x", value)], outputs: ["y"])
      } throws: { error in
        guard case .failed(let reason) = error as? ONNXError else { return false }
        return reason.contains("x") && reason.contains("nexpected input")
          || reason.contains("nvalid rank")
      }
    }
    #expect {
      try session.run([("z", row([1]))], outputs: ["y"])
    } throws: { "\($0)".contains("no input or output \"z\"") }
    #expect(throws: ONNXError.failed(reason: "a tensor of float was read as int64")) {
      try column.withElements(of: Int64.self) { $0[0] }
    }
  }

  @Test func `the error for a model with unexpected inputs names the input`() throws {
    let session = try session(TinyModel.doubling)
    let (x, y) = (
      ONNXPort("x", .float, [1, nil]), ONNXPort("y", .float, [nil, nil])
    )
    try session.require(inputs: [x], outputs: [y])
    func reason(_ inputs: [ONNXPort], _ outputs: [ONNXPort] = []) -> String? {
      do throws(ONNXError) {
        try session.require(inputs: inputs, outputs: outputs)
        return nil
      } catch {
        guard case .modelUnusable(session.path, let reason) = error else { return nil }
        return reason
      }
    }
    #expect(reason([]) == "it has an input \"x\", which is unknown")
    #expect(reason([x, ONNXPort("sr", .int64, [])]) == "it has no input \"sr\"")
    #expect(
      reason([ONNXPort("x", .int64, [1, nil])])
        == "its input \"x\" is float [1, ?] instead of int64 [1, ?]")
    #expect(
      reason([ONNXPort("x", .float, [2, 576])])
        == "its input \"x\" is float [1, ?] instead of float [2, 576]")
    #expect(reason([x], [ONNXPort("state", .float, [])]) == "it has no output \"state\"")
  }

  @Test func `a run throws an error if its options were terminated before the run`() throws {
    let session = try session(TinyModel.endless)
    let run = try ONNXRun(in: library)
    // Calls the C function directly, because after `terminate` the run would not even begin.
    try library.functions.check(library.functions.setTerminate(run.options.pointer))
    #expect(throws: ONNXError.self) {
      try session.run(endlessInputs(), outputs: ["y"], as: run)
    }
  }

  @Test func `another thread terminates an endless run and all later runs`()
    async throws
  {
    let session = try session(TinyModel.endless)
    let run = try ONNXRun(in: library)
    let inputs = try endlessInputs()
    let outcome = Mutex<ONNXError?>(nil)
    let clock = Mutex<clockid_t?>(nil)
    let thread = try DedicatedThread.start(name: "endless") {
      var ofThread = clockid_t()
      pthread_getcpuclockid(pthread_self(), &ofThread)
      clock.withLock { $0 = ofThread }
      do throws(ONNXError) {
        _ = try session.run(inputs, outputs: ["y"], as: run)
      } catch {
        outcome.withLock { $0 = error }
      }
    }
    // After this much CPU time, the thread is certainly within the run.
    while clock.withLock({ $0.map(Self.seconds) }) ?? 0 < 0.02 { await Task.yield() }
    run.terminate()
    await thread.join()
    #expect(outcome.withLock { $0 } == .terminated)
    #expect(throws: ONNXError.terminated) {
      try session.run(inputs, outputs: ["y"], as: run)
    }
  }

  /// Returns the time of a clock in seconds.
  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func endlessInputs() throws -> [(name: String, value: ONNXValue)] {
    [
      ("count", try ONNXValue([Int64.max], shape: [], in: library)),
      ("go", try ONNXValue([true], shape: [], in: library)), ("x", try row([1])),
    ]
  }

  @Test func `the error for a file that is missing or is not a model contains the file's name`()
    throws
  {
    let path = try Message().text(1, "no model").write(to: folder.file("model.onnx"))
    #expect {
      try ONNXSession(model: path, in: library)
    } throws: { error in
      guard case .modelUnusable(path, _) = error as? ONNXError else { return false }
      return true
    }
    var mapped = ONNXSessionOptions()
    mapped.mapsWeights = true
    let missing = FilePath(folder.file("missing.ort"))
    #expect(throws: ONNXError.fileMissing(path: missing)) {
      try ONNXSession(model: missing, in: library, options: mapped)
    }
  }

  @Test func `running out of memory is an error`() async throws {
    let model = try ONNXComponents.path("moonshine-base-en/decoder_model_merged.ort").text
    let library = try ONNXComponents.path("onnxruntime/libonnxruntime.so")
    await #expect(processExitsWith: .success) {
      [model = model as String, path = library.text as String] in
      let library = try ONNXLibrary(path: FilePath(path))
      // The limit is the memory in use plus 4 MiB.
      let pages = try FilePath("/proc/self/statm").contents().prefix { $0 != 32 }
      let size = (UInt(String(decoding: pages, as: UTF8.self)) ?? 0) * 4_096 + 4 << 20
      var limit = rlimit(rlim_cur: size, rlim_max: size)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      do throws(ONNXError) {
        _ = try ONNXSession(model: FilePath(model), in: library)
        exit(1)
      } catch {
        guard case .outOfMemory = error else { exit(2) }
      }
    }
  }

  @Test func `the library prints nothing, even on errors`() async throws {
    let model = try TinyModel.doubling.write(to: folder.file("model.onnx")).text
    let broken = try Message().text(1, "no model").write(to: folder.file("broken.onnx")).text
    let library = try ONNXComponents.path("onnxruntime/libonnxruntime.so").text
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [model = model as String, broken = broken as String, library = library as String] in
      let library = try ONNXLibrary(path: FilePath(library))
      #expect(throws: ONNXError.self) { try ONNXSession(model: FilePath(broken), in: library) }
      let session = try ONNXSession(model: FilePath(model), in: library)
      let wrong = try ONNXValue([Int64(1)], shape: [1, 1], in: library)
      #expect(throws: ONNXError.self) { try session.run([("x", wrong)], outputs: ["y"]) }
    }
    #expect(result?.standardOutputContent.isEmpty == true)
    #expect(result?.standardErrorContent.isEmpty == true)
  }
}
