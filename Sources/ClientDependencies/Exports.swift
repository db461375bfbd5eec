// Authors and tests of clients need `reportIssue` and `withExpectedIssue` as well.
@_exported public import IssueReporting
