import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths
import Glibc
import NIOCore
import NIOHTTP1
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization

extension HTTPService {
  /// Answers a request to transcribe or translate a file.
  func transcribe(_ exchange: HTTPExchange, _ translates: Bool) async throws {
    try clients.beginUpload(exchange.client)
    defer { clients.endUpload(exchange.client) }
    let upload = try await Upload(
      from: exchange, translates: translates, limit: options.uploadLimit, uploadThreads)
    let parameters = try TranscriptionParameters(upload.form)
    try await exchange.watch.recognizing {
      let models = await ServerModel.installed()
      let model = models.first { $0.id == parameters.model }
      if model == nil {
        let notice =
          "there is no model \(quoted(parameters.model)), so the default serves; "
          + "GET /v1/models lists the models"
        exchange.fields.add(name: "Syrinx-Notice", value: notice.asField)
      }
      try await withPlace(for: exchange) {
        try await recognize(upload, parameters, by: model, for: exchange)
      }
    }
  }

  private func recognize(
    _ upload: Upload, _ parameters: TranscriptionParameters, by model: ServerModel?,
    for exchange: HTTPExchange
  ) async throws {
    @Dependency(\.continuousClock) var clock
    let stopwatch = Stopwatch(clock)
    let audio = Mutex((length: Duration.zero, shortfall: String?.none))
    let buffers = upload.buffers { shortfall in audio.withLock { $0.shortfall = shortfall } }
      .map { buffer in
        audio.withLock { $0.length += buffer.duration }
        return buffer
      }
    var request = options.prepare(
      SpeechRequest(buffers: buffers, shouldReportPartialResults: false))
    model?.apply(to: &request)
    parameters.apply(to: &request)
    let (engine, language) = await engine(of: model, for: request)
    exchange.fields.add(name: "Syrinx-Model", value: engine.asField)
    var response = TranscriptionResponse(parameters)
    do {
      var failure: String?
      let events = await options.recognition(
        of: request, for: exchange.client, by: speechClient, with: model?.engine)
      for try await event in events {
        switch event {
        case .result(let result):
          try await send(response.add(result), of: response, to: exchange)
        case .dropped(let range, .engineFailed(let error)):
          failure =
            failure ?? "\(range.lowerBound.secondsText) to \(range.upperBound.secondsText) "
            + "of the audio were not recognized: \(error)"
        default: break
        }
      }
      try Task.checkCancellation()
      let (length, shortfall) = audio.withLock { $0 }
      guard length > .zero else {
        throw SoundFileError.silent(path: upload.name, what: "a sound file")
      }
      let warning = [shortfall.map { "the file is incomplete: \($0)" }, failure]
        .compactMap { $0 }.joined(separator: "; ")
      if !warning.isEmpty { exchange.fields.add(name: "Syrinx-Warning", value: warning.asField) }
      let rest = response.end(
        duration: length, language: language, warning: warning.isEmpty ? nil : warning)
      await options.reportTranscript(
        of: length, after: stopwatch.elapsed(), for: exchange.client)
      guard parameters.streams else {
        return try await exchange.respond(type: response.contentType, Array(rest.utf8))
      }
      if exchange.status == nil { try await begin(response, to: exchange) }
      try await exchange.finish(Array(rest.utf8))
    } catch let error where !Task.isCancelled && !(error is ChannelError) {
      let fault = HTTPFault(recognition: error, parameters)
      if exchange.status != nil {
        // The client of a stream gets the fault as its last event.
        try await exchange.finish(Array("data: ".utf8) + fault.body + Array("\n\n".utf8))
      }
      throw fault
    }
  }

  /// Sends events of a stream, whose response begins with the first of them.
  private func send(
    _ events: String, of response: TranscriptionResponse, to exchange: HTTPExchange
  ) async throws {
    guard !events.isEmpty else { return }
    if exchange.status == nil { try await begin(response, to: exchange) }
    try await exchange.write(Array(events.utf8))
  }

  private func begin(_ response: TranscriptionResponse, to exchange: HTTPExchange) async throws {
    try await exchange.begin(type: response.contentType, fields: ["Cache-Control": "no-cache"])
  }

  /// Returns the name of the engine that serves a request, and the language of its model.
  private func engine(
    of model: ServerModel?, for request: SpeechRequest
  ) async -> (name: String, language: String?) {
    @Dependency(\.speechEngine) var usual
    let engine = model?.engine ?? usual
    var choice = SpeechSessionOptions(language: request.locale)
    choice.translates = request.translates
    // The engine may read files.
    return await DedicatedThread.run(
      name: "syrinx-engine", abandoned: (engine.name, nil), failed: { _ in (engine.name, nil) }
    ) { [choice] in
      let chosen = engine.choose(choice) ?? engine
      // A remote engine would wait for its server.
      return (chosen.name, chosen.isRemote ? nil : chosen.models().first?.language)
    }
  }
}

/// An uploaded form, whose file is in a file without a name, and therefore never kept.
private struct Upload {
  /// The maximum number of bytes besides the file.
  private static let otherLimit = 16 << 20

  private(set) var form: TranscriptionForm
  /// The name that the client gave the file, for errors.
  private(set) var name = "the file"
  private let file: Descriptor
  private let threads: ThreadPool

  /// Receives a form.
  ///
  /// - Throws: a fault with the status 400, 413, or 415, or 507 if there is no room for the file.
  init(
    from exchange: HTTPExchange, translates: Bool, limit: Int, _ pool: SharedThreadPool
  ) async throws {
    var reader = try MultipartReader(
      contentType: exchange.head.headers.first(name: "Content-Type"))
    // A small compressed body could be a very large form.
    let encodings = exchange.head.headers[canonicalForm: "Content-Encoding"]
    if let encoding = encodings.first(where: { $0.lowercased() != "identity" }) {
      throw HTTPFault(
        .unsupportedMediaType, code: "unsupported_content_encoding",
        "the body has the encoding \(quoted(encoding)); send it as it is")
    }
    let announced = exchange.head.headers.first(name: "Content-Length").flatMap(Int.init) ?? 0
    guard announced <= limit + Self.otherLimit else { throw Self.tooLarge(limit) }
    form = TranscriptionForm(translates: translates)
    do {
      threads = try pool.pool()
    } catch {
      throw HTTPFault(.serviceUnavailable, code: "busy", "the file cannot be stored: \(error)")
    }
    file = try await Self.stored(on: threads) {
      // Once the pending file is released, its file has no name anywhere.
      let path = FilePath.temporaryFolder.appending("syrinx-upload").text
      let file = try PendingFile(for: path).descriptor
      _ = fchmod(file.number, 0o600)
      return file
    }
    var (isFile, fileSize, size) = (false, 0, 0)
    while let piece = try await exchange.nextPiece() {
      size += piece.readableBytes
      guard size - fileSize <= Self.otherLimit + piece.readableBytes else {
        throw Self.tooLarge(limit)
      }
      reader.add(piece.readableBytesView)
      while let part = try reader.next() {
        switch part {
        case .field(let name, let fileName):
          isFile = try form.begin(name)
          if isFile, let fileName, !fileName.isEmpty { self.name = fileName }
        case .data(let data) where isFile:
          fileSize += data.count
          guard fileSize <= limit else { throw Self.tooLarge(limit) }
          try await write(data)
        case .data(let data): try form.add(data)
        case .end: break
        }
      }
    }
    try reader.finish()
    guard form.hasFile else {
      throw HTTPFault(
        .badRequest, param: "file", code: "missing_required_parameter",
        "the form has no file; add one, as in curl -F file=@talk.wav")
    }
    lseek(file.number, 0, SEEK_SET)
  }

  /// Returns the audio of the file.
  ///
  /// - Parameter onShortfall: called at the end of the stream if the end of the file is missing.
  func buffers(
    onShortfall: @escaping @Sendable (String) -> Void
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    SoundFile.buffers(
      ofFileDescriptor: file.number, name: name,
      onShortfall: { [file] shortfall in
        // The stream retains the file.
        withExtendedLifetime(file) { onShortfall("\(shortfall)") }
      })
  }

  private func write(_ bytes: [UInt8]) async throws {
    try await Self.stored(on: threads) { [file] in
      let code = bytes.withUnsafeBytes { writeAll($0, to: file.number) }
      guard code == 0 else {
        throw SoundFileError.cannotWrite(path: "upload", reason: String(cString: strerror(code)))
      }
    }
  }

  /// Runs blocking work on a thread of the pool.
  private static func stored<Value: Sendable>(
    on threads: ThreadPool, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        threads.perform { continuation.resume(with: Result { try work() }) }
      }
    } catch {
      throw HTTPFault(
        .insufficientStorage, code: "no_storage", "the server cannot store the file: \(error)")
    }
  }

  private static func tooLarge(_ limit: Int) -> HTTPFault {
    HTTPFault(
      .payloadTooLarge, param: "file", code: "file_too_large",
      "the file is larger than \(limit) bytes; send it in parts, or in a compressed format")
  }
}

extension HTTPFault {
  /// Creates the fault for an error of the recognition of a file.
  fileprivate init(recognition error: any Error, _ parameters: TranscriptionParameters) {
    switch error {
    case let fault as HTTPFault: self = fault
    case SoundFileError.cannotRead: self.init(.internalServerError, code: "failed", "\(error)")
    case is SoundFileError, is AudioStreamError:
      self.init(.badRequest, param: "file", code: "invalid_file", "\(error)")
    case SpeechClientError.unavailable where parameters.locale != nil:
      self.init(.badRequest, param: "language", code: "unsupported_language", "\(error)")
    case SpeechClientError.invalidRequest,
      SpeechClientError.unavailable where parameters.translates:
      self.init(.badRequest, code: "unsupported_by_model", "\(error)")
    default: self.init(ServerFault.recognition(error))
    }
  }
}

extension String {
  /// The text as the value of a header's field: one line of ASCII.
  fileprivate var asField: String {
    String(printableLine(atMost: 400).map { $0.isASCII ? $0 : "?" })
  }
}
