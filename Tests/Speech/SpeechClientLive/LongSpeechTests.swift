import AudioCore
import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine
import Synchronization
import Testing

@testable import SpeechClientLive

/// An hour of short utterances; a task must not retain any part of an utterance after its end.
@Suite(.timeLimit(.minutes(60))) struct LongSpeechTests {
  private let policy = EndpointPolicy(preRoll: .milliseconds(50), silence: .milliseconds(150))

  /// The results of a task, and its recognizer's contents after certain numbers of utterances.
  ///
  /// The source waits while the contents are counted.
  private struct Course {
    var held: [Holding] = []
    var starts: [Duration] = []
    var finals: [SpeechRecognitionResult] = []
    var sessions = SharedEngine.State()
  }

  private func course(utterances: Int, looks: [Int], jobCount: Int) async throws -> Course {
    let shared = SharedEngine()
    let speech = LongSpeech(utterances: utterances, stops: looks)
    let tasks = SpeechTasks()
    var request = SpeechRequest(buffers: speech, shouldReportPartialResults: jobCount == 1)
    request.endpointPolicy = policy
    request.jobCount = jobCount
    let events = withDependencies {
      $0.speechEngine = shared.engine
    } operation: {
      tasks.events(of: request)
    }
    let recognizer = try #require(tasks.all.first?.recognizer)
    var course = Course()
    for try await event in events {
      switch event {
      case .speechStarted(let time): course.starts.append(time)
      case .result(let result): course.finals += result.isFinal ? [result] : []
      case .speechEnded:
        guard let stop = speech.stops[course.starts.count] else { continue }
        course.held.append(await recognizer.holding)
        stop.open()
      default: Issue.record("\(event) is not expected")
      }
    }
    course.sessions = shared.counts
    return course
  }

  @Test(arguments: [(1, 2400), (2, 400)])
  func `neither the memory of a task nor the number of its sessions grows`(
    jobCount: Int, count: Int
  ) async throws {
    // The first snapshot is taken after more than six seconds, because the detector always holds
    // the levels of the last six seconds.
    let course = try await course(
      utterances: count, looks: [20, count / 2, count], jobCount: jobCount)
    #expect(course.held.map { $0.samples < 16_000 } == [true, true, true], "\(course.held)")
    // Retaining a single value for every tenth utterance would exceed the limit.
    let least = course.held.map(\.others).min() ?? 0
    #expect(
      course.held.map { $0.others < least + count / 10 } == [true, true, true], "\(course.held)")
    #expect(course.sessions.mostSessions <= jobCount)
    #expect(jobCount > 1 || course.sessions.made == 1)
    // Every utterance has one final result and correct times, even the last one.
    #expect(course.finals.map(\.utterance) == Array(0..<count))
    #expect(course.starts == (0..<count).map { LongSpeech.lead + LongSpeech.period * $0 })
  }

  @Test func `the queues between source and consumer retain no elements that have been read`() {
    let buffer = AudioBuffer(silence: 1600, format: .speech)
    var intake = [IntakeQueue(.wait), IntakeQueue(.buffer(upTo: .seconds(1)))]
    var events = PolicyQueue(policy: .events(limit: 16))
    func pass(_ index: Int) {
      var next = buffer
      // Some frames are missing before every hundredth buffer.
      next.firstFrame = FrameCount(index * 1600 + index / 100 * 16)
      for queue in intake.indices {
        intake[queue].add(next)
        _ = intake[queue].next()
      }
      events.send(.speechStarted(at: .zero))
      events.send(.lagging(by: .zero))
      _ = (events.next(), events.next())
    }
    func held() -> [Holding] {
      [Holding(of: intake[0]), Holding(of: intake[1]), Holding(of: events)]
    }
    for index in 0..<150 { pass(index) }
    let early = held()
    for index in 150..<36_000 { pass(index) }
    #expect(held() == early)
  }
}

/// A second of quiet, then a tenth of a second of speech and two tenths of quiet, repeatedly;
/// before some utterances, the stream waits for a gate.
private final class LongSpeech: AsyncSequence, AsyncIteratorProtocol, Sendable {
  static let lead = Duration.seconds(1)
  static let period = Duration.milliseconds(300)
  /// The number of buffers before the first speech.
  private static let before = 10

  /// The gates to wait for, by the number of utterances before them.
  let stops: [Int: Gate]
  private let quiet: AudioBuffer
  private let loud: AudioBuffer
  private let count: Int
  private let given = Atomic(0)

  init(utterances: Int, stops: [Int]) {
    // The sound is a tone, because the voicing of a tone is measured faster than that of noise.
    (quiet, loud) = (Self.tenth(amplitude: 0.001), Self.tenth(amplitude: 0.2))
    count = Self.before + utterances * 3
    self.stops = Dictionary(uniqueKeysWithValues: stops.map { ($0, Gate()) })
  }

  private static func tenth(amplitude: Float) -> AudioBuffer {
    AudioSignal.sine(400, amplitude: amplitude).buffer(1600, format: .speech)
  }

  func makeAsyncIterator() -> LongSpeech { self }

  func next() async -> AudioBuffer? {
    let index = given.wrappingAdd(1, ordering: .relaxed).oldValue
    let (utterance, place) = (index - Self.before).quotientAndRemainder(dividingBy: 3)
    let isLoud = index >= Self.before && place == 0
    if isLoud, let stop = stops[utterance] { await stop.wait() }
    guard index < count else { return nil }
    var buffer = isLoud ? loud : quiet
    buffer.firstFrame = FrameCount(index * 1600)
    return buffer
  }
}

/// The contents of an inspected value: its samples and its other values, counted by reflection.
struct Holding: Equatable {
  /// The number of samples in all arrays of the inspected value.
  var samples = 0
  /// The number of values in the inspected value that are not samples in an array.
  var others = 0

  init(of value: Any) {
    var seen: Set<ObjectIdentifier> = []
    count(value, &seen)
  }

  private mutating func count(_ value: Any, _ seen: inout Set<ObjectIdentifier>) {
    if let floats = value as? [Float] {
      samples += floats.count
      return
    }
    if type(of: value) is AnyClass {
      guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
    }
    others += 1
    for child in Mirror(reflecting: value).children { count(child.value, &seen) }
  }
}

extension Recognizer {
  var holding: Holding { Holding(of: self) }
}
