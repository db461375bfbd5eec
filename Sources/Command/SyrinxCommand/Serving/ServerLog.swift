import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import FoundationEssentials
import SpeechClient
import Wyoming
import SpeechServer

/// The log of `syrinx serve` on standard error.
///
/// It omits the transcripts.
struct ServerLog: Sendable {
  /// The format of a line.
  enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

  let console: Console
  let format: Format
  /// Whether to write only losses, faults, and the address of the metrics.
  let onlyErrors: Bool

  @Dependency(\.date) private var date

  init(console: Console, format: Format, onlyErrors: Bool) {
    (self.console, self.format, self.onlyErrors) = (console, format, onlyErrors)
  }

  func write(_ report: SpeechServerReport) async {
    if onlyErrors && !report.isError { return }
    let report = report.shortened
    await write(report.sentence, JSONRecord(report))
  }

  func writeListening(on endpoint: SpeechServer.Endpoint) async {
    if case .metrics = endpoint {
      return await write(
        "metrics are at \(endpoint)", ["event": "metrics", "address": "\(endpoint)"])
    }
    if onlyErrors { return }
    await write(
      "listening on \(endpoint); press Ctrl-C to stop",
      ["event": "listening", "address": "\(endpoint)"])
  }

  func writeNotice(_ sentence: String) async {
    if onlyErrors { return }
    await write(sentence, ["event": "notice", "reason": sentence])
  }

  private func write(_ sentence: String, _ record: JSONRecord) async {
    switch format {
    case .text: await console.report(sentence)
    case .json:
      var record = record
      record["time"] = date.now.ISO8601Format()
      // JSON can express finite numbers and texts, so encoding the fields cannot fail.
      if let line = try? record.jsonLine() { await console.log(line) }
    }
  }
}

/// Creates the records of the log with `--log-format json`; durations are in seconds.
extension JSONRecord {
  /// The help text about the JSON output.
  static let serverSchema = """
    Standard error gets a line for each connection, each HTTP response, each transcript, each loss of \
    audio, and each fault, but never the text of what was spoken. With --log-format json, each line is \
    an object with "time" (UTC) and an "event": listening and metrics with "address", connected with \
    "client" (a number) and "address", responded with "client", "method", "path", "status" (499 for a \
    client that left), and "elapsed" (seconds), recognized with "client", "audio", and "elapsed" \
    (seconds from the beginning of the audio to the transcript), dropped with "client", "start" and \
    "end" (seconds from the beginning of the audio), the "reason" \
    (slow, engine, gap, nonFinite, or unintelligible), and its "text", \
    failed with "client" and the "code" and "reason" of the client's error event, announced with \
    "name", notAnnounced with "reason", or notice with "reason", a better engine that is installed \
    elsewhere.
    """

  fileprivate init(_ report: SpeechServerReport) {
    switch report {
    case .connected(let client, let address):
      self = ["event": "connected", "client": client, "address": "\(address)"]
    case .recognized(let client, let audio, let elapsed):
      self = [
        "event": "recognized", "client": client, "audio": audio.inRecordSeconds,
        "elapsed": elapsed.inRecordSeconds,
      ]
    case .responded(let client, let method, let path, let status, let elapsed):
      self = [
        "event": "responded", "client": client, "method": method, "path": path, "status": status,
        "elapsed": elapsed.inRecordSeconds,
      ]
    case .dropped(let client, let range, let reason):
      self = [
        "event": "dropped", "client": client, "start": range.lowerBound.inRecordSeconds,
        "end": range.upperBound.inRecordSeconds, "reason": reason.name,
        "text": reason.sentence(about: range),
      ]
    case .failed(let client, let code, let reason):
      self = ["event": "failed", "client": client, "code": code, "reason": reason]
    case .announced(let name): self = ["event": "announced", "name": name]
    case .notAnnounced(let reason): self = ["event": "notAnnounced", "reason": reason]
    }
  }
}

extension SpeechServerReport {
  /// The report with at most 200 characters of each text, because a text may come from a client.
  ///
  /// Control characters are not escaped here, but in each format of the log.
  fileprivate var shortened: SpeechServerReport {
    let longest = 200
    return switch self {
    case .failed(let client, let code, let reason):
      .failed(client: client, code: code, reason: reason.shortened(to: longest))
    case .announced(let name): .announced(name: name.shortened(to: longest))
    case .notAnnounced(let reason): .notAnnounced(reason: reason.shortened(to: longest))
    case .responded(let client, let method, let path, let status, let elapsed):
      .responded(
        client: client, method: method.shortened(to: longest), path: path.shortened(to: longest),
        status: status, elapsed: elapsed)
    case .connected, .recognized, .dropped: self
    }
  }

  fileprivate var isError: Bool {
    switch self {
    case .connected, .recognized, .responded, .announced: false
    case .dropped, .failed, .notAnnounced: true
    }
  }

  /// The human-readable line.
  fileprivate var sentence: String {
    switch self {
    case .connected(let client, let address): "client \(client) connected from \(address)"
    case .recognized(let client, let audio, let elapsed):
      "client \(client): recognized \(audio.secondsText) of audio in \(elapsed.secondsText)"
    case .responded(let client, let method, let path, let status, let elapsed):
      "client \(client): \(method) \(path): \(status) in \(elapsed.secondsText)"
    case .dropped(let client, let range, let reason):
      "client \(client): \(reason.sentence(about: range))"
    case .failed(let client, let code, let reason): "client \(client): \(reason) (\(code))"
    case .announced(let name): "announced in the local network as \(name)"
    case .notAnnounced(let reason): "not announced in the local network: \(reason)"
    }
  }
}

extension String {
  /// Returns the text with at most `length` code points; a longer text ends with `…`.
  fileprivate func shortened(to length: Int) -> String {
    let beginning = unicodeScalars.prefix(length)
    return beginning.endIndex == endIndex ? self : String(beginning) + "…"
  }
}
