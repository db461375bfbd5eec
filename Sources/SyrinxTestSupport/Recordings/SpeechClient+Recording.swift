import AudioCore
import AudioRecorderClient
import ClientDependencies
import FilePaths
public import Foundation
import SoundFile
public import SpeechClient

extension SpeechClient {
  /// Returns this client with tasks that also record all elements, for `replaying(_:)`.
  ///
  /// The file consists of JSON lines. The first line is `{"format":"syrinx-speech","version":1}`.
  /// Each other line has "task" (the call of `startTask` or `recognition`, counted from 0), "ns"
  /// (nanoseconds since the call, on `\.continuousClock`), and one of the following:
  ///
  /// - "result", with "utterance", "final", "words" ("word", "startNs", "durationNs", "confidence",
  ///   "alternatives"), "stable" (the number of stable words), "alternatives" (lists of words), and
  ///   "metadata"
  /// - "event", with "kind", "ns", "endNs", and "reason" and "failed" for dropped audio
  /// - "failed", with "kind", "reason", and the error of the "recorder" if the microphone failed
  /// - "finished"
  ///
  /// Audio from buffers is in a 32-bit float WAV file: `talk-0.wav` beside `talk.jsonl` for the
  /// first task. Captures of microphones, with their times, gaps, and errors, are a recording of
  /// `AudioRecorderClient.recordingCapture(to:)`: `talk-microphone.jsonl` beside `talk.jsonl`, for
  /// `replayingCapture`.
  ///
  /// The first task overwrites an existing file. If the file cannot be written, the task's stream
  /// throws.
  public func recording(to url: URL) throws -> SpeechClient {
    let journal = try RecordingJournal(url: url, header: .speech)
    let microphones = try RecordingJournal(url: microphoneURL(beside: url), header: .capture)
    var client = self
    client.startTask = { request in
      await journal.recorded { task in
        let request = request.keepingBuffers(in: soundURL(of: task, beside: url))
        return await request.withMicrophone(recordedIn: microphones) {
          await self.startTask(request: request)
        }
      } note: { result, task, ns in
        try await journal.note(RecordedLine(task: task, ns: ns, result: RecordedResult(result)))
      }
    }
    client.recognition = { request in
      await journal.recorded { task in
        let request = request.keepingBuffers(in: soundURL(of: task, beside: url))
        return await request.withMicrophone(recordedIn: microphones) {
          await self.recognition(request: request)
        }
      } note: { event, task, ns in
        try await journal.note(RecordedLine(task: task, ns: ns, event: event))
      }
    }
    return client
  }
}

extension RecordedLine {
  fileprivate init(task: Int, ns: Int64, event: SpeechRecognitionEvent) {
    if case .result(let result) = event {
      self.init(task: task, ns: ns, result: RecordedResult(result))
    } else {
      self.init(task: task, ns: ns, event: RecordedEvent(event))
    }
  }
}

extension SpeechRequest {
  /// Returns the request with its buffers also written to a file; other requests are unchanged.
  fileprivate func keepingBuffers(in url: URL) -> SpeechRequest {
    var request = self
    if case .buffers(let buffers) = source { request.source = .buffers(teed(buffers, to: url)) }
    return request
  }

  /// Runs `start` with a recorder whose captures are recorded, if the request has a microphone.
  fileprivate nonisolated(nonsending) func withMicrophone<Value>(
    recordedIn journal: RecordingJournal,
    _ start: nonisolated(nonsending) () async -> Value
  ) async -> Value {
    guard case .microphone = source else { return await start() }
    @Dependency(\.audioRecorder) var recorder
    let recorded = recorder.recordingCapture(in: journal)
    return await withDependencies {
      $0.audioRecorder = recorded
    } operation: {
      await start()
    }
  }
}

private func teed(
  _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable, to url: URL
) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
  buffers.teed(to: url, encoding: .wavFloat)
}

extension SpeechClient {
  /// Returns a client whose tasks yield a recording of `recording(to:)`.
  ///
  /// The results and events are yielded at the recorded times on `\.continuousClock`.
  ///
  /// The calls of `startTask` and `recognition` get the recorded tasks in order. Neither the request
  /// nor the recorded function has to be the same. The audio of a request is not read. A
  /// further call throws `ReplayError.noMoreTasks`. `finishTask` yields the remaining events at
  /// once. The client is authorized, and has no locales and no engines.
  ///
  /// - Throws: `ReplayError.unreadable`.
  public static func replaying(_ url: URL) throws -> SpeechClient {
    let replay = Replay(try RecordedTasks(url: url, header: .speech))
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { _ in replay.results() },
      recognition: { _ in replay.events() },
      finishTask: { replay.hurry() },
      supportedLocales: { [] },
      engines: { [] })
  }
}

extension Replay {
  /// Returns the results of the next task.
  fileprivate func results() -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    do {
      let (_, lines, pace) = try begin()
      return ReplayedStream.replaying(lines.filter { $0.event == nil }, pace: pace) {
        $0.result?.value
      }
    } catch {
      return .finished(throwing: error)
    }
  }

  /// Returns the events of the next task.
  ///
  /// If only results were recorded, the events are derived from them.
  fileprivate func events() -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    do {
      let (_, lines, pace) = try begin()
      guard lines.contains(where: { $0.event != nil }) else {
        return SpeechRecognitionEvent.events(
          of: ReplayedStream.replaying(lines, pace: pace) { $0.result?.value })
      }
      return ReplayedStream.replaying(lines, pace: pace) { line in
        line.event?.value ?? line.result.map { .result($0.value) }
      }
    } catch {
      return .finished(throwing: error)
    }
  }
}

/// The events of each task of a recording, in order.
struct RecordedTasks {
  let tasks: [[RecordedLine]]

  init(url: URL, header: RecordedHeader) throws(ReplayError) {
    let data: Data
    do throws(FilePathError) {
      data = Data(try FilePath(url).contents())
    } catch {
      throw .unreadable(reason: "\(FilePath(url)) cannot be read: \(error.readingReason)")
    }
    let lines = data.split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first, let found = try? Self.decode(RecordedHeader.self, first),
      found == header
    else {
      throw .unreadable(
        reason: "\(FilePath(url)) is not a recording of the format \(header.format), version "
          + "\(header.version), according to its first line")
    }
    var tasks: [Int: [RecordedLine]] = [:]
    for (index, line) in lines.enumerated().dropFirst() {
      do {
        let line = try Self.decode(RecordedLine.self, line)
        // Each task has at least one line, so a task number is less than the number of lines.
        guard (0..<lines.count).contains(line.task), line.block?.frames ?? 0 >= 0 else {
          throw Damage(line: line)
        }
        tasks[line.task, default: []].append(line)
      } catch let error as UnknownName {
        throw .unreadable(
          reason: "\(FilePath(url)), line \(index + 1), was recorded by a newer version: \(error)")
      } catch {
        throw .unreadable(reason: "\(FilePath(url)), line \(index + 1), is damaged: \(error)")
      }
    }
    self.tasks = (0..<((tasks.keys.max() ?? -1) + 1)).map { tasks[$0] ?? [] }
  }

  /// The reason that a line is invalid, although it is valid JSON.
  private struct Damage: Error, CustomStringConvertible {
    let line: RecordedLine

    var description: String {
      "it belongs to task \(line.task)" + (line.block.map { " and has \($0.frames) frames" } ?? "")
    }
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ line: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: line)
  }
}
