import NIOHTTP1
import Testing

@testable import SpeechServer

@Suite struct HTTPFaultTests {
  @Test func `a fault has the shape of OpenAI's errors`() throws {
    let fault = HTTPFault(.badRequest, param: "model", code: "invalid_value", "no \"é\"/")
    #expect(
      String(decoding: fault.body, as: UTF8.self) == #"""
        {"error":{"code":"invalid_value","message":"no \"é\"/","param":"model",\#
        "type":"invalid_request_error"}}
        """#)
  }

  @Test func `a missing parameter and code are null`() throws {
    #expect(
      String(decoding: HTTPFault(.tooManyRequests, "busy").body, as: UTF8.self)
        == #"{"error":{"code":null,"message":"busy","param":null,"type":"rate_limit_error"}}"#)
    #expect(HTTPFault(.serviceUnavailable, "").type == "server_error")
  }
}
