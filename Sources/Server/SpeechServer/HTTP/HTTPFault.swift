import FilePaths
import NIOHTTP1
import Wyoming

/// The reason that a request gets no result, which is answered in the shape of OpenAI's errors.
struct HTTPFault: Error, Equatable {
  var status: HTTPResponseStatus
  /// The parameter at fault; nil if the fault concerns the whole request.
  var param: String?
  /// A stable name for programs, such as `invalid_value`.
  var code: String?
  /// A sentence for people.
  var message: String
  /// Additional fields of the response's header, such as `Retry-After`.
  var fields: HTTPHeaders = [:]

  init(
    _ status: HTTPResponseStatus, param: String? = nil, code: String? = nil, _ message: String,
    fields: HTTPHeaders = [:]
  ) {
    (self.status, self.param, self.code, self.message) = (status, param, code, message)
    self.fields = fields
  }

  /// OpenAI's class of the error, which follows from the status.
  var type: String {
    switch status.code {
    case 429: "rate_limit_error"
    case 500...: "server_error"
    default: "invalid_request_error"
    }
  }

  /// The body of the response, in which a missing parameter or code is null.
  var body: [UInt8] {
    let error: JSONValue = [
      "code": code.map(JSONValue.string) ?? .null, "message": .string(message),
      "param": param.map(JSONValue.string) ?? .null, "type": .string(type),
    ]
    return (["error": error] as JSONValue).text
  }

  /// Creates the response for a fault of any protocol.
  init(_ fault: ServerFault) {
    switch fault.code {
    case "busy":
      self.init(.tooManyRequests, code: "busy", fault.text, fields: ["Retry-After": "5"])
    case "unavailable": self.init(.serviceUnavailable, code: fault.code, fault.text)
    default: self.init(.internalServerError, code: fault.code, fault.text)
    }
  }
}

/// Returns foreign text in quotation marks, on one line of at most 80 characters.
func quoted(_ text: some StringProtocol) -> String {
  "\"\(String(text).printableLine(atMost: 80))\""
}
